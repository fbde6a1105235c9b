"""The text of numbers in figures and sentences: with a true minus sign, and with a word for NaN."""

import math
import re

SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "#$%&_{}"})
SIGNS |= str.maketrans({"\\": r"\textbackslash ", "^": r"\textasciicircum ", "~": r"\textasciitilde "})


def number(value: float, form: str = ".3g", undefined: str = "undefined") -> str:
    """The text of ``value`` in the format ``form``, with a true minus sign and without a sign for 0; ``undefined`` for NaN."""
    return undefined if math.isnan(value) else with_minus_signs(f"{value + 0.0:{form}}")


def with_minus_signs(text: str) -> str:
    """``text`` with a minus sign for every hyphen before a number."""
    return re.sub(r"-(?=\d|inf)", "−", text)


def score(value: float) -> str:
    """The text of a score in [0, 1]; "undefined" for NaN, the score without any query."""
    return number(value, ".3f")


def tex(value: float) -> str:
    """``value`` in three digits as LaTeX, with a power of ten if needed."""
    digits, _, power = f"{value:.3g}".partition("e")
    return rf"{digits}\cdot 10^{{{int(power)}}}" if power else digits


def escaped_for_tex(text: str) -> str:
    """The text as words within LaTeX, to the letter."""
    return text.translate(SIGNS)
