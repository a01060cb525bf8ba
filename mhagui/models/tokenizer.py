"""Prompts to the numbers of tokens, by the ``tokenizers`` package."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mhagui.document.token_text import Scheme, shown_tokens
from mhagui.errors import UserError
from mhagui.models.package_faults import said
from mhagui.models.packages import require_package
from mhagui.models.tokenizer_json import tokenizer_of_json
from mhagui.models.values import Values, read_bounded, read_values

if TYPE_CHECKING:
    import tokenizers

_SCHEMES = {"ByteLevel": Scheme.BYTE_LEVEL, "WordPiece": Scheme.WORDPIECE}

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = (
    r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + "{digits}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

_CONTROL, _USER_DEFINED = 3, 4  # kinds of words in a GGUF file that are cut out of a text first


class Tokens(NamedTuple):
    """A prompt as tokens: numbers, decoded texts, and the pieces as the vocabulary has them.

    ``scheme`` is how the pieces stand for text, "" where that is not known.
    """

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    pieces: tuple[str, ...]
    scheme: str = ""


class Tokenizer:
    """Cuts prompts as the model was trained on, with the marks that it wants around them."""

    def __init__(self, made: "tokenizers.Tokenizer", first: int | None = None) -> None:
        """Take a tokenizer of the package; ``first`` is a token that it puts in front of all."""
        made.no_padding()  # files keep the lengths that somebody once cut to
        made.no_truncation()
        self._made = made
        self._first = first
        self._scheme = _SCHEMES.get(type(made.decoder).__name__)

    def ids(self, prompt: str) -> tuple[int, ...]:
        """Return the numbers of the tokens of ``prompt``; raises UserError where it has none."""
        try:
            prompt.encode()
        except UnicodeEncodeError as error:
            raise UserError(f"Character {error.start + 1} of the prompt is half of one.") from error
        with said("The model's tokenizer cannot cut this prompt"):
            ids = tuple(self._made.encode(prompt).ids) if prompt else ()
        if not ids:
            raise UserError("The prompt is empty: there is nothing to attend to.")
        return ids if self._first is None else (self._first, *ids)

    def of_ids(self, ids: Sequence[int]) -> Tokens:
        """Return the tokens of these numbers; one beyond the vocabulary has no text."""
        pieces = tuple(self._made.id_to_token(number) or "" for number in ids)
        texts = tuple(token.text for token in shown_tokens(pieces, self._scheme))
        return Tokens(tuple(ids), texts, pieces, self._scheme or "")


def tokenizer_of_folder(folder: Path) -> Tokenizer:
    """Return the tokenizer beside a checkpoint: tokenizer.json, or BERT's vocab.txt.

    Raises UserError where there is neither, or it cannot be read.
    """
    require_package("tokenizers")
    path, words = folder / "tokenizer.json", folder / "vocab.txt"
    if path.is_file():
        return Tokenizer(tokenizer_of_json(read_bounded(path), path.name))
    if words.is_file():
        return Tokenizer(_wordpiece(folder, words))
    raise UserError(
        f"There is no tokenizer.json beside the model in {folder.name}, so that no prompt can be "
        "cut into its tokens."
    )


def tokenizer_of_gguf(values: Values) -> Tokenizer:
    """Return the tokenizer that the named values of a GGUF file describe, of byte-level pieces.

    Raises UserError where it is of another kind, or cuts words in a way that was not compared.
    """
    require_package("tokenizers")
    kind = values.text("tokenizer.ggml.model")
    if kind != "gpt2":
        raise UserError(
            f"{values.where} has a tokenizer of the kind “{kind}”; only “gpt2”, byte-level pieces, "
            "is rebuilt here."
        )
    cut = values.text("tokenizer.ggml.pre")
    made = _byte_level(values, cut)
    # Words of these kinds are looked for in a prompt before it is cut.
    kinds = values.named.get("tokenizer.ggml.token_type")
    words = values.texts("tokenizer.ggml.tokens")
    if isinstance(kinds, list) and len(kinds) == len(words):
        _add_marks(made, words, kinds)
    begins = values.flag("tokenizer.ggml.add_bos_token", cut == "llama-bpe")
    return Tokenizer(made, values.count("tokenizer.ggml.bos_token_id", least=0) if begins else None)


def _wordpiece(folder: Path, path: Path) -> "tokenizers.Tokenizer":
    """Return BERT's tokenizer, of the words in vocab.txt, one a line."""
    from tokenizers import Tokenizer as Package
    from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

    text = read_bounded(path).decode("utf-8", "replace")
    # No more ends a line than "\n": some words are of what `splitlines` takes for a line end.
    words = [line.rstrip("\r") for line in text.removesuffix("\n").split("\n")]
    vocabulary = {word: number for number, word in enumerate(words)}
    marks = [(mark, vocabulary.get(mark)) for mark in ("[CLS]", "[SEP]", "[UNK]")]
    for mark, number in marks:
        if number is None:
            raise UserError(f"{path.name} has no word “{mark}”, which BERT's tokenizer needs.")
    made = Package(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=_lowers(folder))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=marks[:2]
    )
    made.add_special_tokens([mark for mark, _ in marks])
    return made


