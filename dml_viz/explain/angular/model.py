"""One triangle and the whole batch under the angular and the triplet loss; each number is computed when first asked for."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from dml_viz.analysis import response_to
from dml_viz.embedding.embeddings import Embeddings, EmbeddingsModel
from dml_viz.explain.angular.model_batch import (
    DIMENSIONS,
    Fan,
    PositivePairs,
    TriangleCounts,
    pair_fan,
    positive_pairs,
    random_counts,
    triangle_counts,
)
from dml_viz.explain.angular.model_triangle import (
    SMALLEST,
    Push,
    PushOrigin,
    Triangle,
    angular_push,
    loss_of_violation,
    single_triplet_form,
    slope_of_violation,
    tan_squared,
    triplet_push,
    unless_tied,
)
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet
from dml_viz.room.room import NoModelError

Roles = tuple[int, int, int]
FORMS = (("hinge", False), ("logistic", True), ("logistic", False))
FIRST: Roles = (0, 4, 6)  # in the scene with which the page opens
SCALES = np.geomspace(0.25, 4, 65)
ANCHOR_ALONE = (
    "The anchor is alone in its class: it has no positive, so there is no triangle, no triplet and no gradient. It is a "
    "negative to all others. A mean over no triplet is defined as 0."
)
ONE_CLASS = (
    "All points are of one class: there is no negative, so there is no triangle, no triplet and no gradient. A mean over no "
    "triplet is defined as 0."
)


@dataclass(frozen=True)
class Settings:
    """The settings of the page: both losses, the orders of the triplet loss, the arrows drawn, and scale and turn of the copy."""

    angular: Angular = field(default_factory=Angular)
    triplet: Triplet = field(default_factory=lambda: Triplet(mining="all"))
    both: bool = False
    roles: Roles = (0, 1, 2)
    arrows: str = "chords"
    scale: float = 2.0
    turn: float = 30.0
    exact: bool = False  # whether impossible roles are an error, not replaced by the nearest possible ones
    click: str = ""  # the role given by a click on a point of a run


class Model(EmbeddingsModel[Settings]):
    """Embeddings with one triangle of anchor, positive and negative under both losses; ``t`` is tan^2 alpha."""

    @cached_property
    def triangle(self) -> Triangle:
        return Triangle(self.z[list(self.settings.roles)])

    @property
    def t(self) -> float:
        return tan_squared(self.settings.angular.alpha)

    @property
    def single_triplet_form(self) -> Angular:
        return single_triplet_form(self.settings.angular)

    @cached_property
    def of_angular(self) -> Push:
        return angular_push(self.settings.angular, self.triangle.rows)

    @cached_property
    def of_triplet(self) -> Push:
        return triplet_push(self.settings.triplet, self.triangle.rows, both=self.settings.both)

    def violation_at(self, places: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """d_ap^2 - 4 t |x_n - x_c|^2 with the negative at plane coordinates (..., 2), the triangle ``scale`` times as large."""
        return unless_tied(scale**2 * (4 * self.triangle.radius**2 - 4 * self.t * (places**2).sum(-1)))

    def slack_at(self, places: np.ndarray, anchor: int = 0, scale: float = 1.0) -> np.ndarray:
        """d_ap - d_an + m, squared distances where the loss squares, with corner ``anchor`` (0 or 1) for the anchor."""
        loss = self.settings.triplet
        far = np.linalg.norm(places - self.triangle.corners[anchor], axis=-1)
        power = 2 if loss.squared else 1
        return unless_tied((scale * 2 * self.triangle.radius) ** power - (scale * far) ** power + loss.margin)

    def loss_at(self, name: str, places: np.ndarray) -> np.ndarray:
        """The "angular" or the "triplet" loss, as the settings say, with the negative at plane coordinates (..., 2)."""
        if name == "angular":
            return loss_of_violation(self.single_triplet_form, self.violation_at(places))
        return np.asarray(np.mean([np.maximum(self.slack_at(places, anchor), 0) for anchor in self._orders], axis=0))

    @property
    def _orders(self) -> tuple[int, ...]:
        return (0, 1) if self.settings.both else (0,)

    @property
    def violation(self) -> float:
        """d_ap^2 - 4 t |x_n - x_c|^2 of the triangle."""
        return float(self.violation_at(self.triangle.corners[2]))

    @property
    def bound_radius(self) -> float:
        """The radius of the circle around x_c outside which n' is small enough."""
        return self.triangle.distance_at_angle(self.settings.angular.alpha)

    @property
    def triplet_zero_distance(self) -> float:
        """The distance between anchor and negative from which the triplet loss is 0."""
        loss, within = self.settings.triplet, 2 * self.triangle.radius
        return float(np.sqrt(within**2 + loss.margin)) if loss.squared else within + loss.margin

    @property
    def triplet_pushes_from(self) -> PushOrigin | None:
        """The point away from which the triplet loss pushes the negative; None if it does not push.

        Of two active orders, squared distances push from the pair's middle, plain ones along the bisector of the angle a n p.
        An order does not push a negative that is on its anchor.
        """
        n, apart = self.triangle.corners[2], np.linalg.norm(self.triangle.corners[:2] - self.triangle.corners[2], axis=1)
        active = [anchor for anchor in self._orders if apart[anchor] > SMALLEST and self.slack_at(n, anchor) > 0]
        if len(active) == 2:
            return "middle" if self.settings.triplet.squared else "bisector"
        return ("anchor", "positive")[active[0]] if active else None

    @cached_property
    def angle_and_violations_by_scale(self) -> np.ndarray:
        """Rows scale, n' in degrees, angular and triplet violation (4, K + 1) over `SCALES`, with the copy in the last column."""
        scales, negative = np.append(SCALES, self.settings.scale), self.triangle.corners[2]
        angles = [Triangle(self.triangle.scaled_corners(scale, self.settings.turn)).angle for scale in scales]
        violations, slacks = ([at(negative, scale=k) for k in scales] for at in (self.violation_at, self.slack_at))
        return np.array((scales, angles, violations, slacks))

    @cached_property
    def violation_grid(self) -> np.ndarray:
        """The violations (K,), ascending, at which `forms` has the forms of the loss; none need be one of the batch's."""
        lowest = max(float(self.batch.violations[0]), min(-8.0, 2 - 6 * self.t - 5))
        return np.unique(np.append(np.linspace(lowest, 4.2, 300), (0.0, 1e-9)))

    @property
    def _forms(self) -> list[Angular]:
        return [replace(self.settings.angular, form=form, constant_kept=whole) for form, whole in FORMS]

    @cached_property
    def forms(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Loss and slope (K,) of each of `FORMS` at `violation_grid`."""
        at = self.violation_grid
        return [(loss_of_violation(loss, at), slope_of_violation(loss, at)) for loss in self._forms]

    @property
    def form(self) -> int:
        """The index in `FORMS` of the form that the knobs select."""
        return FORMS.index(
            (self.single_triplet_form.form, self.settings.angular.constant_kept and self.single_triplet_form.form == "logistic")
        )

    @cached_property
    def batches(self) -> dict[str, TriangleCounts]:
        """The triangles of this batch and, for comparison, of random batches of several dimensions, by name."""
        both = self.settings.angular, self.settings.triplet
        random = {f"random, d = {dim}": random_counts(dim, *both) for dim in DIMENSIONS}
        return {f"these {len(self.y)} points, d = {self.dim}": self.batch, **random}

    @cached_property
    def fan(self) -> Fan:
        """The anchor and its positive with all their negatives, and the share of the pair's push on each."""
        return pair_fan(self.settings.angular, self.embeddings.d2.numpy(), self.y, *self.settings.roles[:2])

    @cached_property
    def positive_pairs(self) -> PositivePairs:
        """All positive pairs with their lengths and the negatives nearest to their middles."""
        return positive_pairs(self.embeddings.d2.numpy(), self.y)

    @property
    def unsquared_bound_radius(self) -> float:
        """The distance from x_c beyond which code with unsquared distances pushes no negative: there tan n' = 2 tan^2 alpha."""
        return self.triangle.radius / (2 * self.t)

    @cached_property
    def batch(self) -> TriangleCounts:
        """All triangles of the batch: their angles, violations and how many each loss moves."""
        return triangle_counts(self.embeddings.d2.numpy(), self.y, self.settings.angular, self.settings.triplet)

    @cached_property
    def push_share_by_form(self) -> tuple[float, ...]:
        """The mean share of the full push that triangles get, in [0, 1], in each of `FORMS`.

        For the hinge that is the share of active triplets; for the logistic form the mean over positive pairs of
        sum e^f / (1 + sum e^f).
        """
        shares = [self.batch.share]
        for loss in self._forms[1:]:
            pair = response_to(self.embeddings, loss).ordered_weights.pair
            assert pair is not None
            same = self.embeddings.y[:, None] == self.embeddings.y
            shares.append(abs(float(pair[same].clamp(max=0).sum())) / (2 * (1 + self.t)))
        return tuple(shares)


def model(embeddings: Embeddings, settings: Settings) -> Model:
    """The model of a batch; `NoModelError` if it has no triangle, or if the settings' exact roles are impossible."""
    roles = nearest_possible_roles(embeddings.y.numpy(), settings.roles)
    if roles is None or (settings.exact and roles != settings.roles):
        raise NoModelError(ONE_CLASS if len(embeddings.y.unique()) == 1 else ANCHOR_ALONE)
    return Model(embeddings, replace(settings, roles=roles))


def worst_triangle_of_anchor(model: Model) -> Roles:
    """The roles of the triangle with the largest violation of the bound among those of the model's anchor."""
    anchor, y, d2 = model.settings.roles[0], model.y, model.embeddings.d2.numpy()
    positives = np.flatnonzero((y == y[anchor]) & (np.arange(len(y)) != anchor))
    others = np.flatnonzero(y != y[anchor])
    negatives = d2[anchor, others] + d2[np.ix_(positives, others)]  # (P, Q)
    violation = (1 + model.t) * d2[anchor, positives, None] - 2 * model.t * negatives
    positive, negative = divmod(int(violation.argmax()), len(others))
    return anchor, int(positives[positive]), int(others[negative])


def nearest_possible_roles(y: np.ndarray, roles: Roles) -> Roles | None:
    """The roles (anchor, positive, negative) among points with labels y (N,) that are nearest to those wanted.

    A point that cannot have its role is replaced by the next one that can, the first one following the last; None if the batch
    has no triplet at all.
    """
    same, itself = y[:, None] == y, np.eye(len(y), dtype=bool)

    def nearest_able(points: np.ndarray, first: int) -> int:
        places = np.flatnonzero(points)
        return int(places[np.searchsorted(places, first) % len(places)])

    anchors = (same & ~itself).any(1) & (~same).any(1)
    if not anchors.any():
        return None
    anchor = nearest_able(anchors, roles[0])
    return anchor, nearest_able((same & ~itself)[anchor], roles[1]), nearest_able(~same[anchor], roles[2])
