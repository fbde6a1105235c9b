"""All rows of each file as points, which our own script draws: Plotly draws a few thousand at most."""

from collections.abc import Mapping

import numpy as np

from dml_viz.data.own import Scored
from dml_viz.data.wire import in_smallest_type
from dml_viz.embedding.rows_map import right_in_picture
from dml_viz.explain.your_data.failures import Failures
from dml_viz.explain.your_data.model import Model
from dml_viz.plot.canvas import Display
from dml_viz.plot.style import palette
from dml_viz.room.component_data import FilePoints, PointsData, RowsAnswer
from dml_viz.room.room import Component

NO_QUERY = 255  # in place of a number of nearest rows
MOST_IMAGES = 256  # in an answer


def points(model: Model, display: Display) -> Component:
    """All rows of every file in a map, a plane, on the sphere or on the circle, with what their nearest rows say."""
    files: list[FilePoints] = []
    arrays: dict[str, np.ndarray] = {}
    for k, (scored, title) in enumerate(zip(model.files, model.titles, strict=True)):
        file, (places, share) = scored.file, scored.plane
        mapped = model.picture == "map" and model.mapped and "map" in scored.stages
        places = scored.map if mapped else places
        ranked = model.ranked and file.labelled
        files.append(
            {
                "title": title,
                "names": file.names,
                "dim": file.z.shape[1],
                "picture": "map" if mapped else "plane",
                "share": share,
                "right": (scored.recall[1], right_in_picture(places, file.y, file.queries, file.searched)) if ranked else None,
                "images": file.images is not None,
                "near": scored.nearest.near.shape[1] if ranked else 0,
            }
        )
        arrays |= {f"{k}.places": places, f"{k}.y": in_smallest_type(file.y)}
        if ranked:
            arrays |= {f"{k}.{name}": values for name, values in _by_nearest(model.failures[k]).items()}
    data: PointsData = {"files": files, "theme": display.theme, "palette": palette()}
    return Component("points", data, arrays)


def answer(model: Model, asked: Mapping[str, str]) -> tuple[RowsAnswer, dict[str, np.ndarray]]:
    """The nearest rows of the row ``near``, or the images of the rows ``images``, of a file by its number.

    LookupError or ValueError for what is not there.
    """
    scored = model.files[int(asked["file"])]
    if "near" in asked:
        rows, cosines = scored.nearest_to(_row(scored, asked["near"]))
        return {"near": rows.tolist(), "cosines": cosines.tolist()}, {}
    if scored.file.images is None:
        raise LookupError("the file has no images")
    shown = [_row(scored, text) for text in asked["images"].split(",")[:MOST_IMAGES]]
    return {}, {"images": scored.file.images[shown]}


def _row(scored: Scored, text: str) -> int:
    row = int(text)
    if not 0 <= row < len(scored.file.y):
        raise LookupError(f"row {row} of {len(scored.file.y)}")
    return row


def _by_nearest(found: Failures) -> dict[str, np.ndarray]:
    """For each row how many of its nearest are of its class, and 1 + the class that it looks like."""
    scored, rows = found.scored, found.scored.nearest.queries
    right, looks = np.full(len(scored.file.y), NO_QUERY, np.uint8), np.zeros(len(scored.file.y), np.int64)
    right[rows] = found.right_near
    suspects, classes, _ = found.suspects
    looks[rows[suspects]] = classes + 1
    return {"right": right, "looks": in_smallest_type(looks)}