def _lowers(folder: Path) -> bool:
    path = folder / "tokenizer_config.json"
    return not path.is_file() or read_values(path).flag("do_lower_case", True)


def _byte_level(values: Values, cut: str) -> "tokenizers.Tokenizer":
    from tokenizers import Tokenizer as Package
    from tokenizers import decoders, models

    words = values.texts("tokenizer.ggml.tokens")
    vocabulary = {word: number for number, word in enumerate(words)}
    if len(vocabulary) != len(words):
        raise UserError(f"{values.where} has words twice in its vocabulary.")
    pairs = []
    merges = values.texts("tokenizer.ggml.merges")
    for number, merge in enumerate(merges, 1):
        first, _, second = merge.partition(" ")
        if not {first, second, first + second} <= vocabulary.keys():
            raise UserError(
                f"{values.where}: merge {number} of {len(merges)} is “{merge}”, which is no pair "
                "of words of the vocabulary that make another."
            )
        pairs.append((first, second))
    made = Package(models.BPE(vocabulary, pairs, ignore_merges=cut == "llama-bpe"))
    _set_cut(made, values.where, cut)
    made.decoder = decoders.ByteLevel()
    return made


def _set_cut(made: "tokenizers.Tokenizer", where: str, cut: str) -> None:
    """Let ``made`` cut a text into words the way that GGUF calls ``cut``."""
    from tokenizers import Regex, normalizers, pre_tokenizers

    own = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    bytes_alone = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if cut == "gpt-2":
        made.pre_tokenizer = own
    elif cut == "smollm":
        digits = pre_tokenizers.Digits(individual_digits=True)
        made.pre_tokenizer = pre_tokenizers.Sequence([digits, own])
    elif cut in ("llama-bpe", "qwen2"):
        words = _CONTRACTIONS + _WORDS.replace("{digits}", "{1,3}" if cut == "llama-bpe" else "")
        split = pre_tokenizers.Split(Regex(words), "isolated")
        made.pre_tokenizer = pre_tokenizers.Sequence([split, bytes_alone])
        if cut == "qwen2":
            made.normalizer = normalizers.NFC()
    else:
        raise UserError(
            f"{where} cuts words the “{cut}” way, which is not rebuilt here; gpt-2, llama-bpe, "
            "qwen2 and smollm are."
        )


def _add_marks(made: "tokenizers.Tokenizer", words: Sequence[str], kinds: Sequence[object]) -> None:
    from tokenizers import AddedToken

    marks = [
        (word, kind == _CONTROL)
        for word, kind in zip(words, kinds, strict=True)
        if kind in (_CONTROL, _USER_DEFINED)
    ]
    made.add_tokens(
        [AddedToken(word, special=special, normalized=False) for word, special in marks]
    )
