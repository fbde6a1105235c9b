"""Some images of some classes, those trained on beside those that training never sees."""

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import TO_SCALE, canvas
from dml_viz.plot.display import Display
from dml_viz.plot.style import NEGATIVE, POSITIVE

if TYPE_CHECKING:
    from dml_viz.explain.your_embeddings.model import Model

GREYS = [[0, "rgb(0,0,0)"], [1, "rgb(255,255,255)"]]
ROW = 54  # px


def images(model: "Model", display: Display) -> go.Figure:
    """A panel for each side of the split: a row of images for each of its first classes."""
    traces, notes, sentences = [], [], []
    layout: dict[str, Any] = {}
    rows = max(map(len, model.sides.values()))
    for place, ((title, classes), colour) in enumerate(zip(model.sides.items(), (POSITIVE, NEGATIVE), strict=True)):
        number = "" if place == 0 else str(place + 1)
        side = classes[0][1].shape[1]
        each = max(len(x) for _, x in classes)
        sheet = np.full((rows * (side + 2), each * (side + 2)), np.nan)
        for row, (_, x) in enumerate(classes):
            for column, one in enumerate(x):
                top, left = row * (side + 2), column * (side + 2)
                sheet[top : top + side, left : left + side] = one
        traces.append({
            "type": "heatmap", "z": sheet, "zmin": 0, "zmax": 255, "colorscale": GREYS, "showscale": False,
            "hoverinfo": "skip", "xaxis": f"x{number}", "yaxis": f"y{number}", "name": title,
        })  # fmt: skip
        at = [(row + 0.5) * (side + 2) for row in range(len(classes))]
        layout[f"xaxis{number}"] = {
            **TO_SCALE,
            "domain": [place * 0.56, place * 0.56 + 0.44],
            "anchor": f"y{number}",
            "zeroline": False,
        }
        layout[f"yaxis{number}"] = {
            "tickvals": at, "ticktext": [name.rpartition("/")[2][:18] for name, _ in classes], "autorange": "reversed",
            "ticks": "", "showgrid": False, "zeroline": False, "anchor": f"x{number}", "scaleanchor": f"x{number}",
            "constrain": "domain",
        }  # fmt: skip
        notes.append({
            "text": f'<span style="color:{colour}">■</span> {title}', "x": place * 0.56, "y": 1, "xref": "paper",
            "yref": "paper", "xanchor": "left", "yanchor": "bottom", "showarrow": False,
        })  # fmt: skip
        sentences.append(f"{title}: {', '.join(name for name, _ in classes)}")
    body = {**layout, "annotations": notes, "height": 40 + ROW * rows, "margin": {"l": 110, "r": 8, "t": 30, "b": 8},
            "showlegend": False}  # fmt: skip
    return canvas(traces, body, theme=display.theme, alt=f"Images of some classes. {'; '.join(sentences)}.")
