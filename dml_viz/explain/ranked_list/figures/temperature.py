"""How the push is shared out among the mined negatives as the temperature rises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.style import EXACT, INK, NEGATIVE

MOST = 8  # negatives with a line each, the nearest ones


def temperature_figure(
    temperatures: np.ndarray,
    shares: np.ndarray,
    d: np.ndarray,
    who: Sequence[str],
    *,
    now: tuple[float, np.ndarray],
    theme: str = "light",
) -> go.Figure:
    """Shares (T, K) at ``temperatures`` (T,) of the K mined negatives at distances d (K,), nearest first; ``now`` is (T, (K,)).

    Each of the nearest has a line; ``who`` (K,) names it. The words above say how many negatives of equal weight would be as
    concentrated as they are now.
    """
    count = len(d)
    traces = [
        {
            "type": "scatter", "mode": "lines", "name": f"share {place + 1}", "x": temperatures, "y": shares[:, place],
            "line": {"color": tint(NEGATIVE, 1 - 0.8 * place / MOST), "width": 3 if place == 0 else 1.5},
            "hovertemplate": f"{who[place]}, d = {d[place]:.3f}<br>T = %{{x:g}}: %{{y:.3f}}<extra></extra>",
        }
        for place in range(min(count, MOST))
    ]  # fmt: skip
    if count:
        equal = {
            "type": "scatter",
            "mode": "lines",
            "name": "equal",
            "x": temperatures,
            "y": np.full(len(temperatures), 1 / count),
        }
        traces.insert(0, {**equal, "line": {"color": EXACT, "dash": "dot", "width": 1}, "hoverinfo": "skip"})
        traces.append(
            {"type": "scatter", "mode": "markers", "name": "now", "x": np.full(min(count, MOST), now[0]), "y": now[1][:MOST],
             "marker": {"color": NEGATIVE, "symbol": "x", "size": 9}, "hoverinfo": "skip"}
        )  # fmt: skip
    words, alt = _words(d, now)
    layout = {
        "height": 400,
        "margin": {"l": 50, "r": 12, "t": 52, "b": 46},
        "xaxis": {"title": {"text": "temperature T"}, "range": [float(temperatures[0]) - 0.5, float(temperatures[-1]) + 0.5]},
        "yaxis": {"title": {"text": "share of the push"}, "range": [-0.03, 1.05]},
        "showlegend": False,
        "shapes": [
            {"type": "line", "x0": now[0], "x1": now[0], "y0": 0, "y1": 1, "yref": "y domain", "name": "now",
             "line": {"color": INK[theme], "width": 1, "dash": "dot"}}
        ],
        "annotations": [key(*words)],
    }  # fmt: skip
    return canvas(traces, layout, theme=theme, alt=alt)


def _words(d: np.ndarray, now: tuple[float, np.ndarray]) -> tuple[list[tuple[str, str, str]], str]:
    temperature, share = now
    count = len(d)
    if not count:
        said = "no negative is nearer than α, so there is no push to share out"
        return [("✖", NEGATIVE, said)], f"Shares of the push of 0 mined negatives against the temperature: {said}."
    shown = f"the nearest {MOST} of {count}" if count > MOST else f"all {count}"
    effective = 1 / float((share**2).sum())
    first = f"T = {temperature:g}: the nearest, d = {d[0]:.3f}, has {share[0]:.3f}"
    alike = f"at T = 0 each has {1 / count:.3f}; now {effective:.2g} of {count} count"
    alt = f"Shares of the push against the temperature for {shown} mined negatives: {first}; {alike}."
    return [("✖", NEGATIVE, first), ("┄", EXACT, alike)], alt
