"""One triangle and the whole batch as the angular and the triplet loss see them; each number is computed when first asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from dml_viz.analysis import response_to
from dml_viz.app.room import NoModelError
from dml_viz.embedding.embeddings import Embeddings, EmbeddingsModel
from dml_viz.embedding.sphere import squared_distances
from dml_viz.explain.angular.model_batch import DIMENSIONS, Batch, batch, random_batch
from dml_viz.explain.angular.model_triangle import SMALLEST, Source, Triangle
from dml_viz.explain.angular.model_triplet import (
    Push,
    angular_at,
    angular_push,
    dropped,
    for_one,
    margin_reach,
    of_violation,
    slack_at,
    slope_of_violation,
    steepness,
    triplet_at,
    triplet_push,
    violation_at,
)
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet

Roles = tuple[int, int, int]
FORMS = (("hinge", False), ("logistic", True), ("logistic", False))
FIRST: Roles = (0, 4, 6)  # of the scene that the page opens with
AROUND = np.linspace(-180, 180, 361)  # degrees
SCALES = np.geomspace(0.25, 4, 65)
EVERY_ONE_ALONE = (
    "Every point is a class of its own: there is no positive pair, so no triangle, no triplet and no gradient. The mean "
    "over none is defined as 0."
)
ANCHOR_ALONE = (
    "The anchor is alone in its class, so it has no positive and there is no triangle. Triplets and pairs simply leave "
    "it out: it is a negative to all others, and nothing pulls it."
)


@dataclass(frozen=True)
class Settings:
    """What the page's controls give: both losses, the triplet's in one or both orders, which arrows, a scale and a turn."""

    angular: Angular = field(default_factory=Angular)
    triplet: Triplet = field(default_factory=lambda: Triplet(mining="all"))
    both: bool = False
    roles: Roles = (0, 1, 2)
    arrows: str = "chords"
    scale: float = 2.0
    turn: float = 30.0
    exact: bool = False  # whether the roles have to be played as they are, not by the nearest points that can
    click: str = ""  # the role that a click on a point of a run gives


class Model(EmbeddingsModel[Settings]):
    """Embeddings with one of their triangles, as both losses see them."""

    @cached_property
    def triangle(self) -> Triangle:
        """The triangle of the three points."""
        return Triangle(self.z[list(self.settings.roles)])

    @property
    def t(self) -> float:
        """tan^2 alpha."""
        return steepness(self.settings.angular.alpha)

    @property
    def for_one(self) -> Angular:
        """The angular loss as it speaks of one triplet."""
        return for_one(self.settings.angular)

    @cached_property
    def violation(self) -> float:
        """d_ap^2 - 4 t |x_n - x_c|^2 of the triangle."""
        return 4 * self.triangle.radius**2 - 4 * self.t * self.triangle.reach**2

    @property
    def constant(self) -> float:
        """What the exponent leaves out of the violation."""
        return dropped(self.for_one)

    @property
    def both_active(self) -> bool:
        """Whether (a, p, n) and (p, a, n) are both within the triplet loss's margin."""
        return all(self._active(anchor) for anchor in (0, 1))

    @property
    def triplet_from(self) -> Source | None:
        """From where the triplet loss pushes the negative; None where it does not.

        Of two active orders, squared distances push from the pair's middle, plain ones along the bisector of the angle a n p.
        """
        if self.triangle.point:
            return None
        if self.settings.both and self.both_active:
            return "middle" if self.settings.triplet.squared else "bisector"
        if self._active(0):
            return "anchor"
        return "positive" if self.settings.both and self._active(1) else None

    def _active(self, anchor: int) -> bool:
        return float(slack_at(self.settings.triplet, self.triangle, self.triangle.corners[2], anchor)) > 0

    @cached_property
    def of_angular(self) -> Push:
        """What the angular loss asks of the three points."""
        return angular_push(self.settings.angular, self.triangle.rows)

    @cached_property
    def of_triplet(self) -> Push:
        """What the triplet loss asks of the three points."""
        return triplet_push(self.settings.triplet, self.triangle.rows, both=self.settings.both)

    def loss_at(self, name: str, places: np.ndarray) -> np.ndarray:
        """The "angular" or the "triplet" loss with the negative at plane coordinates (..., 2)."""
        if name == "angular":
            return angular_at(self.for_one, self.triangle, places)
        return triplet_at(self.settings.triplet, self.triangle, places, both=self.settings.both)

    @property
    def margin_reach(self) -> float:
        """How far from the anchor a negative has to be for the triplet to cost nothing."""
        return margin_reach(self.settings.triplet, self.triangle)

    @cached_property
    def moved(self) -> np.ndarray:
        """The corners (3, 2) of the triangle's copy."""
        return self.triangle.moved(self.settings.scale, self.settings.turn)

    @cached_property
    def against_scale(self) -> np.ndarray:
        """Rows scale, n' in degrees, angular violation and triplet's (4, K + 1) over `SCALES`; the last column is the copy's."""
        scales, negative = np.append(SCALES, self.settings.scale), self.triangle.corners[2]
        angles = [angle_of(self.triangle.moved(scale, self.settings.turn)) for scale in scales]
        violations = [float(violation_at(self.for_one, self.triangle, negative, scale)) for scale in scales]
        slacks = [float(slack_at(self.settings.triplet, self.triangle, negative, scale=scale)) for scale in scales]
        return np.array((scales, angles, violations, slacks))

    @cached_property
    def violations(self) -> np.ndarray:
        """The violations (K,) over which the forms of the loss are drawn."""
        lowest = max(float(self.batch.violations[0]), min(-8.0, 2 - 6 * self.t - 5))
        return np.unique(np.append(np.linspace(lowest, 4.2, 300), (0.0, 1e-9)))

    @cached_property
    def forms(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Loss and slope (K,) of each of `FORMS` at `violations`."""
        losses = (
            replace(self.settings.angular, form=form, constant_kept=constant_kept) for form, constant_kept in FORMS
        )
        return tuple(
            (of_violation(loss, self.violations), slope_of_violation(loss, self.violations)) for loss in losses
        )

    @property
    def form(self) -> int:
        """The place in `FORMS` of the form that the knobs select."""
        return FORMS.index((self.for_one.form, self.settings.angular.constant_kept and self.for_one.form == "logistic"))

    @cached_property
    def batches(self) -> dict[str, Batch]:
        """The batch and, for comparison, random ones of several dimensions, by name."""
        random = {
            f"random, d = {dim}": random_batch(dim, self.settings.angular, self.settings.triplet) for dim in DIMENSIONS
        }
        return {f"these {len(self.y)} points, d = {self.z.shape[1]}": self.batch, **random}

    @cached_property
    def batch(self) -> Batch:
        """All triangles."""
        return batch(self.embeddings.d2.numpy(), self.y, self.settings.angular, self.settings.triplet)

    @cached_property
    def pushed(self) -> tuple[float, ...]:
        """Of the hinge, of the logistic form with its constant and of that without: the mean share of the full push, in [0, 1].

        For the hinge that is the share of active triplets; for the logistic form the mean over positive pairs of
        sum e^f / (1 + sum e^f).
        """
        shares = []
        for form, constant_kept in FORMS:
            loss = replace(self.settings.angular, form=form, constant_kept=constant_kept)
            pair = response_to(self.embeddings, loss).ordered.pair
            assert pair is not None
            same = self.embeddings.y[:, None] == self.embeddings.y
            shares.append(abs(float(pair[same].clamp(max=0).sum())) / (2 * (1 + self.t)))
        return tuple(shares)


def model(embeddings: Embeddings, settings: Settings) -> Model:
    """The model of a batch; `NoModelError` where it has no triangle, or where nobody can play the settings' exact roles."""
    roles = settled(embeddings.y.numpy(), settings.roles)
    if roles is None or (settings.exact and roles != settings.roles):
        labels = embeddings.y.tolist()
        raise NoModelError(EVERY_ONE_ALONE if len(set(labels)) == len(labels) else ANCHOR_ALONE)
    return Model(embeddings, replace(settings, roles=roles))


def angle_of(corners: np.ndarray) -> float:
    """n' in degrees of corners (3, 2), from the corners alone; NaN where all are one point."""
    a, p, n = corners
    half, reach = float(np.linalg.norm(a - p)) / 2, float(np.linalg.norm(n - (a + p) / 2))
    return math.degrees(math.atan2(half, reach)) if max(half, reach) > SMALLEST else math.nan


def worst(embeddings: Embeddings, anchor: int, alpha: float) -> Roles:
    """The triangle of an ``anchor``, which has a positive and a negative, that breaks the bound by most."""
    own = embeddings.y == embeddings.y[anchor]
    negatives = (~own).nonzero()[:, 0]
    own[anchor] = False
    positives, t = own.nonzero()[:, 0], steepness(alpha)
    z, pairs = embeddings.z, embeddings.z[positives]
    within, near = (squared_distances(z[anchor : anchor + 1], z[to])[0] for to in (positives, negatives))
    far = squared_distances(pairs, z[negatives])
    violation = (1 + t) * within[:, None] - 2 * t * (near + far)  # (P, Q)
    positive, negative = divmod(int(violation.argmax()), len(negatives))
    return anchor, int(positives[positive]), int(negatives[negative])


def settled(y: np.ndarray, wanted: Roles) -> Roles | None:
    """The roles (anchor, positive, negative) among points with labels y (N,) that are nearest to those wanted.

    Whoever cannot play a part is replaced by the next point that can, past the end from the first on; None where the batch
    has no triplet at all.
    """
    count, (anchor, positive, negative) = len(y), wanted
    same = y[:, None] == y
    asks = (same.sum(1) > 1) & (same.sum(1) < count)
    if not asks.any():
        return None
    anchor = _next(asks, anchor)
    return anchor, _next(same[anchor] & (np.arange(count) != anchor), positive), _next(~same[anchor], negative)


def _next(able: np.ndarray, wanted: int) -> int:
    """The first of those ``able`` (N,) from place ``wanted`` on."""
    places = np.flatnonzero(able)
    return int(places[np.searchsorted(places, wanted) % len(places)])
