"""What the figures of a triangle say alike: samples of their lines, the angle n', and colours that words are written in."""

from __future__ import annotations

import math

from dml_viz.plot.style import INK

# Samples of lines in a legend, long enough to tell dashes from dots, with spaces that do not break.
SAMPLE = {
    "solid": "━━━",
    "dash": "━\u2002━",
    "dot": "•\u00a0•\u00a0•",
    "dashdot": "━\u00a0·\u00a0━",
    "thin dash": "–\u00a0–\u00a0–",
    "thin dot": "·\u00a0·\u00a0·\u00a0·",
}
TOWARDS_INK = 0.5  # of the way, on dark paper, where the palette's deeper colours are too dim for words


def angle_words(angle: float) -> str:
    """n' in degrees, or that it is undefined (NaN)."""
    return "n′ is undefined" if math.isnan(angle) else f"n′ = {angle:.1f}°"


def tone(colour: str, theme: str) -> str:
    """The colour (#rrggbb) for words about what is drawn in ``colour``."""
    if theme == "light":
        return colour
    mixed = (
        round((1 - TOWARDS_INK) * own + TOWARDS_INK * ink)
        for own, ink in zip(*(bytes.fromhex(one.removeprefix("#")) for one in (colour, INK[theme])), strict=True)
    )
    return "#" + bytes(mixed).hex()
