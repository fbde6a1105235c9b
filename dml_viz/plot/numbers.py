"""Numbers as figures and sentences write them: with a minus sign, and in words where there is none."""

import math
import re

SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "#$%&_{}"})
SIGNS |= str.maketrans({"\\": r"\textbackslash ", "^": r"\textasciicircum ", "~": r"\textasciitilde "})


def number(value: float, form: str = ".3g", undefined: str = "undefined") -> str:
    """``value`` in the format ``form`` with a minus sign for its hyphen, 0 without a sign; ``undefined`` for NaN."""
    return undefined if math.isnan(value) else signed(f"{value + 0.0:{form}}")


def signed(text: str) -> str:
    """``text`` with a minus sign for every hyphen before a number."""
    return re.sub(r"-(?=\d|inf)", "−", text)


def score(value: float) -> str:
    """A score in [0, 1]; NaN is what no query could be asked for."""
    return number(value, ".3f")


def tex(value: float) -> str:
    """``value`` in three digits as LaTeX writes it, with a power of ten where it needs one."""
    digits, _, power = f"{value:.3g}".partition("e")
    return rf"{digits}\cdot 10^{{{int(power)}}}" if power else digits


def tex_words(text: str) -> str:
    """``text`` to the letter, as it stands within a text of LaTeX."""
    return text.translate(SIGNS)
