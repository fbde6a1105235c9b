"""The rows drawn, each file in its own map or plane."""

from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.your_data.model import Model
from dml_viz.plot import disc
from dml_viz.plot.canvas import TO_SCALE, Display, canvas, footnote, heading
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import CLASS_COLOURS, FAINT
from dml_viz.plot.traces import circle

EDGE = 1.06
DIFFERS = 0.1  # between the shares of right neighbours in a map and in all dimensions
LEGEND = {"orientation": "h", "x": 0.5, "xanchor": "center", "y": 0, "yanchor": "top", "itemsizing": "constant"}


def plane(model: Model, display: Display) -> go.Figure:
    """Points coloured by class, a picture for each file; above it what a map keeps, or the share of variance in a plane."""
    count = len(model.files)
    traces, notes, shapes, sentences = [], [], [], []
    layout: dict[str, Any] = {}
    named: set[tuple[str, ...]] = set()
    each = zip(model.files, model.titles, model.variance_shares, model.drawn_right, strict=True)
    for k, (scored, title, share, (right, pictured)) in enumerate(each):
        number = "" if k == 0 else str(k + 1)
        embeddings, names = scored.embeddings, scored.file.names
        z, y = embeddings.z.numpy(), embeddings.y.numpy()
        flat = flatten(z, np.zeros_like(z), 0, embeddings.plane)
        if pictured is not None and scored.map is not None:
            flat = replace(flat, places=scored.map)
        hover = [f"row {row} ({names[label]})" for row, label in zip(scored.drawn_rows.tolist(), y.tolist(), strict=True)]
        for group in disc.by_class(y, names):
            legend = {"legendgroup": group.name, "showlegend": group[:3] not in named}
            traces.append({**disc.points(flat, group, hover), "xaxis": f"x{number}", "yaxis": f"y{number}", **legend})
            named.add(group[:3])
        axis = {**TO_SCALE, "range": [-EDGE, EDGE], "domain": [k / count, (k + 0.98) / count]}
        layout[f"xaxis{number}"] = axis | {"constrain": "domain", "anchor": f"y{number}"}
        layout[f"yaxis{number}"] = {**TO_SCALE, "range": [-EDGE, EDGE], "scaleanchor": f"x{number}", "anchor": f"x{number}"}
        if pictured is not None:
            what = f"nearest row right:<br>{right:.2f} in {z.shape[1]} dimensions<br>{pictured:.2f} in this map"
            if abs(pictured - right) > DIFFERS:
                what += f"<br>The map shows {'more' if pictured > right else 'less'} than there is."
        else:
            what = f"{share:.0%} of the variance" if share < disc.WHOLE else f"all {z.shape[1]} dimensions"
        notes.append(heading(f"<b>{title}</b><br>{what}", (k + 0.49) / count, 1, xanchor="center"))
        if pictured is None:
            shapes.append({**circle((0, 0), 1, FAINT[display.theme]), "xref": f"x{number}", "yref": f"y{number}"})
        sentences.append(f"{title}: {len(z)} points of {len(set(y.tolist()))} classes, {what.replace('<br>', ' ')}")
    few, many = len(named) <= len(CLASS_COLOURS), len({name for name, *_ in named})
    if not few:
        notes.append(footnote(f"{many} classes by colour and marker"))
    layout |= {"annotations": notes, "shapes": shapes, "height": 460 + 8 * few * len(named), "showlegend": few, "legend": LEGEND}
    rows = max(note["text"].count("<br>") + 1 for note in notes)
    layout["margin"] = {"l": 8, "r": 8, "t": 20 + 17 * rows, "b": 26}
    return canvas(traces, layout, theme=display.theme, alt=f"Points in a plane, coloured by class. {'; '.join(sentences)}.")
