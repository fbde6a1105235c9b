"""All rows of each file as points, which our own script draws: Plotly draws a few thousand at most."""

import numpy as np

from dml_viz.data.own import Scored
from dml_viz.data.wire import in_smallest_type
from dml_viz.explain.your_data.failures import Failures
from dml_viz.explain.your_data.model import Model
from dml_viz.plot.canvas import Display
from dml_viz.plot.style import palette
from dml_viz.room.component_data import PointsData, PointsFile
from dml_viz.room.room import Component

NO_QUERY = 255  # in place of a number of nearest rows


def points(model: Model, display: Display) -> Component:
    """All rows of every file where they lie in a plane, on the sphere or on the circle, with what their nearest rows say."""
    files: list[PointsFile] = []
    arrays: dict[str, np.ndarray] = {}
    for k, (scored, title) in enumerate(zip(model.files, model.titles, strict=True)):
        file, (places, share) = scored.file, scored.places
        ranked = model.ranked and file.labelled
        near = scored.ranked.near.shape[1] if ranked else 0
        dim = file.z.shape[1]
        files.append({"title": title, "names": file.names, "dim": dim, "share": share, "near": near})
        arrays |= {f"{k}.places": places, f"{k}.y": in_smallest_type(file.y)}
        if ranked:
            arrays |= {f"{k}.{name}": values for name, values in _by_nearest(scored).items()}
    data: PointsData = {"files": files, "theme": display.theme, "palette": palette()}
    return Component("points", data, arrays)


def _by_nearest(scored: Scored) -> dict[str, np.ndarray]:
    """For each row how many of its nearest are of its class, and 1 + the class that it looks like."""
    found, rows = Failures(scored), scored.ranked.queries
    right, looks = np.full(len(scored.file.y), NO_QUERY, np.uint8), np.zeros(len(scored.file.y), np.int64)
    right[rows] = found.right_near
    suspects, classes, _ = found.suspects
    looks[rows[suspects]] = classes + 1
    return {"right": right, "looks": in_smallest_type(looks)}
