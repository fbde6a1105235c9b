"""Words that any file may have; the browser does the same (assets/src/export/allowed.js)."""

import re

FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def allowed(text: str) -> str:
    """``text`` without control characters, halves of pairs and what is no character, which XML forbids."""
    return FORBIDDEN.sub("", text)
