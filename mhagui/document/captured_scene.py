"""A layer of a real model on the bench: its heads as a scene."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from mhagui import core
from mhagui.document.capture import Capture, CapturedLayer, Floats
from mhagui.document.captured_bias import slopes_of
from mhagui.document.checks import count
from mhagui.document.head import Head
from mhagui.document.mask_rule import MaskKind, MaskRule, rule_across, rule_of
from mhagui.document.on_demand import MOST_KEPT
from mhagui.document.patterns import MAX_POSITIONS, Pattern
from mhagui.document.records import Array, sealed
from mhagui.document.scene import (
    MAX_DESCRIPTION_LENGTH,
    MAX_HEADS,
    MAX_MADE,
    MAX_NUMBERS,
    MAX_TITLE_LENGTH,
    MAX_TOKEN_LENGTH,
    Scene,
    check_numbers,
    check_positions,
    is_token,
)
from mhagui.document.token_text import Scheme, elided, shown_tokens
from mhagui.errors import UserError

_MOST_NAMED = 8  # heads, in a sentence


def scene_of(capture: Capture, number: int, heads: Sequence[int] | None = None) -> Scene:
    """Return layer ``number`` of ``capture`` as a scene, or some of its ``heads``, from 0.

    Heads have the weights that were given, or else the queries and keys: hand-set, those of a key
    head that is shared the same in all its heads. X, W_V and W_O are the layer's where all three
    are known, with their biases; where they are not, the scene has no values. Where queries and
    keys are not the same positions the weights are all there is, made of Q and K where they have
    to be.

    Raises
    ------
    UserError
        When there is no such layer or head, or the bench cannot hold it: one sentence with the
        layer, the head and the numbers.
    """
    layer = layer_of(capture, number)
    places = _places(layer, heads)
    try:
        return _scene(capture, layer, places)
    except UserError as error:
        told = str(error)
        if told.startswith(f"Layer {number}"):
            raise
        raise UserError(f"Layer {number} cannot be on the bench. {told}") from error


def heads_with_room(capture: Capture, number: int, head: int | None = None) -> tuple[int, ...]:
    """Return which heads of layer ``number`` come to the bench together, ``head`` among them.

    All, where the bench can hold them; otherwise as many as it can, of each such run of heads from
    0 on the one with ``head``, without one the first. Of given weights those that are numbers, if
    any are. One, where the bench cannot hold even ``head``, so that it can be said why.
    """
    layer = layer_of(capture, number)
    if head is not None:
        sound = _sound(layer, run_with_room(capture, number, head))
        return sound if head in sound else (head,)
    first = 0
    while first < layer.n_heads:
        run = run_with_room(capture, number, first)
        sound = _sound(layer, run)
        if sound:
            return sound
        first = run[-1] + 1
    return (0,)


def why_left_out(capture: Capture, number: int, heads: Sequence[int]) -> str:
    """Return which heads of the layer are not beside ``heads`` though there is room, and why.

    A sentence; empty where there are none. ``heads`` are as ``heads_with_room`` has them.
    """
    layer = layer_of(capture, number)
    left_out = [place for place in run_with_room(capture, number, heads[0]) if place not in heads]
    if not left_out:
        return ""
    if len(left_out) == 1:
        return f"{_why_unsound(layer, left_out[0])} It is not on the bench."
    names = ", ".join(f"H{place}" for place in left_out[:_MOST_NAMED])
    names += f" and {len(left_out) - _MOST_NAMED} more" if len(left_out) > _MOST_NAMED else ""
    return (
        f"{len(left_out)} of the {layer.n_heads} heads of layer {number} are not on the bench, for "
        f"they have weights that are not numbers: {names}."
    )


def run_with_room(capture: Capture, number: int, head: int) -> tuple[int, ...]:
    """Return ``head`` and the others of layer ``number`` that there is room for together."""
    layer = layer_of(capture, number)
    layer.require_head(head)
    if goes_across(capture, layer):
        layer = _weights_alone(layer)
    n_positions, n_keys = layer.shape
    d_model, d_v = _value_widths(layer)
    made = n_positions * (2 * _width(layer) + 2 * d_v + d_model)
    most = [MAX_HEADS, (MAX_NUMBERS - n_positions * d_model) // _numbers_of_head(layer)]
    most.append(MAX_MADE // made)
    is_biased = layer.given is None and not (layer.bias is None and layer.sinks is None)
    if is_biased or not np.array_equal(layer.mask, core.causal_mask(n_positions)):
        most.append(MOST_KEPT // (n_positions * n_keys))
    n_heads = max(min(most), 1)
    first = head // n_heads * n_heads
    return tuple(range(first, min(first + n_heads, layer.n_heads)))


def _sound(layer: CapturedLayer, run: tuple[int, ...]) -> tuple[int, ...]:
    """Return those of ``run`` whose given weights are numbers."""
    if layer.given is None:
        return run
    return tuple(place for place in run if not _why_unsound(layer, place))


def layer_of(capture: Capture, number: int) -> CapturedLayer:
    """Return layer ``number``; raises UserError, which lists the layers, where there is none."""
    try:
        return capture.layer(number)
    except KeyError as error:
        known = [layer.number for layer in capture.layers]
        few = ", ".join(map(str, known[:8])) + (f" … {known[-1]}" if len(known) > 8 else "")
        raise UserError(f"There is no layer {number}; the layers are {few}.") from error


def _places(layer: CapturedLayer, heads: Sequence[int] | None) -> tuple[int, ...]:
    if heads is None and layer.n_heads > MAX_HEADS:
        raise UserError(
            f"Layer {layer.number} has {layer.n_heads} heads, and the bench holds {MAX_HEADS} at "
            "most; all of them can be scored."
        )
    places = tuple(range(layer.n_heads) if heads is None else heads)
    for place in places:
        layer.require_head(place)
    if not 1 <= len(places) <= MAX_HEADS or len(set(places)) < len(places):
        raise UserError(
            f"Layer {layer.number}: 1 to {MAX_HEADS} heads, each once, can be on the bench; got "
            f"{len(places)}."
        )
    return places


def goes_across(capture: Capture, layer: CapturedLayer) -> bool:
    """Say whether queries and keys are not the same positions: by their number, or their tokens."""
    n_queries, n_keys = layer.shape
    if n_queries != n_keys:
        return True
    queries, keys = capture.query_tokens, capture.key_tokens
    return len(queries) == len(keys) == n_keys and queries != keys


def _weights_alone(layer: CapturedLayer) -> CapturedLayer:
    """Return the layer without all but its weights, made where they are not given."""
    n_weights = layer.n_heads * math.prod(layer.shape)
    if layer.given is None and n_weights > MOST_KEPT:
        raise UserError(
            f"Layer {layer.number} has {n_weights:,} weights that would be made of its queries and "
            f"keys, and there can be {MOST_KEPT:,}."
        )
    return CapturedLayer(layer.number, given=layer.weights, k=layer.k, allowed=layer.allowed)


def _scene(capture: Capture, layer: CapturedLayer, places: tuple[int, ...]) -> Scene:
    known, across = layer, goes_across(capture, layer)
    if across:
        layer = _weights_alone(layer)
    n_positions, mask = _check_form(layer, across=across), _mask(layer, across=across)
    _check_room(layer, places, n_positions)
    make, has_values = _Heads(layer), layer.has_values
    tokens, scheme = _tokens(capture, n_positions, across=across)
    return Scene(
        title=_line(f"{capture.title}, layer {layer.number}", MAX_TITLE_LENGTH),
        description=_description(capture, known, places, mask),
        heads=tuple(map(make.head, places)),
        x=_doubles(layer.x) if has_values else sealed(np.zeros((n_positions, 1))),
        w_o=_projection(layer, places) if has_values else sealed(np.zeros((len(places), 1))),
        d_k=_width(layer),
        tokens=tokens,
        token_scheme=scheme,
        key_tokens=_drawn(capture.key_tokens, layer.shape[1]) if across else (),
        mask=mask,
        b_o=_row(layer.b_o) if has_values and layer.b_o is not None else None,
        has_values=has_values,
    )


# ------------------------------------------------------------------------- what the bench can hold


def _check_form(layer: CapturedLayer, *, across: bool) -> int:
    """Return T; raises UserError where the layer is of a form that no scene has."""
    n_queries, n_keys = layer.shape
    if across:
        count("The number of keys T_k", n_keys, MAX_POSITIONS)
    if layer.w_v is not None and len(layer.w_v) != layer.n_key_heads:
        raise UserError(
            f"Layer {layer.number} has {layer.n_key_heads} key heads and {len(layer.w_v)} value "
            "heads; there have to be as many."
        )
    return check_positions(n_queries)


def _mask(layer: CapturedLayer, *, across: bool) -> MaskRule:
    if layer.allowed is None:
        return MaskRule(MaskKind.FULL, across=across)
    rule = (rule_across if across else rule_of)(layer.allowed)
    if rule is None:
        known = (MaskKind.CAUSAL, MaskKind.FULL) if across else MaskKind
        kinds = ", ".join(kind.value for kind in known)
        raise UserError(
            f"Layer {layer.number} lets {int(layer.allowed.sum()):,} of {layer.allowed.size:,} "
            f"cells be seen by a mask that the bench does not know; it knows {kinds}, with padding."
        )
    return rule


def _check_room(layer: CapturedLayer, places: tuple[int, ...], n_positions: int) -> None:
    """Raise UserError where the scene would have too many numbers, before any is copied."""
    d_model, d_v = _value_widths(layer)
    n_numbers = n_positions * d_model + len(places) * _numbers_of_head(layer)
    check_numbers(n_numbers, n_positions, len(places), _width(layer), d_v, d_model)


def _numbers_of_head(layer: CapturedLayer) -> int:
    """Return how many numbers the matrices of each head hold, with its rows of W_O."""
    d_model, d_v = _value_widths(layer)
    n_queries, n_keys = layer.shape
    of_look = n_queries * n_keys
    if layer.given is None:
        of_look = (n_queries + n_keys) * _width(layer)
    return of_look + 2 * d_model * d_v


def _value_widths(layer: CapturedLayer) -> tuple[int, int]:
    """Return d_model and d_v; 1 stands in for each where there are no values."""
    if layer.has_values and layer.x is not None and layer.w_v is not None:
        return layer.x.shape[1], layer.w_v.shape[2]
    return 1, 1


def _width(layer: CapturedLayer) -> int:
    """Return d_k; 1 stands in where weights are given."""
    return 1 if layer.given is not None or layer.q is None else layer.q.shape[2]


# ------------------------------------------------------------------------------- what it is made of


class _Heads:
    """Makes the heads of a layer; what some of them share is converted once."""

    def __init__(self, layer: CapturedLayer) -> None:
        self._layer = layer
        self._shared: dict[tuple[str, int], Array] = {}
        self._slopes = slopes_of(layer)

    def head(self, place: int) -> Head:
        """Return head ``place``, from 0."""
        layer = self._layer
        key_head = layer.key_head(place)
        no_values, q = not layer.has_values, self._queries(place)
        return Head(
            uid=place + 1,
            name=f"L{layer.number} H{place}",
            pattern=Pattern.HAND_SET if layer.given is None else Pattern.GIVEN,
            w_v=sealed(np.zeros((1, 1))) if no_values else self._of("w_v", key_head, _doubles),
            b_v=None if no_values or layer.b_v is None else self._of("b_v", key_head, _row),
            key_head=key_head if layer.n_key_heads < layer.n_heads else None,
            q=q,
            k=None if q is None else self._of("k", key_head, _doubles),
            a=_weights(layer, place) if q is None else None,
            slope=self._slopes[place],
            sink=None if q is None or layer.sinks is None else float(layer.sinks[place]),
        )

    def _queries(self, place: int) -> Array | None:
        """Return the queries of a head, what scale there is in them; None where A is given."""
        layer = self._layer
        if layer.given is not None or layer.q is None:
            return None
        q, scale = _doubles(layer.q[place]), _own_scale(layer)
        return q if scale is None else sealed(q * (scale / _usual_scale(layer.q)))

    def _of(self, field: str, key_head: int, convert: Callable[[Floats], Array]) -> Array:
        """Return what key head ``key_head`` has under ``field``, the same to all its heads."""
        if (field, key_head) not in self._shared:
            self._shared[field, key_head] = convert(getattr(self._layer, field)[key_head])
        return self._shared[field, key_head]


def _weights(layer: CapturedLayer, place: int) -> Array:
    """Return the given weights of a head to the bit, but 0 in rows of padding.

    Raises UserError where others are no numbers.
    """
    why_not = _why_unsound(layer, place)
    if why_not:
        raise UserError(why_not)
    return _doubles(_read_weights(layer, place))


def _read_weights(layer: CapturedLayer, place: int) -> Floats:
    assert layer.given is not None
    weights: Floats = layer.given[place]
    reads = True if layer.allowed is None else np.any(layer.allowed, axis=1, keepdims=True)
    return weights if np.all(reads) else np.where(reads, weights, weights.dtype.type(0))


def _why_unsound(layer: CapturedLayer, place: int) -> str:
    """Return which given weights of a head are no numbers, a sentence; empty where all are."""
    weights = _read_weights(layer, place)
    n_wrong = weights.size - int(np.count_nonzero(np.isfinite(weights)))
    if not n_wrong:
        return ""
    row, column = np.argwhere(~np.isfinite(weights))[0]
    sign = "t" if len(weights) == len(weights[0]) else "i"
    return (
        f"Layer {layer.number}, head {place}: {n_wrong:,} of {weights.size:,} weights are not "
        f"numbers, the first on key {sign}{column + 1} at query t{row + 1}."
    )


def _projection(layer: CapturedLayer, places: tuple[int, ...]) -> Array:
    """Return the rows of W_O that the heads own, one head below the other."""
    assert layer.w_o is not None
    assert layer.w_v is not None
    width, n_rows = layer.w_v.shape[2], layer.n_heads * layer.w_v.shape[2]
    if len(layer.w_o) != n_rows:
        raise UserError(
            f"Layer {layer.number} has a W_O of {len(layer.w_o)} rows; its {layer.n_heads} heads "
            f"of width {width} need {n_rows}."
        )
    blocks = [layer.w_o[place * width : (place + 1) * width] for place in places]
    return sealed(np.concatenate(blocks, dtype=np.float64))


def _usual_scale(q: Floats) -> float:
    """Return 1/√d_k."""
    return 1 / math.sqrt(q.shape[2])


def _own_scale(layer: CapturedLayer) -> float | None:
    """Return the scale of a layer; None where it is the usual one, but for rounding."""
    if layer.scale is None or layer.q is None:
        return None
    is_usual = math.isclose(layer.scale, _usual_scale(layer.q), rel_tol=1e-12)
    return None if is_usual else layer.scale


def _doubles(array: Floats | None) -> Array:
    assert array is not None
    return sealed(np.array(array, dtype=np.float64, order="C"))


def _row(array: Floats) -> Array:
    return _doubles(array[np.newaxis])


# ----------------------------------------------------------------------------------------- in words


def _tokens(capture: Capture, n_positions: int, *, across: bool) -> tuple[tuple[str, ...], str]:
    """Return what stands at each position, as a scene's tokens can be, and their scheme.

    The pieces of the tokenizer where they are known of one sequence; nothing where no tokens are.
    """
    if across:
        return _drawn(capture.query_tokens, n_positions), ""
    tokens, scheme = capture.query_tokens or capture.key_tokens, ""
    if capture.token_scheme and len(capture.pieces) == n_positions:
        tokens, scheme = capture.pieces, capture.token_scheme
    drawn = _drawn(tokens, n_positions, scheme)
    return drawn, scheme if drawn else ""


def _drawn(tokens: tuple[str, ...], n_positions: int, scheme: str = "") -> tuple[str, ...]:
    """Return ``tokens`` as a scene's can be; none unless there is one for each position.

    A token that would not show, as a line end, is what is drawn for it.
    """
    if len(tokens) != n_positions:
        return ()
    drawn = shown_tokens(tokens, scheme or Scheme.PLAIN)
    return tuple(_token(token.raw, token.label) for token in drawn)


def _token(token: str, label: str) -> str:
    if is_token(token):
        return token
    shown = elided(label.strip("\u2068\u2069"), MAX_TOKEN_LENGTH)
    return shown if is_token(shown) else "\N{REPLACEMENT CHARACTER}"


def _description(
    capture: Capture, layer: CapturedLayer, places: tuple[int, ...], mask: MaskRule
) -> str:
    few = len(places) < layer.n_heads
    which = (
        f"Heads {', '.join(map(str, places))} of the {layer.n_heads}"
        if few
        else ("The head" if layer.n_heads == 1 else f"All {layer.n_heads} heads")
    )
    told = [f"{which} of layer {layer.number} of {capture.title}. Mask: {mask.text}."]
    if layer.n_key_heads < layer.n_heads:
        told.append(f"They share the keys and values of {layer.n_key_heads} key heads.")
    if layer.given is not None and (mask.left or mask.right):
        told.append("Rows of padding are left out.")
    if capture.whole is not None:
        told.append("Of words the weights alone are known; they have no queries, keys or values.")
    else:
        told.append(_of_look(layer, across=mask.across))
        told.append(_of_values(layer, few=few, across=mask.across))
    text = "\n".join((" ".join(told), *capture.notes))
    lines = (_line(line, MAX_DESCRIPTION_LENGTH) for line in text.split("\n") if line.strip())
    return "\n".join(lines)[:MAX_DESCRIPTION_LENGTH]


def _of_look(layer: CapturedLayer, *, across: bool) -> str:
    if layer.given is not None:
        return "The weights are as given; queries and keys are not on the bench."
    if across:
        return "The weights are made of the layer's queries and keys, which are not on the bench."
    text = "Queries and keys are those after positions are encoded."
    scale = _own_scale(layer)
    if scale is not None and layer.q is not None:
        text += f" The scale {scale:g} is in the queries, beside {_usual_scale(layer.q):g}."
    if layer.bias is not None:
        text += " Scores fall with the distance by each head's slope (ALiBi)."
    if layer.sinks is not None:
        text += " Each head has a sink logit, so that rows sum to less than 1."
    return text


def _of_values(layer: CapturedLayer, *, few: bool, across: bool) -> str:
    if across:
        return "There are no values on the bench: they are of the keys, not of the queries."
    if not layer.has_values:
        return _of_no_values(layer)
    biases = [name for name, b in (("b_V", layer.b_v), ("b_O", layer.b_o)) if b is not None]
    text = "X is what the attention reads, after its norm."
    if biases:
        text += f" With {' and '.join(biases)}."
    return text + (" O is the sum over these heads alone." if few else "")


def _of_no_values(layer: CapturedLayer) -> str:
    parts = (("X", layer.x), ("W_V", layer.w_v), ("W_O", layer.w_o))
    missing = [name for name, part in parts if part is None]
    names = ", ".join(missing[:-1]) + (" and " if missing[1:] else "") + missing[-1]
    verb = "are" if missing[1:] else "is"
    return f"There are no values on the bench: {names} of the layer {verb} not known."


def _line(text: str, most: int) -> str:
    """Return ``text`` as one line of at most ``most`` characters that show."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    return elided(" ".join(shown.split()), most)
