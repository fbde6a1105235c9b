"""What the page of gradients draws of a model: points and panels as they are seen, in two or three dimensions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dml_viz.analysis import LossResponse
from dml_viz.explain.gradients.figures._panel import Panel, Points

if TYPE_CHECKING:
    from dml_viz.explain.gradients.model import Model

DRAWN_UP_TO = 3
QUARTERS, STEPS = 4, 10  # of a zoom, and of a radius, in which a picture is fitted
MOST = 4.0  # times as large as it is, that a plane is drawn
AMBIENT = "ambient"


@dataclass(frozen=True)
class Fit:
    """Where what is flattened is drawn: ``zoom`` times as far from ``middle`` as it lies in its plane."""

    zoom: float = 1.0
    middle: tuple[float, float] = (0.0, 0.0)

    def of(self, places: np.ndarray) -> np.ndarray:
        """Places (..., 2) of the plane as they are drawn; those of other dimensions stay as they are."""
        return self.zoom * (places - self.middle) if self.zoom > 1 else places


AS_IT_IS = Fit()


def fitting(model: Model, plane: np.ndarray | None) -> Fit:
    """How the points of ``model`` and all proxies fill the picture in ``plane`` (d, 2), in steps that a run seldom takes.

    As they are up to three dimensions, and where they fill it already.
    """
    if model.z.shape[1] <= DRAWN_UP_TO:
        return AS_IT_IS
    proxies = (found.inputs.proxies for found in model.responses.values())
    rows = [model.z, *(own.numpy() for own in proxies if own is not None)]
    places = np.concatenate([drawn(of, plane) for of in rows])
    x, y = (np.round(STEPS * (places.max(0) + places.min(0)) / 2) / STEPS).tolist()
    far = float(np.abs(places - (x, y)).max())
    zoom = math.floor(QUARTERS * min(1 / far, MOST)) / QUARTERS if far else 1.0
    return Fit(zoom, (x, y)) if zoom > 1 else AS_IT_IS


def points_of(model: Model, plane: np.ndarray | None, fit: Fit = AS_IT_IS) -> Points:
    """The points of ``model``, in ``plane`` (d, 2) and as ``fit`` has them where they have more than three dimensions."""
    places = fit.of(drawn(model.z, plane))
    return Points(places, model.y, model.z.shape[1] == 2, fit.zoom, fit.middle)


def panels_of(model: Model, part: str, plane: np.ndarray | None, fit: Fit = AS_IT_IS) -> list[Panel]:
    """A panel for each loss, with arrows along the sphere or, where ``part`` says so, ambient ones."""
    return [_panel(model, name, found, part, plane, fit) for name, found in model.responses.items()]


def _panel(model: Model, name: str, found: LossResponse, part: str, plane: np.ndarray | None, fit: Fit) -> Panel:
    rows = found.raw if part == AMBIENT else found.tangent
    lengths = np.linalg.norm(rows, axis=1) if part == AMBIENT else found.lengths
    rows = np.where(lengths[:, None] > 0, rows, 0)
    flat, whole = drawn(rows, plane), float((rows**2).sum())
    partners, weights = model.partners(name)
    proxies = found.inputs.proxies
    many = 0 if proxies is None else len(proxies)
    return Panel(
        name, model.titles[name], found.value, found.norm, found.active_points, found.active_pairs, found.seconds, found.radial,
        float((flat**2).sum()) / whole if whole else math.nan, flat, lengths, partners, weights,
        one_sided=found.loss.one_sided, stars=None if proxies is None else fit.of(drawn(proxies.numpy(), plane)),
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
