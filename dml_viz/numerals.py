"""Numbers as they are set in a sentence, not as they are typed in code."""

from __future__ import annotations

import re

POWER = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)e([+-]\d+)")
MINUS = re.compile(r"(?<![\w.)\]])-(?=\.?\d)")
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def numerals(text: str) -> str:
    """``text`` with a true minus before its negative numbers, and powers of ten in place of exponents."""
    return MINUS.sub("−", POWER.sub(_power, text))


def _power(found: re.Match[str]) -> str:
    ten = f"10{str(int(found[2])).translate(RAISED)}"
    return {"1": ten, "-1": f"−{ten}"}.get(found[1], f"{found[1]} × {ten}")
