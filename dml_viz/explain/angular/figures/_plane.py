"""A triangle in its own plane: what every drawing of it shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dml_viz.plot.display import Display
from dml_viz.plot.style import EXACT, FAINT, NEGATIVE, POSITIVE, QUERY

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model

ANGULAR, TRIPLET = "#009E73", "#AA4499"
CORNERS = (("x<sub>a</sub>", QUERY, "star"), ("x<sub>p</sub>", POSITIVE, "circle"), ("x<sub>n</sub>", NEGATIVE, "x"))
ROOM = 1.14  # of what is drawn, to the edge
WIDEST = 2.6  # of the rest, from where the bound may leave the drawing
AROUND = np.radians(np.arange(0, 361, 3))
HEAD = 7  # pixels of an arrow's head, and twice the width of its line more
AROUND_ALL = 1.3  # of the sphere, to the edge, where a triangle has no size
SMALLEST = 1e-6  # a triangle of less than this has no size


class Frame(NamedTuple):
    """Middle (2,) and half side of the square that a drawing shows."""

    middle: np.ndarray
    half: float

    def pixels(self, height: float) -> float:
        """Pixels per unit in a panel of ``height`` pixels."""
        return height / (2 * self.half)

    @property
    def axes(self) -> dict[str, Any]:
        """Both axes to scale, without ticks."""
        (x, y), half = self.middle, self.half
        axis = {"showgrid": False, "showticklabels": False, "ticks": "", "zeroline": False, "showline": False}
        return {
            "xaxis": {**axis, "range": [x - half, x + half]},
            "yaxis": {**axis, "range": [y - half, y + half], "scaleanchor": "x"},
        }


class Plane(NamedTuple):
    """Corners x_a, x_p and x_n (3, 2) and x_m (2,), with x_c at the origin, and the names (3,) of the corners.

    Around x_c are the circle of ``radius`` and that of ``bound``, outside which n' is small enough; ``cut`` is the centre (2,)
    and the radius of the circle in which the plane cuts the sphere.
    """

    corners: np.ndarray
    touch: np.ndarray
    radius: float
    bound: float
    cut: tuple[np.ndarray, float]
    who: Sequence[str]

    def frame(self, more: Sequence[np.ndarray] = ()) -> Frame:
        """The square that shows triangle, circle, bound and ``more`` points (K, 2), or the whole sphere if they are one point."""
        circle = self.radius * np.array(((-1, -1), (1, 1)))
        points = np.concatenate((self.corners, circle))
        reach = min(self.bound, WIDEST * float(np.ptp(points, axis=0).max()) / 2)
        points = np.concatenate((points, ((-reach, -reach), (reach, reach)), *more))
        low, high = points.min(0), points.max(0)
        side = float((high - low).max()) / 2
        if side > SMALLEST:
            return Frame((low + high) / 2, ROOM * side)
        middle, radius = self.cut
        return Frame(middle, AROUND_ALL * max(radius, SMALLEST))


def plane_of(model: Model, display: Display) -> Plane:
    """The plane of the model's triangle."""
    triangle, who = model.triangle, display.who
    names = [who[k] for k in model.settings.roles]
    return Plane(
        triangle.corners,
        triangle.touch,
        triangle.radius,
        triangle.bound(model.settings.angular.alpha),
        triangle.cut,
        names,
    )


def line(name: str, points: np.ndarray, colour: str, **more: Any) -> dict[str, Any]:
    """A line through points (K, 2)."""
    x, y = np.asarray(points, float).T
    fill: dict[str, Any] = {key: more.pop(key) for key in ("fill", "fillcolor") if key in more}
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": {"color": colour, "width": 1.5, **more},
            "hoverinfo": "skip", **fill}  # fmt: skip


def ring(centre: Sequence[float] | np.ndarray, radius: float) -> np.ndarray:
    """A circle (121, 2)."""
    return np.asarray(centre) + radius * np.stack((np.cos(AROUND), np.sin(AROUND)), 1)


def sides(plane: Plane, theme: str) -> list[dict[str, Any]]:
    """The sphere's cut and the triangle's sides, the pair's in the colour of positives."""
    a, p, n = plane.corners
    return [
        line("the sphere", ring(*plane.cut), EXACT, dash="dash", width=1),
        line("sides", np.array((a, n, p)), FAINT[theme]),
        line("pair", np.array((a, p)), POSITIVE, width=2.5),
    ]


def marks(plane: Plane) -> list[dict[str, Any]]:
    """The three corners, each with its name for the hand."""
    return [
        {
            "type": "scatter", "mode": "markers", "name": name, "x": corner[:1], "y": corner[1:], "text": [who],
            "marker": {"color": colour, "symbol": symbol, "size": 14 if symbol == "star" else 11},
            "hovertemplate": f"{name} is %{{text}}<extra></extra>",
        }
        for corner, who, (name, colour, symbol) in zip(plane.corners, plane.who, CORNERS, strict=True)
    ]  # fmt: skip


def head_room(lines: int) -> dict[str, int]:
    """The margin of a drawing under a legend of so many ``lines``."""
    return {"l": 8, "r": 8, "t": 22 + 18 * lines, "b": 8}


def arrows(name: str, at: np.ndarray, vectors: np.ndarray, colour: str, width: float = 3) -> dict[str, Any]:
    """Arrows ``vectors`` (K, 2) from their places (K, 2): each is three points of the line, tail, tip and a gap."""
    # A line with a head, as Plotly draws its own arrows below contours.
    x, y = np.stack((at, at + vectors, np.full_like(at, np.nan)), 1).reshape(-1, 2).T
    heads = np.tile((0, HEAD + 2 * width, 0), len(at)) * np.repeat(np.linalg.norm(vectors, axis=1) > 0, 3)
    return {
        "type": "scatter", "mode": "lines+markers", "name": name, "x": x, "y": y, "line": {"color": colour, "width": width},
        "marker": {"color": colour, "symbol": "arrow", "angleref": "previous", "size": heads, "opacity": 1, "line": {"width": 0}},
        "hoverinfo": "skip",
    }  # fmt: skip
