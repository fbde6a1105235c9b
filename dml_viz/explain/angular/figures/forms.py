"""The hinge and the two logistic forms of one bound: what a triangle costs, how hard it is pushed, and where a batch's are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._plane import SAMPLE
from dml_viz.plot.canvas import canvas
from dml_viz.plot.display import Display
from dml_viz.plot.stack import Row, stacked
from dml_viz.plot.style import EXACT, INK, NEGATIVE, QUERY
from dml_viz.plot.traces import Trace, bars, line, upright

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model

DASHES = ("solid", "dot", "dash")
NAMES = ("hinge", "logistic, constant kept", "logistic, dropped")


def forms(model: Model, display: Display) -> go.Figure:
    """The three forms (hinge, logistic with its constant, logistic without) against the violation, the chosen one in colour."""
    theme, violations, forms, chosen, now = display.theme, model.violations, model.forms, model.form, model.violation
    low, high = float(violations[0]), float(violations[-1])
    colours = [NEGATIVE if k == chosen else INK[theme] for k in range(len(forms))]

    def curves(of: str) -> list[Trace]:
        return [
            line(f"{name}, {of}", violations, form[of == "slope"], colour=colour, width=3.5 if k == chosen else 1.8,
                 dash=DASHES[k], hover=f"{name}: %{{y:.3f}}<extra></extra>")
            for k, (name, form, colour) in enumerate(zip(NAMES, forms, colours, strict=True))
        ]  # fmt: skip

    edges, counts = model.batch.violations, model.batch.spread
    total = int(counts.sum())
    spread = bars("triangles", (edges[:-1] + edges[1:]) / 2, counts / total, colour=EXACT, width=np.diff(edges),
                  customdata=counts, hover="%{customdata:,} triangles<extra></extra>")  # fmt: skip
    at = [upright(0, INK[theme], 1), upright(now, QUERY, dash="solid")]
    pushed = ", ".join(f"{share:.0%}" for share in model.pushed)
    top = max(float(np.interp(max(now, 2.0), violations, value)) for value, _ in forms)
    solid, dot, dash = (SAMPLE[dash] for dash in DASHES)
    traces, layout = stacked(
        (
            Row(f"<b>Loss</b>: hinge {solid}, logistic: kept {dot}, dropped {dash}", curves("value"), 110,
                {"range": [-0.05 * top, top]}, at),
            Row(f"<b>Share of the full push</b>; over the batch {pushed}", curves("slope"), 100, {"range": [-0.06, 1.08]}, at),
            Row(f"<b>Where the {total:,} triangles are</b>", [spread], 90, {"tickformat": ".0%"}, at),
        ),
        {"range": [low, high], "title": {"text": "d²<sub>ap</sub> − 4 tan²α |x<sub>n</sub> − x<sub>c</sub>|²"}},
    )  # fmt: skip
    alt = (
        f"Hinge and logistic forms of the angular loss. Over the batch of {total:,} triangles they give {pushed} of the full "
        f"push (hinge; logistic with its constant; without). The form without has half its push at {2 - 6 * model.t:.2g}, the "
        f"others at 0; this triangle is at {now:.3g}."
    )
    return canvas(traces, layout | {"showlegend": False}, theme=theme, alt=alt)
