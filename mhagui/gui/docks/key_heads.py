"""How heads that share keys and values are marked: with nothing that draws curves."""

from mhagui.document import Head, Scene


def key_head_mark(head: Head) -> str:
    """Return the mark that heads have alike which share keys and values: KV 0; or nothing."""
    return "" if head.key_head is None else f"KV {head.key_head}"


def key_head_tip(scene: Scene, head: Head) -> str:
    """Return in words with which others a head shares keys and values; nothing where it does not.

    A head that no other on the bench shares them with has its own all the same.
    """
    if head.key_head is None:
        return ""
    alike = [f"h{n}" for n, of in enumerate(scene.heads, 1) if of.key_head == head.key_head]
    which = f"Key and value head {head.key_head}"
    if len(alike) == 1:
        return f"{which}: no other head on the bench reads it."
    return f"{which}, the keys and values of {', '.join(alike[:-1])} and {alike[-1]} alike."
