"""A triangle in its own plane: the view, lines, arrows and words that all its drawings share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dml_viz.explain.angular.model import Model
from dml_viz.explain.angular.model_triangle import Push, PushOrigin
from dml_viz.plot.canvas import TO_SCALE, Display
from dml_viz.plot.style import EXACT, FAINT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, arrow_lines, line, marks

ANGULAR, TRIPLET = "#009E73", "#AA4499"
CORNERS = (("x<sub>a</sub>", QUERY, "star"), ("x<sub>p</sub>", POSITIVE, "circle"), ("x<sub>n</sub>", NEGATIVE, "x"))
EDGE_FACTOR = 1.14  # the half side of the square over the radius of what it shows
WIDEST = 2.6  # of the radius of the rest: a larger bound may leave the drawing
AROUND = np.radians(np.arange(0, 361, 3))
HEAD = 7  # pixels of an arrow's head, plus twice the width of its line
AROUND_ALL = 1.3  # the half side over the sphere's radius, for a triangle without size
SMALLEST = 1e-6  # a smaller triangle has no size
LONGEST_ARROW = 0.5  # the longest arrow of both losses, over the half side of the square
ROUNDING = 1e-12
# Samples of lines in a legend, long enough to tell dashes from dots, with spaces that do not break.
SAMPLE = {
    "solid": "━━━",
    "dash": "━\u2002━",
    "dot": "•\u00a0•\u00a0•",
    "dashdot": "━\u00a0·\u00a0━",
    "thin dash": "–\u00a0–\u00a0–",
    "thin dot": "·\u00a0·\u00a0·\u00a0·",
}
TOWARDS_INK = 0.5  # share of ink mixed into colours of words on dark paper, where they are too dim
# The line along which the negative is pushed, and the direction in words.
ALONG = {
    "middle": ("line x<sub>c</sub>x<sub>n</sub>", "from x<sub>c</sub>"),
    "anchor": ("line x<sub>a</sub>x<sub>n</sub>", "from x<sub>a</sub>"),
    "positive": ("line x<sub>p</sub>x<sub>n</sub>", "from x<sub>p</sub>"),
    "bisector": ("bisector at x<sub>n</sub>", "along the bisector"),
}


def angle_words(angle: float) -> str:
    """The angle n' in degrees as words, "undefined" for NaN."""
    return "n′ is undefined" if math.isnan(angle) else f"n′ = {angle:.1f}°"


def colour_of_words(colour: str, theme: str) -> str:
    """The colour (#rrggbb) for words about what is drawn in ``colour``."""
    if theme == "light":
        return colour
    rgb, ink = (np.frombuffer(bytes.fromhex(hex_colour[1:]), np.uint8) for hex_colour in (colour, INK[theme]))
    return "#" + np.rint((1 - TOWARDS_INK) * rgb + TOWARDS_INK * ink).astype(np.uint8).tobytes().hex()


class View(NamedTuple):
    """Middle (2,) and half side of the square that a drawing shows."""

    middle: np.ndarray
    half: float

    def pixels(self, height: float) -> float:
        """Pixels per unit in a panel of ``height`` pixels."""
        return height / (2 * self.half)

    def layout(self, height: int, lines: int) -> dict[str, Any]:
        """Both axes to scale, without ticks, in a figure of ``height`` pixels under a legend of so many ``lines``."""
        (x, y), half = self.middle, self.half
        axis = {**TO_SCALE, "zeroline": False, "showline": False}
        across, up = {**axis, "range": [x - half, x + half]}, {**axis, "range": [y - half, y + half], "scaleanchor": "x"}
        return {"height": height, "margin": {"l": 8, "r": 8, "t": 22 + 18 * lines, "b": 8}, "xaxis": across, "yaxis": up}


def view_of(model: Model, more: Sequence[np.ndarray] = ()) -> View:
    """The square that shows triangle, circle, bound and ``more`` points (K, 2), or the whole sphere if they are one point."""
    triangle = model.triangle
    points = np.concatenate((triangle.corners, triangle.radius * np.array(((-1, -1), (1, 1)))))
    reach = min(model.bound_radius, WIDEST * float(np.ptp(points, axis=0).max()) / 2)
    points = np.concatenate((points, ((-reach, -reach), (reach, reach)), *more))
    low, high = points.min(0), points.max(0)
    side = float((high - low).max()) / 2
    if side > SMALLEST:
        return View((low + high) / 2, EDGE_FACTOR * side)
    middle, radius = triangle.sphere_section_circle
    return View(middle, AROUND_ALL * max(radius, SMALLEST))


