"""The weights dL/ds of pairs against their similarity, as a figure and as a small sketch."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import axis, chart, number, tint, with_minus_signs
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE
from dml_viz.plot.traces import marks

HEIGHT = 340
EDGE = 1.04  # end of the axis, as a multiple of the largest similarity
NEGLIGIBLE = 1e-3  # share of the largest weight; a weight up to it counts as none
KINDS = (("positive", True, POSITIVE, "circle", "●"), ("negative", False, NEGATIVE, "x", "✕"))

# Of the sketch, in units of its own.
WIDTH, TALL = 240, 84
LEFT, RIGHT, TOP, BOTTOM = 6, 6, 8, 16
ARM = 2.6  # half of a cross


def weight_figure(
    s: np.ndarray, weight: np.ndarray, positive: np.ndarray, who: np.ndarray, *, similarity: str, theme: str = "light"
) -> go.Figure:
    """A figure of weights (K,) against similarities s (K,) of pairs, ``positive`` (K,) or not; ``who`` (K,) names each on hover.

    ``similarity`` says in words what s is.
    """
    traces = [
        marks(
            f"{name} pairs",
            s[members],
            weight[members],
            colour=tint(colour, 0.75),
            symbol=symbol,
            edge=(1, colour),
            text=who[members],
            hover="%{text}<br>s = %{x:.3f}, dL/ds = %{y:.3g}",
        )
        for name, is_positive, colour, symbol, _ in KINDS
        for members in [positive == is_positive]
    ]
    words = [(sign, colour, words) for (*_, colour, _, sign), words in zip(KINDS, _summaries(weight, positive), strict=True)]
    x = axis(similarity, *_reach(s))
    y = axis("pair weight dL/ds", zeroline=True, zerolinecolor=INK[theme], zerolinewidth=1)
    alt = weight_words(s, weight, positive)
    return chart(traces, words, x, y, height=HEIGHT, theme=theme, alt=alt, left=58, top=56, uirevision="weights")


def weight_sketch(s: np.ndarray, weight: np.ndarray, positive: np.ndarray) -> str:
    """The weights as a small SVG for both themes: similarity to the right, pull below the line and push above it."""
    low, high = _reach(s)
    largest = float(np.abs(weight).max(initial=0)) or 1.0
    middle = (TOP + TALL - BOTTOM) / 2
    x = LEFT + (s - low) / (high - low) * (WIDTH - LEFT - RIGHT)
    y = middle - weight / largest * (middle - TOP)
    at = np.column_stack((x, y)).round(1)
    # Each place once: both orders of a pair have the same place.
    dots, crosses = (np.unique(at[positive == kind], axis=0).tolist() for kind in (True, False))
    push = "".join(f"M{a - ARM:.1f} {b - ARM:.1f}l{2 * ARM} {2 * ARM}m0-{2 * ARM}l-{2 * ARM} {2 * ARM}" for a, b in crosses)
    pull = "".join(f"M{a} {b}h0" for a, b in dots)
    ends = ((LEFT, "start", low), (WIDTH - RIGHT, "end", high))
    ticks = "".join(f'<text x="{a}" y="{TALL - 3}" text-anchor="{anchor}">{number(end / EDGE)}</text>' for a, anchor, end in ends)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {TALL}">'
        f'<g fill="{EXACT}" font-size="10" font-family="Helvetica, Arial, sans-serif">{ticks}'
        f'<text x="{WIDTH / 2}" y="{TALL - 3}" text-anchor="middle">similarity</text>'
        f'<path d="M{LEFT} {middle}H{WIDTH - RIGHT}" stroke="{EXACT}" stroke-width="0.8"/></g>'
        f'<path d="{push}" fill="none" stroke="{NEGATIVE}" stroke-width="1.4"/>'
        f'<path d="{pull}" fill="none" stroke="{POSITIVE}" stroke-width="4.6" stroke-linecap="round"/></svg>'
    )


def weight_words(s: np.ndarray, weight: np.ndarray, positive: np.ndarray) -> str:
    """The content of figure and sketch in words and numbers."""
    low, high = (float(s.min()), float(s.max())) if len(s) else (0.0, 0.0)
    pairs = "; ".join(_summaries(weight, positive))
    return with_minus_signs(f"Pair weights dL/ds against similarity from {low:.2f} to {high:.2f}: {pairs}.")


def with_weight(weight: np.ndarray) -> np.ndarray:
    """Whether weights (K,) are more than `NEGLIGIBLE` times the largest."""
    return np.asarray(np.abs(weight) > NEGLIGIBLE * np.abs(weight).max(initial=0))


def _summaries(weight: np.ndarray, positive: np.ndarray) -> list[str]:
    """Sentences on positive and on negative pairs: how many have a weight, and from what to what."""
    summaries = []
    for name, is_positive, *_ in KINDS:
        weights = np.where(with_weight(weight), weight, 0.0)[positive == is_positive]
        many = np.count_nonzero(weights)
        span = f", from {weights.min():.2g} to {weights.max():.2g}" if many else ""
        summaries.append(with_minus_signs(f"{many} of {len(weights)} {name} pairs have a weight{span}"))
    return summaries


def _reach(s: np.ndarray) -> tuple[float, float]:
    """The ends of the axis of similarities: all of unit vectors, or more for longer rows."""
    reach = float(max(1.0, np.abs(s).max(initial=0)))
    return -EDGE * reach, EDGE * reach
