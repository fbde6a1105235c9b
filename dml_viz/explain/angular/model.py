"""Embeddings as the angular loss sees them: one triangle and the whole batch, each number computed when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dml_viz.embedding.embeddings import Embeddings, EmbeddingsModel
from dml_viz.embedding.sphere import squared_distances
from dml_viz.explain.angular.model_batch import Batch, batch
from dml_viz.explain.angular.model_landscape import dropped, slack_at, steepness
from dml_viz.explain.angular.model_push import Push, angular_push, for_one, triplet_push
from dml_viz.explain.angular.model_triangle import Source, Triangle
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet

Roles = tuple[int, int, int]
FORMS = (("hinge", False), ("logistic", True), ("logistic", False))


@dataclass(frozen=True)
class Settings:
    """The two losses, and the points that are anchor, positive and negative.

    The triplet loss is that of (a, p, n), or the mean with (p, a, n) where ``both``.
    """

    angular: Angular
    triplet: Triplet
    both: bool = False
    roles: Roles = (0, 1, 2)


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
        for form, kept in FORMS:
            loss = replace(self.settings.angular, form=form, constant_kept=kept)
            pair = loss.weights(self.embeddings.z, self.embeddings.y).pair
            assert pair is not None
            same = self.embeddings.y[:, None] == self.embeddings.y
            shares.append(abs(float(pair[same].clamp(max=0).sum())) / (2 * (1 + self.t)))
        return tuple(shares)


def model(embeddings: Embeddings, settings: Settings) -> Model:
    """The model of ``embeddings`` under ``settings``; its roles are as `settled` has them."""
    return Model(embeddings, settings)


def worst(subject: Embeddings, anchor: int, alpha: float) -> Roles:
    """The triangle of an ``anchor``, which has a positive and a negative, that breaks the bound by most."""
    own = subject.y == subject.y[anchor]
    negatives = (~own).nonzero()[:, 0]
    own[anchor] = False
    positives, t = own.nonzero()[:, 0], steepness(alpha)
    z, pairs = subject.z, subject.z[positives]
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
