"""Some images of classes trained on, and of unseen classes."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.your_data.model import Model
from dml_viz.plot.canvas import TO_SCALE, Display, canvas, key
from dml_viz.plot.style import NEGATIVE, POSITIVE
from dml_viz.plot.traces import heatmap

GREYS = "rgb(0,0,0)", "rgb(255,255,255)"
ROW, APART, LETTERS = 50, 2, 18  # pixels on the page, pixels of an image, and letters of a name


def trained_on(model: Model, display: Display) -> go.Figure:
    """A row of images for each of the first classes trained on."""
    return _sheet(model, "trained on", POSITIVE, display)


def never_seen(model: Model, display: Display) -> go.Figure:
    """A row of images for each of the first unseen classes."""
    return _sheet(model, "never seen in training", NEGATIVE, display)


def _sheet(model: Model, title: str, colour: str, display: Display) -> go.Figure:
    classes = model.classes_by_side[title]
    step = classes[0][1].shape[1] + APART
    sheet = np.full((len(classes) * step, max(len(x) for _, x in classes) * step), np.nan)
    for row, (_, x) in enumerate(classes):
        for column, image in enumerate(x):
            sheet[row * step : (row + 1) * step - APART, column * step : (column + 1) * step - APART] = image
    trace = heatmap(title, sheet, GREYS, (0, 255))
    parts = [name.split("/") for name, _ in classes]
    ends = [part[-1] for part in parts]
    names = ["/".join(part[-2:])[-LETTERS:] if ends.count(part[-1]) > 1 else part[-1][:LETTERS] for part in parts]
    at = [(row + 0.5) * step for row in range(len(classes))]
    fixed = {"showgrid": False, "zeroline": False, "ticks": "", "constrain": "domain"}
    layout = {
        "xaxis": {**TO_SCALE, **fixed},
        "yaxis": {**fixed, "tickvals": at, "ticktext": names, "autorange": "reversed", "scaleanchor": "x"},
        "annotations": [key(("■", colour, title))],
        "height": 40 + ROW * len(classes),
        "margin": {"l": 120, "r": 8, "t": 30, "b": 8},
    }
    return canvas([trace], layout, theme=display.theme, alt=f"Images of {len(names)} classes {title}: {', '.join(names)}.")
