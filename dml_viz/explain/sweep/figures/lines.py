"""A score against a knob, with a line for each value of the other knob, such as each loss: mean, interval and seeds."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.sweep.figures._axis import across, scale, waiting_note
from dml_viz.explain.sweep.model import Model
from dml_viz.plot.canvas import axis, chart, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import class_style
from dml_viz.plot.traces import band, joined_marks, marks


def lines(model: Model, display: Display) -> go.Figure:
    """The mean over seeds for each value of the named knob, with its 95 % interval; ``customdata`` is the number of a run."""
    along = model.numbered_axis
    places, named = scale(model, along), model.value_names(along)
    cells = np.moveaxis(np.arange(len(model.sweep.cells)).reshape(model.sweep.shape[0], -1), along, -1)  # (lines, values)
    traces = []
    for k, (effect, of) in enumerate(zip(model.lines, cells, strict=False)):
        colour, symbol = class_style(k)
        look: dict[str, Any] = {"colour": colour, "symbol": symbol}
        for seed, values in zip(model.complete_seeds.tolist(), effect.by_block, strict=True):
            hover = f"{effect.title}, seed {model.sweep.run.seed + seed}: %{{y:.3f}}<extra></extra>"
            of_run = {"colour": tint(colour, 0.45), "size": 4, "customdata": (of + seed * len(model.sweep.cells)).tolist()}
            traces.append(marks(effect.title, places, values, **{**look, **of_run}, hover=hover, showlegend=False))
        traces.append(band("interval", places, *effect.interval, colour, 0.13, showlegend=False))
        hover = f"{effect.title}: mean %{{y:.3f}}<extra></extra>"
        look |= {"width": 2.5, "size": 8, "hover": hover, "customdata": of.tolist(), "showlegend": True}
        traces.append(joined_marks(effect.title, places, effect.means, **look))
    each = "; ".join(f"{line_effect.title} {', '.join(map(score, line_effect.means.tolist()))}" for line_effect in model.lines)
    alt = (
        f"{model.score_name} on {model.group} at step {model.step} against {model.sweep.titles[along]} ({', '.join(named)}), "
        f"{len(model.complete_seeds)} complete seeds. Means: {each or 'none yet'}."
    )
    ready = bool(model.lines)
    x, y = across(model, along, ready=ready), axis(f"{model.score_name}, {model.group}", *(() if ready else (0, 1)))
    fig = chart(traces, (), x, y, height=400, theme=display.theme, alt=alt, top=54)
    words = f"Here will be {model.score_name} at each value,", f"a line for each {model.sweep.titles[along == 0]}."
    more = waiting_note(model, display.theme, *words, ready=ready)
    return fig.update_layout(showlegend=True, annotations=more)
