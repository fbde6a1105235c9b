"""The triangle of anchor, positive and negative in its own plane, exact in any dimension, and what both losses do to its points.

Letters: x_c is the middle of x_a x_p; the perpendicular to x_n x_c meets the circle around x_c through x_a and x_p at two points,
of which x_m is the one nearer to the sphere's centre; n' is the angle at x_n between x_c and x_m. Plane coordinates have x_c in
the middle, x_a to the left, x_p to the right and x_n above.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from dml_viz.analysis import LossResponse, response_to
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.sphere import tangent
from dml_viz.losses import Loss
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet

PushOrigin = Literal["middle", "anchor", "positive", "bisector"]
LABELS = torch.tensor((0, 0, 1))  # of anchor, positive and negative
SMALLEST = 1e-9  # a vector shorter than this has no direction
TIE = 1e-12  # a smaller violation is a rounding error


@dataclass(frozen=True)
class Triangle:
    """Anchor, positive and negative as unit rows (3, d), d at least 2."""

    rows: np.ndarray

    @cached_property
    def centre(self) -> np.ndarray:
        """The middle x_c (d,) of anchor and positive."""
        return np.asarray(self.rows[:2].mean(0))

    @cached_property
    def plane(self) -> np.ndarray:
        """Two orthonormal directions (d, 2) of the triangle's plane: from x_a to x_p, and from there to the side of x_n.

        Points that coincide or lie on a line have many planes, of which this is one.
        """
        a, p, n = self.rows
        basis: list[np.ndarray] = []
        for direction in (p - a, n - self.centre, self.centre, *np.eye(3, self.rows.shape[1])):
            # Two passes: one leaves rounding errors that matter for nearly parallel directions.
            for _ in range(2):
                direction = direction - sum((direction @ other * other for other in basis), np.zeros_like(direction))
            length = float(np.linalg.norm(direction))
            if length > SMALLEST:
                basis.append(direction / length)
        return np.stack(basis[:2], 1)

    def in_plane(self, vectors: np.ndarray) -> np.ndarray:
        """The coordinates in the plane (..., 2) of vectors (..., d)."""
        return np.asarray(vectors @ self.plane)

    @cached_property
    def corners(self) -> np.ndarray:
        """Coordinates (3, 2) of x_a, x_p and x_n in the triangle's plane, with x_c at (0, 0)."""
        return self.in_plane(self.rows - self.centre)

    @cached_property
    def radius(self) -> float:
        """Half of |x_a - x_p|: the radius of the circle around x_c."""
        return float(np.linalg.norm(self.rows[1] - self.rows[0])) / 2

    @cached_property
    def distance_to_negative(self) -> float:
        """The distance |x_n - x_c| of the negative from the middle of the pair."""
        return float(np.linalg.norm(self.rows[2] - self.centre))

    @property
    def is_one_point(self) -> bool:
        """Whether the three points coincide, so that there is no angle."""
        return max(self.radius, self.distance_to_negative) < SMALLEST

    @cached_property
    def angle(self) -> float:
        """The angle n' in degrees, from 0 to 90: 0 if anchor and positive coincide, NaN if all three do."""
        return math.nan if self.is_one_point else math.degrees(math.atan2(self.radius, self.distance_to_negative))

    def push_origin(self, of: PushOrigin) -> np.ndarray:
        """The point (2,) of side x_a x_p from which x_n is pushed: an end, x_c, or the foot of the bisector at x_n."""
        a, p, n = self.corners
        near, far = float(np.linalg.norm(n - a)), float(np.linalg.norm(n - p))
        foot = (far * a + near * p) / max(near + far, SMALLEST)
        return np.asarray({"middle": np.zeros(2), "anchor": a, "positive": p, "bisector": foot}[of])

    @cached_property
    def x_m(self) -> np.ndarray:
        """The point x_m (2,) of the circle around x_c at a right angle to x_n, on the side of the sphere's centre, or of x_p."""
        x, y = self.corners[2] / self.distance_to_negative if self.distance_to_negative else (0.0, 1.0)
        aside = self.radius * np.array((y, -x))
        return aside if float(aside @ self.sphere_section_circle[0]) > -SMALLEST * self.radius else -aside

    def is_within_bound(self, alpha: float) -> bool:
        """Whether n' is at most ``alpha`` degrees up to rounding; true if the three points coincide."""
        return self.is_one_point or self.angle <= alpha + SMALLEST

    def distance_at_angle(self, alpha: float) -> float:
        """The distance from x_c at which n' of a negative is ``alpha`` degrees; it is smaller beyond."""
        return self.radius / math.tan(math.radians(alpha))

    @cached_property
    def sphere_section_circle(self) -> tuple[np.ndarray, float]:
        """Centre (2,) and radius of the circle in which the plane cuts the sphere; it goes through all three points."""
        foot = -self.in_plane(self.centre)
        return foot, math.sqrt(max(1 - float(self.centre @ self.centre) + float(foot @ foot), 0.0))

    @cached_property
    def _axes(self) -> np.ndarray:
        """Unit vectors (2, 2): from the circle's centre towards x_c, or up if the two coincide, and across towards x_p."""
        length = float(np.linalg.norm(self.sphere_section_circle[0]))
        x, y = -self.sphere_section_circle[0] / length if length > SMALLEST else (0.0, 1.0)
        return np.array(((x, y), (y, -x) if y > 0 else (-y, x)))

    def points_on_section_circle(self, degrees: np.ndarray) -> np.ndarray:
        """Places (K, 2) on `sphere_section_circle`, at angles (K,) in degrees from the direction of x_c, positive towards x_p."""
        foot, radius = self.sphere_section_circle
        angles = np.radians(degrees)
        return np.asarray(foot + radius * np.stack((np.cos(angles), np.sin(angles)), -1) @ self._axes)

    @cached_property
    def degrees_on_section_circle(self) -> np.ndarray:
        """The angles (3,) of x_a, x_p and x_n on the circle of `sphere_section_circle`, in degrees in (-180, 180]."""
        x, y = self._axes @ (self.corners - self.sphere_section_circle[0]).T
        return np.asarray(180 - (180 - np.degrees(np.arctan2(y, x))) % 360)

    def scaled_corners(self, scale: float, turn: float) -> np.ndarray:
        """The corners (3, 2) at ``scale`` times their distances from x_c and turned about it by ``turn`` degrees."""
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        return np.asarray(scale * self.corners @ np.array(((c, s), (-s, c))))


