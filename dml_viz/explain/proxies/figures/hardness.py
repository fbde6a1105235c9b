"""How hard a loss of proxies takes a pair: its weight against its similarity, as a share of the largest weight there can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.numbers import signed
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE
from dml_viz.plot.traces import line, marks

HEIGHT = 340
SHOWN = 300  # pairs drawn of each loss
ROOM = 0.06  # above and below
LOOKS = (("solid", "circle", "●", "——"), ("dash", "diamond-open", "◇", "– –"))


@dataclass(frozen=True)
class Hardness:
    """One loss: weights (K,) that the chosen pair would have along `s`, and every pair's similarity and weight (P,).

    Weights are shares of the largest pull or push of the loss, both positive. ``now`` is the chosen pair's place among the
    pairs, -1 where there is none.
    """

    title: str
    curve: np.ndarray
    s: np.ndarray
    share: np.ndarray
    who: Sequence[str]
    now: int


def hardness_figure(
    s: np.ndarray, losses: Sequence[Hardness], *, positive: bool, pair: str, theme: str = "light"
) -> go.Figure:
    """Curves along similarities s (K,) of the chosen ``pair``, all others held, and a mark for every pair of the subject.

    ``positive`` pairs are of a sample and its own proxy. Above 300 pairs every so manieth is drawn.
    """
    colour, does = (POSITIVE, "pull") if positive else (NEGATIVE, "push")
    traces = []
    for (dash, symbol, *_), loss in zip(LOOKS, losses, strict=True):
        few = slice(None, None, -(-len(loss.s) // SHOWN) or 1)
        traces.append(
            marks(f"{loss.title}, pairs", loss.s[few], loss.share[few], colour=tint(colour, 0.55), symbol=symbol, size=7,
                  hover=f"%{{text}}<br>{loss.title}: s = %{{x:.3f}}, %{{y:.2%}}<extra></extra>", text=list(loss.who[few]))
        )  # fmt: skip
        if loss.now < 0:
            continue
        hover = f"{loss.title}: s = %{{x:.2f}}, %{{y:.2%}}<extra></extra>"
        traces.append(line(loss.title, s, loss.curve, colour=INK[theme], dash=dash, hover=hover))
        traces.append(
            marks(f"{loss.title}, now", loss.s[[loss.now]], loss.share[[loss.now]], colour=colour, symbol=symbol, size=13,
                  edge=(2, INK[theme]), hover=f"{pair}<br>{loss.title}: s = %{{x:.3f}}, %{{y:.2%}}<extra></extra>")
        )  # fmt: skip
    drawn = np.concatenate(
        [part for loss in losses for part in (loss.share, loss.curve if loss.now >= 0 else loss.share[:0], (0.0, 1.0))]
    )
    words = [
        (f"{line} {mark}", colour, f"{loss.title}{_at(loss)}")
        for (*_, mark, line), loss in zip(LOOKS, losses, strict=True)
    ]
    layout = {
        "height": HEIGHT,
        "margin": {"l": 58, "r": 12, "t": 52, "b": 46},
        "xaxis": {"range": [-1.04, 1.04], "title": {"text": "similarity s of sample and star"}},
        "yaxis": {"range": [float(drawn.min()) - ROOM, float(drawn.max()) + ROOM], "tickformat": ".0%", "zeroline": True,
                  "zerolinecolor": EXACT, "title": {"text": f"{does}, of the most there can be"}},
        "showlegend": False,
        "annotations": [key(*words)],
    }  # fmt: skip
    of_all = (
        f"{does.capitalize()} against similarity of {len(losses[0].s)} pairs, as a share of the largest there can be"
    )
    alt = f"{of_all}. {pair}: " + "; ".join(f"{loss.title} {_over(s, loss)}" for loss in losses)
    return canvas(traces, layout, theme=theme, alt=alt + ".")


def _at(loss: Hardness) -> str:
    if loss.now < 0:
        return ": the sample has no such star"
    return signed(f": {loss.share[loss.now]:.1%} at s = {loss.s[loss.now]:.2f}")


def _over(s: np.ndarray, loss: Hardness) -> str:
    if loss.now < 0:
        return "has no such pair"
    return (
        f"from {loss.curve[0]:.1%} at s = {s[0]:.2f} to {loss.curve[-1]:.1%} at s = {s[-1]:.2f}, and {loss.share[loss.now]:.1%} "
        f"at its own s = {loss.s[loss.now]:.2f}"
    )
