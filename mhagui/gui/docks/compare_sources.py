"""What can be compared: scenes, captures and pinned heads, all with heads to choose from. No Qt."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from mhagui.document import Result, Scene, compute
from mhagui.document.capture import Capture, CapturedLayer, Floats
from mhagui.document.on_demand import OnDemand
from mhagui.document.result_capture import layer_of_heads
from mhagui.errors import UserError

AT_CURSOR = -1  # in place of a uid: the head that the cursor is at
Tokens = tuple[str, ...]


class Choice(NamedTuple):
    """A head that can be chosen: what it is called, and its uid, or its number in its layer."""

    text: str
    head: int


@dataclass(frozen=True, eq=False)
class ComparedHead:
    """One head, and where its weights are.

    Attributes
    ----------
    name, where
        What it is called, “h2 previous token”, and what it is a head of, “the bench”.
    layer, place
        What has its weights, and its number there, from 0.
    query_tokens, key_tokens
        What stands at its queries and keys; none where that is not known.
    """

    name: str
    where: str
    layer: CapturedLayer
    place: int
    query_tokens: Tokens = ()
    key_tokens: Tokens = ()

    @property
    def weights(self) -> Floats:
        """(T_q, T_k)."""
        weights: Floats = self.layer.weights[self.place]
        return weights


class Source(ABC):
    """Something with heads.

    Attributes
    ----------
    key
        Tells it from others, and stays as long as it is the same to the user.
    title, place
        What it is called where it is chosen, and in the middle of a sentence.
    of
        What has its heads.
    """

    def __init__(self, key: Hashable, title: str, place: str, of: object) -> None:
        self.key, self.title, self.place, self.of = key, title, place, of

    @property
    def layers(self) -> tuple[int, ...]:
        """The numbers of its layers, where one of them has to be chosen first."""
        return ()

    @abstractmethod
    def choices(self, layer: int) -> list[Choice]:
        """Return the heads there are to choose from, at least one."""

    @abstractmethod
    def effort(self, layer: int) -> int:
        """Return about how many weights are to be gone through for a head, or computed first."""

    @abstractmethod
    def head(self, layer: int, head: int) -> ComparedHead:
        """Return a head, never ``AT_CURSOR``.

        Raises UserError where there is none, or its weights are not kept. This may take long.
        """


class OfScene(Source):
    """The heads of a scene; of one that is not on the bench the result is yet to be computed."""

    def __init__(
        self, key: Hashable, names: tuple[str, str], scene: Scene, result: Result | None = None
    ) -> None:
        super().__init__(key, *names, scene)
        self.scene, self._result = scene, result

    @property
    def result(self) -> Result:
        """What is computed of it."""
        result = self._result  # which may be let go of meanwhile
        if result is None:
            result = self._result = compute(self.scene)
        return result

    def forget(self) -> None:
        """Let go of the result."""
        self._result = None

    def choices(self, layer: int) -> list[Choice]:  # noqa: ARG002 - heads are numbered through both
        """Return its heads, behind the cursor's."""
        heads = self.scene.heads
        named = [Choice(f"h{n} {head.name}", head.uid) for n, head in enumerate(heads, 1)]
        return [Choice("cursor’s head", AT_CURSOR), *named]

    def effort(self, layer: int) -> int:  # noqa: ARG002 - all layers are computed
        """Return the weights of the head, or of all heads as long as they are not known."""
        is_known = self._result is not None
        n_weights = self.scene.n_weights
        return n_weights // self.scene.n_heads if is_known else n_weights

    def head(self, layer: int, head: int) -> ComparedHead:  # noqa: ARG002
        """Return the head with a uid."""
        if not self.scene.has_head(head):
            raise UserError(f"The cursor’s head is none of those of {self.place}; choose one.")
        place = self.scene.index_of(head)
        computed = self.result.heads[place]
        if isinstance(computed.weights, OnDemand):
            raise UserError(
                f"T = {self.scene.n_positions}: these are more weights than are kept at once; "
                "heads are compared where all weights are kept."
            )
        layer_of_it = layer_of_heads(0, [computed], self.result.allowed)
        name = f"h{place + 1} {self.scene.heads[place].name}"
        return ComparedHead(name, self.place, layer_of_it, 0, *self.scene.texts)


class OfCapture(Source):
    """The heads of a capture, layer by layer."""

    def __init__(self, key: Hashable, capture: Capture, title: str = "") -> None:
        title = title or capture.title
        super().__init__(key, title, title, capture)
        self.capture = capture

    @property
    def layers(self) -> tuple[int, ...]:
        """The numbers of its layers."""
        return tuple(layer.number for layer in self.capture.layers)

    def choices(self, layer: int) -> list[Choice]:
        """Return the heads of a layer, counted from 0 as in models."""
        return [Choice(f"H{n}", n) for n in range(self.capture.layer(layer).n_heads)]

    def effort(self, layer: int) -> int:
        """Return the weights of the head, or of the layer where they are made of q and k."""
        of = self.capture.layer(layer)
        return (1 if of.has_weights else of.n_heads) * of.shape[0] * of.shape[1]

    def head(self, layer: int, head: int) -> ComparedHead:
        """Return a head of a layer."""
        capture = self.capture
        name = f"L{layer} H{head}"
        return ComparedHead(name, self.place, capture.layer(layer), head, *capture.texts)


class Pinned(Source):
    """A head as it was when it was pinned."""

    def __init__(self, number: int, head: ComparedHead) -> None:
        title = f"Pinned {number}: {head.name}"
        super().__init__(("pinned", number), title, f"{head.where}, pinned", head)
        self._head = head

    def choices(self, layer: int) -> list[Choice]:  # noqa: ARG002 - it is of no layer
        """Return the one head."""
        return [Choice(self._head.name, 1)]

    def effort(self, layer: int) -> int:  # noqa: ARG002
        """Return its weights."""
        return self._head.weights.size

    def head(self, layer: int, head: int) -> ComparedHead:  # noqa: ARG002
        """Return the head."""
        return self._head
