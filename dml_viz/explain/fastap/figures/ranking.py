"""Exact AP beside FastAP where something else changes than the bins: the query's place."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.fastap.model import FINE, Model
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import line, marks

RUG = -0.06  # the height at which the other points are drawn


def stairs(model: Model, display: Display) -> go.Figure:
    """Exact AP and FastAP of the query against its place, while it goes round and the others stay."""
    found, ink, bins = model.stairs, INK[display.theme], model.settings.binning.bins
    circle, same = len(found.others) > 0, np.delete(model.y, model.settings.query) == model.y[model.settings.query]
    hover = "%{x:.1f}°: %{y:.3f}"
    ap, fastap, fine = found.here.tolist()
    curves = (
        ("exact AP", found.ap, EXACT, 3.0, "solid", "hv"),
        (f"FastAP, {FINE.bins} bins", found.fastap[1], ink, 1.0, "dot", "linear"),
        ("FastAP", found.fastap[0], ink, 2.0, "solid", "linear"),
    )
    traces = [
        line(name, found.degrees, scores, colour=colour, width=width, dash=dash, shape=shape, hover=hover)
        for name, scores, colour, width, dash, shape in curves
    ]
    traces.append(marks("now", np.full(3, found.now), found.here, colour=QUERY, symbol="diamond", size=11, hover=hover))
    for name, of, colour, symbol in (("positives", same, POSITIVE, "circle"), ("negatives", ~same, NEGATIVE, "x")):
        if circle:
            traces.append(
                marks(name, found.others[of], np.full(int(of.sum()), RUG), colour=colour, symbol=symbol, size=7)
            )
    words = (
        ("■", EXACT, f"exact AP, {found.jumps} jumps; now {score(ap)}"),
        ("■", ink, f"FastAP: solid {bins} bins, now {score(fastap)}; dotted {FINE.bins} bins, now {score(fine)}"),
    )
    where = "the query's angle" if circle else "the query's turn towards its positives"
    x = axis(f"{where} in degrees", *((0, 360) if circle else (-180, 180)), dtick=45)
    y = axis("score of the query", RUG - 0.05 if circle else -0.03, 1.05, tickvals=[0, 0.25, 0.5, 0.75, 1])
    alt = (
        f"Exact AP and FastAP of one query that goes round once while the other {len(model.y) - 1} points stay: exact AP jumps "
        f"{found.jumps} times. Now, at {found.now:.0f}°, AP is {score(ap)}, FastAP {score(fastap)} with {bins} bins and "
        f"{score(fine)} with {FINE.bins}."
    )
    return chart(traces, words, x, y, height=320, theme=display.theme, alt=alt)
