"""How the push is shared out among the mined negatives as the temperature rises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import axis, chart, tint
from dml_viz.plot.display import Display
from dml_viz.plot.style import EXACT, INK, NEGATIVE
from dml_viz.plot.traces import line, marks, upright

if TYPE_CHECKING:
    from dml_viz.explain.ranked_list.model import Model

MOST = 8  # negatives with a line each, the nearest ones


def temperature(model: Model, display: Display) -> go.Figure:
    """Shares of the query's mined negatives against the temperature, a line for each of the nearest.

    The words above say how many negatives of equal weight would be as concentrated as they are now.
    """
    one, now = model.one, model.settings.loss.temperature
    d, share, who = one.d[one.too_near], one.share[one.too_near], [display.who[k] for k in one.gallery[one.too_near]]
    temperatures, shares = model.shares_by_temperature
    drawn = min(len(d), MOST)
    traces = [
        line(
            f"share {place + 1}", temperatures, shares[:, place], colour=tint(NEGATIVE, 1 - 0.8 * place / MOST),
            width=3 if place == 0 else 1.5,
            hover=f"{who[place]}, d = {d[place]:.3f}<br>T = %{{x:g}}: %{{y:.3f}}<extra></extra>",
        )
        for place in range(drawn)
    ]  # fmt: skip
    if drawn:
        equal = np.full(len(temperatures), 1 / len(d))
        traces.insert(0, line("equal", temperatures, equal, colour=EXACT, width=1, dash="dot"))
        traces.append(marks("now", np.full(drawn, now), share[:MOST], colour=NEGATIVE, symbol="x"))
    words, alt = _words(d, now, share)
    x, y = axis("temperature T", temperatures[0] - 0.5, temperatures[-1] + 0.5), axis("share of the push", -0.03, 1.05)
    shapes = [upright(now, INK[display.theme], 1, name="now")]
    return chart(traces, words, x, y, height=400, theme=display.theme, alt=alt, top=52, shapes=shapes)


def _words(d: np.ndarray, now: float, share: np.ndarray) -> tuple[list[tuple[str, str, str]], str]:
    count = len(d)
    if not count:
        none = "no negative is nearer than α, so there is no push to share out"
        return [("✖", NEGATIVE, none)], f"Shares of the push of 0 mined negatives against the temperature: {none}."
    shown = f"the nearest {MOST} of {count}" if count > MOST else f"all {count}"
    effective = 1 / float((share**2).sum())
    first = f"T = {now:g}: the nearest, d = {d[0]:.3f}, has {share[0]:.3f}"
    alike = f"at T = 0 each has {1 / count:.3f}; now {effective:.2g} of {count} count"
    alt = f"Shares of the push against the temperature for {shown} mined negatives: {first}; {alike}."
    return [("✖", NEGATIVE, first), ("┄", EXACT, alike)], alt
