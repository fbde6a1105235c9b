"""Points with arrows, edges and rings on a disc: a circle, one side of a sphere, or a plane of more dimensions."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dml_viz.plot.canvas import TO_SCALE
from dml_viz.plot.projection import Flat
from dml_viz.plot.style import CROWD, FAINT, class_style
from dml_viz.plot.traces import TEXT, Edge, Trace, circle_shape, marks, quiver

LONGEST_ARROW = 0.42  # of an arrow as drawn, in units of the sphere's radius
FEW_CLASSES = 10
BEHIND = 0.3  # opacity of points on the far side of the sphere
WHOLE = 0.9995  # a share from here on reads as 100 %


class Group(NamedTuple):
    """Points with one colour and symbol, or one for each; ``members`` (N,) bool says which of all points they are."""

    name: str
    colour: Any
    symbol: Any
    members: np.ndarray


def by_class(y: np.ndarray, names: Sequence[str]) -> list[Group]:
    """A group of points for each of the labels y (N,); ``names`` (C,) are the classes' names."""
    return [Group(names[c], *class_style(c), y == c) for c in sorted(set(y.tolist()))]


def points_by_class(flat: Flat, y: np.ndarray, names: Sequence[str], hover: Sequence[str], **look: Any) -> list[Trace]:
    """Traces of all points in the styles of their labels y (N,), as `points`: one for each of a few classes, or one in all.

    Plotly takes as long for a trace as for many points.
    """
    groups = by_class(y, names)
    if len(groups) > FEW_CLASSES:
        colours, symbols = zip(*(class_style(c) for c in y.tolist()), strict=True)
        groups = [Group("classes", colours, symbols, np.ones(len(y), bool))]
    return [points(flat, group, hover, **look) for group in groups]


def points(
    flat: Flat,
    group: Group,
    hover: Sequence[str],
    *,
    size: Any = None,
    sizes: tuple[float, float] = (10, 6),
    opacity: float = 0.95,
    behind: float = BEHIND,
    edge: Edge = (0, None),
) -> Trace:
    """A trace of the points of ``group``, each with its index among all N as customdata; ``hover`` (N,) has each point's text.

    ``sizes`` are for few points and for a crowd. Points on the far side have opacity ``behind``.
    """
    at = np.flatnonzero(group.members)
    faint = np.where(flat.behind[at], behind, opacity) if flat.behind.any() else opacity
    look: Trace = {"colour": group.colour, "symbol": group.symbol, "opacity": faint, "edge": edge}
    (x, y), size, text = flat.places[at].T, size or sizes[len(flat.places) > CROWD], [hover[k] for k in at.tolist()]
    return marks(group.name, x, y, size=size, **look, hover=TEXT, customdata=at, text=text)


def arrows(
    flat: Flat,
    factor: Any,
    colour: str,
    at: np.ndarray | None = None,
    *,
    name: str = "arrows",
    widths: tuple[float, float] = (2, 1),
) -> Trace:
    """Arrows times ``factor``, a number or one for each point (N,), at the points ``at`` (K,), by default at all with an arrow.

    ``widths`` are for few points and for a crowd.
    """
    at = np.flatnonzero(flat.lengths > 0) if at is None else at
    vectors = np.broadcast_to(factor, len(flat.places))[at, None] * flat.arrows[at]
    return quiver(name, flat.places[at], vectors, colour, widths[len(flat.places) > CROWD], at)


def factor_for(lengths: np.ndarray, longest: float = LONGEST_ARROW) -> float:
    """The factor by which the longest of ``lengths`` becomes ``longest``; 0 if all are 0."""
    largest = float(lengths.max(initial=0))
    return longest / largest if largest else 0.0


def rings(name: str, places: np.ndarray, size: Any, colour: str, width: float = 3, **more: Any) -> Trace:
    """A trace of rings around ``places`` (K, 2)."""
    return marks(name, *places.T, colour=colour, symbol="circle-open", size=size, edge=(width, None), **more)


def bundles(curves: np.ndarray, *by: np.ndarray) -> Iterator[tuple[tuple[Any, ...], np.ndarray, np.ndarray]]:
    """Yield the curves (E, m, 2) of each combination of ``by`` (E,): its values, and x and y with gaps between the curves."""
    gapped = np.pad(curves, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan)
    for values in sorted(set(zip(*(column.tolist() for column in by), strict=True))):
        alike = np.all([column == value for column, value in zip(by, values, strict=True)], axis=0)
        x, y = gapped[alike].reshape(-1, 2).T
        yield values, x, y


def layout(height: int, margin: dict[str, int], reach: float, theme: str, **more: Any) -> dict[str, Any]:
    """The layout of a square with the unit circle, ``reach`` radii from its centre to a side, without ticks."""
    axis = {**TO_SCALE, "range": [-reach, reach]}
    return {
        "height": height,
        "margin": margin,
        "xaxis": axis,
        "yaxis": {**axis, "scaleanchor": "x"},
        "shapes": [circle_shape((0, 0), 1, FAINT[theme])],
        **more,
    }


def share_shown(flat: Flat, what: str = "the gradient") -> list[str]:
    """A sentence on the share of the arrows' squared length that the drawing shows; empty if it shows all."""
    return [f"{flat.view} shows {flat.shown_in_all:.0%} of {what}"] if flat.shown_in_all < WHOLE else []
