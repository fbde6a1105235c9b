"""What the page of gradients draws of a model: points, panels, and how long their arrows are."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dml_viz.analysis import ACTIVE
from dml_viz.explain.gradients.figures._panel import Panel, Points
from dml_viz.explain.gradients.figures.paper import LONGEST

if TYPE_CHECKING:
    from dml_viz.explain.gradients.model import Model

DRAWN_UP_TO = 3
QUARTERS, STEPS = 4, 10  # of a zoom, and of a radius, in which a picture is fitted
MOST = 4.0  # times as large as it is, that a plane is drawn
AMBIENT = "ambient"
RAW, UNIT_MEAN = "raw", "unit mean"
SCALES = (UNIT_MEAN, RAW)
# How long the mean arrow is at most and at least, for up to so many points.
MEANS = ((24, 0.28, 0.14), (70, 0.2, 0.12), (1 << 30, 0.11, 0.08))


def points_of(model: "Model") -> Points:
    """The points as they are drawn: above three dimensions in the plane, enlarged so that they and all proxies fill the picture.

    The enlargement changes in steps, which a run seldom takes.
    """
    plane, circle = model.embeddings.plane, model.z.shape[1] == 2
    places = drawn(model.z, plane)
    if model.z.shape[1] <= DRAWN_UP_TO:
        return Points(places, model.y, circle)
    proxies = (found.inputs.proxies for found in model.responses.values())
    every = np.concatenate([places, *(drawn(own.numpy(), plane) for own in proxies if own is not None)])
    x, y = (np.round(STEPS * (every.max(0) + every.min(0)) / 2) / STEPS).tolist()
    far = float(np.abs(every - (x, y)).max())
    zoom = math.floor(QUARTERS * min(1 / far, MOST)) / QUARTERS if far else 1.0
    points = Points(places, model.y, circle, zoom, (x, y)) if zoom > 1 else Points(places, model.y, circle)
    return replace(points, places=points.enlarged(places))


def panel(model: "Model", name: str) -> Panel:
    """The panel of the loss ``name``, with arrows along the sphere or, where the settings say so, ambient ones."""
    found, plane = model.responses[name], model.embeddings.plane
    ambient = model.settings.part == AMBIENT
    rows = found.raw if ambient else found.tangent
    lengths = np.linalg.norm(rows, axis=1) if ambient else found.lengths
    rows = np.where(lengths[:, None] > 0, rows, 0)
    flat, whole = drawn(rows, plane), float((rows**2).sum())
    partners, weights = model.partners(name)
    proxies = found.inputs.proxies
    many = 0 if proxies is None else len(proxies)
    return Panel(
        name, model.titles[name], found.value, found.norm, found.active_points, found.active_pairs, found.seconds, found.radial,
        float((flat**2).sum()) / whole if whole else math.nan, flat, lengths, partners, weights,
        one_sided=found.loss.one_sided, proxies=None if proxies is None else model.points.enlarged(drawn(proxies.numpy(), plane)),
        owners=np.arange(many) // found.loss.per_class, note=found.inputs.note,
    )  # fmt: skip


def drawn(rows: np.ndarray, plane: np.ndarray | None) -> np.ndarray:
    """Rows (..., d) as they are drawn: up to d = 3 as they are, else in ``plane`` (d, 2); ValueError where there is none."""
    dim = rows.shape[-1]
    if dim <= DRAWN_UP_TO:
        return rows
    if plane is None:
        raise ValueError(f"rows have {dim} dimensions; pass a plane ({dim}, 2)")
    return rows @ plane


def factors(lengths: Sequence[np.ndarray], scale: str) -> list[float]:
    """What to multiply each loss's arrows by, given their lengths (N,); 0 for a loss without any.

    `RAW` has one factor for all, by which the longest of all arrows is `LONGEST` radii. `UNIT_MEAN` makes the mean arrow of each
    loss equally long, over the points that it moves.
    """
    if scale == RAW:
        longest = max((float(own.max(initial=0)) for own in lengths), default=0.0)
        return [LONGEST / longest if own.max(initial=0) > 0 else 0.0 for own in lengths]
    means = [mean_length(own) for own in lengths]
    worst = max((float(own.max()) / mean for own, mean in zip(lengths, means, strict=True) if mean), default=1.0)
    many = max(map(len, lengths), default=0)
    usual, least = next((usual, least) for most, usual, least in MEANS if many <= most)
    wanted = max(least, min(usual, LONGEST / worst))
    return [wanted / mean if mean else 0.0 for mean in means]


def mean_length(lengths: np.ndarray) -> float:
    """The mean of lengths (N,) over the active points, 0 where there is none."""
    moved = lengths[lengths > ACTIVE * lengths.max(initial=0)]
    return float(moved.mean()) if len(moved) else 0.0
