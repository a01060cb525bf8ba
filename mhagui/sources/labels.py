"""Tokens beside arrays: labels of positions where their count fits, and said not to where not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mhagui.errors import UserError
from mhagui.sources import names
from mhagui.sources.entries import shape_text
from mhagui.sources.found import Found
from mhagui.sources.proofs import Proof
from mhagui.sources.readings import Reading


@dataclass(frozen=True)
class Labels:
    """What stands at query and key positions, and what was found of it."""

    query_tokens: tuple[str, ...] = ()
    key_tokens: tuple[str, ...] = ()
    token_ids: tuple[int, ...] = ()
    proofs: tuple[Proof, ...] = ()


def labels(found: Found, reading: Reading, shapes: Sequence[tuple[int, int]]) -> Labels:
    """Return the labels that fit all layers, whose (T_q, T_k) are ``shapes``."""
    n_queries, n_keys = (set(sizes) for sizes in zip(*shapes, strict=True))
    proofs = list(_unread(found))
    shared = _texts(found, reading, names.TOKENS)
    for_queries = _texts(found, reading, names.QUERY_TOKENS) or shared
    for_keys = _texts(found, reading, names.KEY_TOKENS) or shared
    is_one_list = for_queries == for_keys and n_queries == n_keys
    axis = "" if is_one_list else "query "
    queries = keys = _fitting(for_queries, n_queries, axis, reading, proofs)
    if not is_one_list:
        keys = _fitting(for_keys, n_keys, "key ", reading, proofs)
    ids = _ids(found, reading)
    are_fitting = n_keys == n_queries == {len(ids)}
    part = reading.part(names.TOKEN_IDS)
    if part is not None and not are_fitting:
        text = (
            f"{part.entries[0]} ({shape_text(found.entry(part.entries[0]).shape)}) is not one "
            f"whole number for each of {max(n_keys):,} positions, and is not used."
        )
        proofs.append(Proof("tokens", text, "warn", 0.0))
    return Labels(queries, keys, ids if are_fitting else (), tuple(proofs))


def _unread(found: Found) -> Iterator[Proof]:
    """Yield what is called tokens, and is neither a list of texts nor of their numbers."""
    for entry in found.entries:
        is_named = names.role_of(entry.name) in names.LABELS
        if is_named and entry.texts is None and "int" not in entry.dtype:
            why = entry.problem or f"{entry.name} is no list of texts."
            yield Proof("tokens", f"{why[:-1]}, so positions stay without labels.", "warn", 0.0)


def _texts(found: Found, reading: Reading, role: str) -> tuple[str, ...]:
    part = reading.part(role)
    texts = (found.entry(part.entries[0]).texts or ()) if part else ()
    # Half of a pair of UTF-16, as JSON may hold, is no text that could be written.
    return tuple(
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts
    )


def _fitting(
    tokens: tuple[str, ...], sizes: set[int], axis: str, reading: Reading, proofs: list[Proof]
) -> tuple[str, ...]:
    """Return ``tokens`` where there is one for each position; what is found goes to ``proofs``."""
    if not tokens:
        return ()
    n_tokens, n_positions = len(tokens), max(sizes)
    if sizes == {n_tokens}:
        proofs.append(Proof("tokens", f"Each {axis}position has its token.", "ok", 0.0))
        return tokens
    if reading.has_steps and sizes == {n_tokens - 1}:
        text = f"The last of {n_tokens} tokens was generated and never read: it has no row."
        proofs.append(Proof("tokens", text, "ok", 1.0))
        return tokens[:-1]
    text = (
        f"There are {n_tokens:,} tokens and {n_positions:,} {axis}"
        f"position{'s' if n_positions > 1 else ''}, so positions stay without labels"
    )
    if n_tokens < n_positions:
        text += f"; {n_positions - n_tokens:,} positions may be padding, of a batch or to a block"
    proofs.append(Proof("tokens", text + ".", "warn", float(n_tokens - n_positions)))
    return ()


def _ids(found: Found, reading: Reading) -> tuple[int, ...]:
    part = reading.part(names.TOKEN_IDS)
    if part is None:
        return ()
    entry = found.entry(part.entries[0])
    if entry.problem or "int" not in entry.dtype or len(entry.shape) not in (1, 2):
        return ()
    item = reading.batch or 0
    if len(entry.shape) == 2 and item >= entry.shape[0]:
        return ()
    try:
        read = entry.read((None,) if len(entry.shape) == 1 else (item, None))
    except UserError:  # they only help a few scores
        return ()
    return tuple(int(number) for number in read)
