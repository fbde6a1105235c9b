"""Text of a visitor or of a file in one line."""

import unicodedata

JOINERS = "\u200c\u200d"  # within words of Persian, say, and within emoji


def in_one_line(text: str) -> str:
    """``text`` with single blanks for breaks of lines and signs without a picture; signs that turn its direction are left out."""
    signs = (sign if sign.isprintable() or sign in JOINERS else "" if _is_format(sign) else " " for sign in text)
    return " ".join("".join(signs).split())


def _is_format(sign: str) -> bool:
    return unicodedata.category(sign) == "Cf"