@dataclass(frozen=True)
class DrawnPush:
    """The name and colour of a loss, its value, and arrows (3, 2) down its gradients in the plane.

    ``lengths`` (3,) of the gradients are those in the whole space; ``along`` (2,) is the point away from which a chord pushes the
    negative, in the direction ``way`` in words, on the line ``along_name``.
    """

    name: str
    colour: str
    value: float
    arrows: np.ndarray
    lengths: np.ndarray
    along: np.ndarray
    along_name: str
    way: str


def drawn_pushes(model: Model) -> list[DrawnPush]:
    """The pushes of the angular and of the triplet loss on the triangle."""
    triplet, origin = f"Triplet loss{', both orders' * model.settings.both}", model.triplet_pushes_from or "anchor"
    return [
        _drawn(model, "Angular loss", ANGULAR, model.of_angular, "middle"),
        _drawn(model, triplet, TRIPLET, model.of_triplet, origin),
    ]


def _drawn(model: Model, name: str, colour: str, push: Push, origin: PushOrigin) -> DrawnPush:
    gradients = push.gradients_of_kind(model.settings.arrows)
    flat, lengths = model.triangle.in_plane(-gradients), np.linalg.norm(gradients, axis=1)
    lengths[lengths <= ROUNDING] = 0
    return DrawnPush(name, colour, abs(push.value), flat, lengths, model.triangle.push_origin(origin), *ALONG[origin])


def factor_for(model: Model, vectors: np.ndarray) -> float:
    """The factor that makes the longest of the arrows ``vectors`` (..., 2) as long as `LONGEST_ARROW`; 0 without arrows."""
    longest = float(np.linalg.norm(vectors, axis=-1).max())
    return LONGEST_ARROW * view_of(model).half / longest if longest > ROUNDING else 0.0


def path(name: str, points: np.ndarray, colour: str, width: float = 1.5, **more: Any) -> Trace:
    """A trace of the line through points (K, 2)."""
    return line(name, *np.asarray(points, float).T, colour=colour, width=width, **more)


def ring_points(centre: Sequence[float] | np.ndarray, radius: float) -> np.ndarray:
    """Points (121, 2) on a circle, for a line through them."""
    return np.asarray(centre) + radius * np.stack((np.cos(AROUND), np.sin(AROUND)), 1)


def triangle_and_sphere_traces(model: Model, theme: str) -> list[Trace]:
    """The circle in which the plane cuts the sphere, and the triangle's sides; the positive pair is in its colour."""
    a, p, n = model.triangle.corners
    return [
        path("the sphere", ring_points(*model.triangle.sphere_section_circle), EXACT, 1, dash="dash"),
        path("sides", np.array((a, n, p)), FAINT[theme]),
        path("pair", np.array((a, p)), POSITIVE, 2.5),
    ]


def corner_marks(places: np.ndarray, model: Model, display: Display, sizes: tuple[float, float] = (14, 11)) -> list[Trace]:
    """Marks of anchor, positive and negative at ``places`` (3, 2), named on hover; ``sizes`` are of the anchor, of the others."""
    traces = []
    for (x, y), point, (name, colour, symbol) in zip(places, model.settings.roles, CORNERS, strict=True):
        text, hover = [display.who[point]], f"{name} is %{{text}}<extra></extra>"
        size = sizes[symbol != "star"]
        traces.append(marks(name, [x], [y], colour=colour, symbol=symbol, size=size, text=text, hover=hover))
    return traces


def named_corners(places: np.ndarray) -> list[tuple[str, np.ndarray, str]]:
    """Name, point (2,) and colour of anchor, positive and negative at ``places`` (3, 2)."""
    return [(name, corner, colour) for corner, (name, colour, _) in zip(places, CORNERS, strict=True)]


def arrows(name: str, at: np.ndarray, vectors: np.ndarray, colour: str, width: float = 3) -> Trace:
    """Arrows ``vectors`` (K, 2) from their places (K, 2): three points of one line each, tail, tip and a gap."""
    return arrow_lines(name, at, at + vectors, colour=colour, width=width, head=HEAD + 2 * width)
