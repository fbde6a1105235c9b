"""Words of a declaration or of a visitor, in Markdown."""

from __future__ import annotations

import re


def to_the_letter(text: str) -> str:
    """``text`` written so that Markdown shows every sign of it."""
    return re.sub(r"([\\`*_\[\]<>$|~#:])", r"\\\1", text)