def tan_squared(alpha: float) -> float:
    """t = tan^2 alpha, for alpha in degrees."""
    return math.tan(math.radians(alpha)) ** 2


def unless_tied(violation: np.ndarray | float) -> np.ndarray:
    """The violations (any shape) of a hinge, 0 where they are rounding errors."""
    return np.where(np.abs(violation) > TIE, violation, 0.0)


def dropped_constant(loss: Angular) -> float:
    """The violation minus the exponent: 2 - 6 t if the loss drops that constant, else 0."""
    return 2 - 6 * tan_squared(loss.alpha) if loss.form != "hinge" and not loss.constant_kept else 0.0


def loss_of_violation(loss: Angular, violation: np.ndarray) -> np.ndarray:
    """The loss of one triplet with d_ap^2 - 4 t |x_n - x_c|^2 (any shape), written in distances."""
    hinge = loss.form == "hinge"
    return np.asarray(np.maximum(violation, 0) if hinge else np.logaddexp(0, violation - dropped_constant(loss)))


def slope_of_violation(loss: Angular, violation: np.ndarray) -> np.ndarray:
    """The derivative, in [0, 1], of `loss_of_violation`: how much of its full push a triplet gets."""
    hinge = loss.form == "hinge"
    return np.asarray(violation > 0, float) if hinge else 0.5 * (1 + np.tanh((violation - dropped_constant(loss)) / 2))


@dataclass(frozen=True)
class Push:
    """A loss's value and its gradients (3, d) at anchor, positive and negative: as chords, and their parts along the sphere.

    Chords are the gradient of the loss written in squared distances: sums of differences of the three points,
    so they lie in the triangle's plane and add up to 0. However the loss is written, its component along the sphere is the same.
    """

    value: float
    chords: np.ndarray
    tangent: np.ndarray

    def gradients_of_kind(self, arrows: str) -> np.ndarray:
        """The gradients (3, d) of the kind drawn: "chords" or "tangent"."""
        return self.chords if arrows == "chords" else self.tangent


def angular_push(loss: Angular, rows: np.ndarray) -> Push:
    """The push on unit rows (3, d): anchor, positive, negative; the N-pair form is read as in `single_triplet_form`."""
    form = single_triplet_form(loss)
    response = _response(form, rows)
    weights = torch.from_numpy(response.weights)
    tied = form.form == "hinge" and response.value <= TIE
    return _push(response.value, torch.zeros_like(weights) if tied else weights, response.inputs.z)


def triplet_push(loss: Triplet, rows: np.ndarray, *, both: bool) -> Push:
    """The push on unit rows (3, d) of (a, p, n) alone, or of the mean with (p, a, n) where ``both``; mining is left out."""
    response = _response(replace(loss, mining="all", reduction="all"), rows)
    z, pair = response.inputs.z, response.ordered_weights.pair
    assert pair is not None
    value, gradient, anchors = 0.0, torch.zeros_like(pair), (0, 1) if both else (0,)
    for anchor in anchors:
        d2 = (z[anchor] - z).square().sum(1)
        d = d2.tolist() if loss.squared else d2.sqrt().tolist()
        slack = d[1 - anchor] - d[2] + loss.margin
        if slack > TIE:
            value += slack / len(anchors)
            # A row of the pair weights is that anchor's triplets, in the mean over two orders.
            gradient[anchor] = 2 * pair[anchor] / len(anchors)
    return _push(value, gradient + gradient.T, z)


def single_triplet_form(loss: Angular) -> Angular:
    """The form of the loss for a single triplet: the N-pair form, which has no negative there, becomes the logistic one."""
    return replace(loss, form="logistic") if loss.form == "N-pair" else loss


def _response(loss: Loss, rows: np.ndarray) -> LossResponse:
    return response_to(Embeddings(torch.from_numpy(rows), LABELS, ""), loss)


def _push(value: float, weights: Tensor, z: Tensor) -> Push:
    chords = (weights[:, :, None] * (z - z[:, None])).sum(1)  # (3, d)
    return Push(value, chords.numpy(), tangent(chords, z).numpy())
