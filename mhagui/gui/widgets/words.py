"""Words of others, shown as they stand."""

import html


def plain(text: str) -> str:
    """Return ``text`` so that a tooltip or a message box shows it as it stands, tags and all.

    Qt takes whatever looks like HTML for that; names, paths and pasted texts may look like it.
    """
    if "<" not in text:
        return text
    return f"<p style='white-space:pre-wrap'>{html.escape(text)}</p>"
