"""What the page of gradients draws of a look: points and panels as the eye sees them, in two or three dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dml_viz.figures.gradients_panel import Panel, Points
from dml_viz.gradients_anatomy.felt import Felt
from dml_viz.gradients_anatomy.look import Look

DRAWN_UP_TO = 3
AMBIENT = "ambient"


def points_of(look: Look, names: Sequence[str], plane: np.ndarray | None) -> Points:
    """The points of ``look``, in ``plane`` (d, 2) where they have more than three dimensions."""
    return Points(drawn(look.z.numpy(), plane), look.y.numpy(), names, circle=look.z.shape[1] == 2)


def panels_of(look: Look, part: str, plane: np.ndarray | None) -> list[Panel]:
    """A panel for each loss, with arrows along the sphere or, where ``part`` says so, ambient ones."""
    return [_panel(look, name, found, part, plane) for name, found in look.felt.items()]


def _panel(look: Look, name: str, found: Felt, part: str, plane: np.ndarray | None) -> Panel:
    rows = found.ambient if part == AMBIENT else found.along
    lengths = np.linalg.norm(rows, axis=1) if part == AMBIENT else found.lengths
    rows = np.where(lengths[:, None] > 0, rows, 0)
    flat, whole = drawn(rows, plane), float((rows**2).sum())
    partners, weights = look.partners(name)
    proxies = found.stood.proxies if found.of_proxies else None
    many = 0 if proxies is None else len(proxies)
    return Panel(
        name, type(found.loss).title, found.value, found.norm, found.points, found.pairs, found.seconds, found.radial,
        float((flat**2).sum()) / whole if whole else math.nan, flat, lengths, partners, weights,
        one_sided=found.loss.one_sided, stars=None if proxies is None else drawn(proxies.numpy(), plane),
        owners=np.arange(many) // found.loss.per_class, note=found.stood.note,
    )  # fmt: skip


def drawn(rows: np.ndarray, plane: np.ndarray | None) -> np.ndarray:
    """Rows (..., d) as they are drawn: up to d = 3 as they are, else in ``plane`` (d, 2); ValueError where there is none."""
    dim = rows.shape[-1]
    if dim <= DRAWN_UP_TO:
        return rows
    if plane is None:
        raise ValueError(f"rows have {dim} dimensions; pass a plane ({dim}, 2)")
    return rows @ plane
