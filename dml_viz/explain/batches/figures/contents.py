"""The images of one batch."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.batches.model import Model
from dml_viz.explain.batches.model_samplers import FILLINGS, KINDS, SIZES
from dml_viz.plot.canvas import TO_SCALE, canvas, key, note
from dml_viz.plot.display import Display
from dml_viz.plot.style import INK, class_style
from dml_viz.plot.traces import heatmap

GREYS = "rgb(0,0,0)", "rgb(255,255,255)"
COLUMNS, GAP, LABEL = 2, 5, 4  # columns of small rows; pixels between images; width of a name in images
NAMED = 5  # categories that have names above


def contents(model: Model, display: Display) -> go.Figure:
    """The images, one row for each class, each framed in the colour of its category."""
    batch, ink = model.image_batch, INK[display.theme]
    count, side, _ = batch.images.shape
    _, classes, samples = SIZES[model.settings.data]
    columns = classes * samples // 64 if samples > 4 else COLUMNS
    cell, lines = side + GAP, classes // columns
    wide = columns * (samples + LABEL) * cell
    sheet = np.full((lines * cell, wide), np.nan)
    sets = sorted(set(batch.categories), key=lambda name: (-batch.categories.count(name), name))
    shapes, notes = [], []
    for k in range(count):
        row, number = divmod(k, samples)
        column, line = divmod(row, lines)
        left, top = column * (samples + LABEL) * cell + number * cell, line * cell
        sheet[top : top + side, left : left + side] = batch.images[k]
        colour, _ = class_style(sets.index(batch.categories[k]))
        frame = {"x0": left - 2, "x1": left + side + 1, "y0": top - 2, "y1": top + side + 1}
        shapes.append({"type": "rect", **frame, "line": {"color": colour, "width": 2.5}})
        if number == 0:
            label_at = left + samples * cell + 3, top + side / 2
            notes.append(note(batch.classes[k][:14], *label_at, xanchor="left", font={"size": 12, "color": ink}))
    picture = heatmap("images", sheet, GREYS)
    words = [("■", class_style(k)[0], name) for k, name in enumerate(sets[:NAMED])]
    if len(sets) > NAMED:
        words.append(("", "inherit", f"and {len(sets) - NAMED} more {KINDS[model.settings.data]}"))
    alt = (
        f"A batch of {count} images, {FILLINGS[model.settings.way]}, of {classes} classes and {len(sets)} "
        f"{KINDS[model.settings.data]}: {', '.join(dict.fromkeys(batch.classes))}."
    )
    body = {
        "height": 70 + 18 * len(words) + 42 * lines,
        "margin": {"l": 8, "r": 8, "t": 20 + 18 * len(words), "b": 8},
        "xaxis": {**TO_SCALE, "zeroline": False},
        "yaxis": {**TO_SCALE, "autorange": "reversed", "scaleanchor": "x", "zeroline": False},
        "shapes": shapes,
        "annotations": [*notes, key(*words)],
    }
    return canvas([picture], body, theme=display.theme, alt=alt)
