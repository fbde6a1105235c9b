"""The likeness of the formula's gradient to the gradients of the published losses."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.your_formula.model import Model
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.style import EXACT, INK, QUERY
from dml_viz.plot.traces import Trace, bars

LINE = 22  # px of a bar


def likeness(model: Model, display: Display) -> go.Figure:
    """A bar for each published loss without proxies: the cosine of its gradient with the formula's, the most alike on top."""
    known = {name: cosine for name, cosine in model.cosines.items() if np.isfinite(cosine)}
    names, cosines = list(known)[::-1], np.array(list(known.values())[::-1])
    colours = [QUERY if name == next(iter(known), "") else EXACT for name in names]
    look: Trace = {"orientation": "h", "textposition": "outside", "cliponaxis": False, "constraintext": "none"}
    text, hover = [number(c, ".3f") for c in cosines], "%{y}: %{x:.6f}<extra></extra>"
    cosine_bars = bars("cosine", cosines.tolist(), names, colour=colours, text=text, hover=hover, **look)
    silent = [name for name in model.cosines if name not in known]
    words = [("", INK[display.theme], f"without a gradient here: {', '.join(silent)}")] if silent else []
    alt = (
        f"Cosines of the formula's gradient with {len(known)} losses, from "
        f"{', '.join(f'{name} {known[name]:.3f}' for name in (*names[:-3:-1], *names[:1]))}."
        if known
        else "The formula has 0 gradient on these points."
    )
    x = axis("cosine of the two gradients", min(-0.2, float(cosines.min(initial=0)) - 0.55), 1.25, zeroline=True)
    y = {"automargin": True, "ticks": "", "dtick": 1}
    return chart([cosine_bars], words, x, y, height=90 + LINE * len(names), theme=display.theme, alt=alt, bargap=0.3)
