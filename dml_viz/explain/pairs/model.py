"""Embeddings as one loss of pairs sees them, around one triplet; each number is computed when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from dml_viz.analysis import ACTIVE, LossResponse, response_to
from dml_viz.embedding.embeddings import Embeddings, EmbeddingsModel
from dml_viz.embedding.roles import NOBODY
from dml_viz.embedding.sphere import squared_distances
from dml_viz.explain.pairs.model_plane import Cut, Plane, cut, plane
from dml_viz.explain.pairs.model_triplets import (
    Count,
    Tally,
    Triplets,
    distances,
    growth,
    growth_of_all,
    tally,
    triplets,
)
from dml_viz.losses import LOSSES, Loss
from dml_viz.losses.triplet import Triplet
from dml_viz.params import params

LARGEST = 1000  # batch that the counts run to
ELSEWHERE = 0.75  # similarity of a positive
ROLES = ("anchor", "positive", "negative")
FAMILY = {"pairs", "triplets", "tuples"}
PAIRWISE = {
    name: kind for name, kind in LOSSES.items() if FAMILY & set(kind.families) and "proxies" not in kind.families
}


@dataclass(frozen=True)
class Settings:
    """A loss, an anchor with its positive and negative, or -1, and whose pairs are drawn: of the "batch" or the "anchor"."""

    loss: Loss
    anchor: int
    positive: int = NOBODY
    negative: int = NOBODY
    edges: str = "batch"


class Model(EmbeddingsModel[Settings]):
    """Embeddings as one loss of pairs sees them, around one triplet."""

    @cached_property
    def s(self) -> np.ndarray:
        """Cosine similarities (N, N) of the points."""
        return np.clip(self.z @ self.z.T, -1, 1)

    @cached_property
    def response(self) -> LossResponse:
        """What the loss does to the embeddings."""
        return response_to(self.embeddings, self.settings.loss)

    @property
    def weights(self) -> np.ndarray:
        """The weights of pairs (N, N), both orders together."""
        return self.response.pair_table

    @property
    def arrows(self) -> np.ndarray:
        """Arrows (N, d) that lower the loss, along the sphere."""
        return -self.response.tangent

    @cached_property
    def around(self) -> Triplets:
        """The anchor's triplets; for a loss without triplets, one is active where one of its pairs is."""
        if isinstance(self.settings.loss, Triplet):
            return triplets(
                self.settings.loss, distances(self.settings.loss, self.embeddings), self.y, self.settings.anchor
            )
        own = self.y == self.y[self.settings.anchor]
        positives, negatives = np.flatnonzero(own & (np.arange(len(own)) != self.settings.anchor)), np.flatnonzero(~own)
        active = np.abs(self.weights[self.settings.anchor]) > ACTIVE * self.response.largest
        either = active[positives, None] | active[negatives]
        return Triplets(positives, negatives, np.ones_like(either), either, either)

    @cached_property
    def skipped(self) -> str:
        """For a triplet loss, why its mining leaves this triplet out; "" where it does not, or where there is no mining."""
        if not isinstance(self.settings.loss, Triplet) or not self.complete:
            return ""
        around, d = self.around, distances(self.settings.loss, self.embeddings)[self.settings.anchor]
        if around.left[around.positives == self.settings.positive, around.negatives == self.settings.negative].all():
            return ""
        if self.settings.loss.mining == "batch-hard":
            return "it is not that of the farthest positive and the nearest negative"
        nearer = "as near as" if d[self.settings.negative] == d[self.settings.positive] else "nearer than"
        if d[self.settings.negative] <= d[self.settings.positive]:
            return f"its negative is {nearer} its positive"
        return "its negative is farther than its positive by m or more"

    @cached_property
    def at_odds(self) -> tuple[int, int]:
        """How many of the anchor's triplets have a gradient where the plane has none, and have none where it has one."""
        around, s = self.around, self.s[self.settings.anchor]
        p, n = np.meshgrid(s[around.positives], s[around.negatives], indexing="ij")
        moves = self.plane.moves(p, n)
        return int((around.with_gradient & (moves == 0)).sum()), int((~around.with_gradient & (moves == 1)).sum())

    @property
    def complete(self) -> bool:
        """Whether the anchor has a positive and a negative."""
        return NOBODY not in (self.settings.positive, self.settings.negative)

    @property
    def s_p(self) -> float:
        """The similarity of anchor and positive; NaN without one."""
        return self._of_anchor(self.s, self.settings.positive)

    @property
    def s_n(self) -> float:
        """The similarity of anchor and negative; NaN without one."""
        return self._of_anchor(self.s, self.settings.negative)

    @property
    def w_p(self) -> float:
        """The weight of the pair of anchor and positive."""
        return self._of_anchor(self.weights, self.settings.positive)

    @property
    def w_n(self) -> float:
        """The weight of the pair of anchor and negative."""
        return self._of_anchor(self.weights, self.settings.negative)

    def _of_anchor(self, table: np.ndarray, other: int) -> float:
        return float(table[self.settings.anchor, other]) if other != NOBODY else float("nan")

    @cached_property
    def plane(self) -> Plane:
        """The loss over the two similarities of one triplet."""
        return plane(self.settings.loss)

    @cached_property
    def cut(self) -> Cut:
        """The cut through the plane at this triplet's s_p; at `ELSEWHERE` without one, or where the plane is blank there."""
        here = cut(self.settings.loss, round(self.s_p, 3)) if self.settings.positive != NOBODY else None
        return cut(self.settings.loss, ELSEWHERE) if here is None or np.isnan(here.value).all() else here

    @property
    def cut_is_elsewhere(self) -> bool:
        """Whether the cut does not go through this triplet."""
        return self.settings.positive == NOBODY or self.cut.s_p != round(self.s_p, 3)

    @cached_property
    def tallies(self) -> dict[str, Tally]:
        """For a triplet loss, what each mining leaves of the batch's triplets."""
        if not isinstance(self.settings.loss, Triplet):
            return {}
        (minings,) = (knob.choices for knob in params(Triplet) if knob.name == "mining")
        return {mining: tally(replace(self.settings.loss, mining=mining), self.embeddings) for mining in minings}

    @cached_property
    def count(self) -> Count:
        """The pairs and triplets of the batch."""
        return self.growth[-1]

    @cached_property
    def growth(self) -> list[Count]:
        """The same of smaller batches out of it, up to it."""
        return growth(self.settings.loss, self.embeddings)

    @property
    def growth_of_larger(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sizes (K,) of batches up to `LARGEST`, and the pairs and triplets (K,) of batches of as many classes, equally large."""
        n = np.unique(np.round(np.geomspace(3, max(LARGEST, len(self.y)), 60)).astype(int))
        return n, *growth_of_all(n, len(set(self.y.tolist())))


def model(embeddings: Embeddings, settings: Settings) -> Model:
    """The model of ``embeddings`` under ``settings``."""
    return Model(embeddings, settings)


def worth_showing(embeddings: Embeddings, loss: Loss, anchor: int) -> tuple[int, int]:
    """A positive and a negative of the anchor, or -1: its `hardest` triplet, unless that is inactive and others are not.

    Then of those active it is the one of the largest hinge, or for a loss without triplets that of the heaviest pairs.
    """
    model = Model(embeddings, Settings(loss, anchor, *hardest(embeddings, anchor)))
    around = model.around
    if (
        not around.with_gradient.any()
        or around.with_gradient[
            around.positives == model.settings.positive, around.negatives == model.settings.negative
        ].all()
    ):
        return model.settings.positive, model.settings.negative
    if isinstance(loss, Triplet):
        d = distances(loss, embeddings)[anchor]
        depth = d[around.positives, None] - d[around.negatives]
    else:
        weight = np.abs(model.weights[anchor])
        depth = weight[around.positives, None] + weight[around.negatives]
    place = int(np.where(around.with_gradient, depth, -np.inf).argmax())
    p, n = np.unravel_index(place, depth.shape)
    return int(around.positives[p]), int(around.negatives[n])


def hardest(embeddings: Embeddings, anchor: int) -> tuple[int, int]:
    """The anchor's farthest positive and nearest negative, of equal ones the first; -1 where it has none."""
    d2 = squared_distances(embeddings.z[anchor : anchor + 1], embeddings.z)[0]
    own = embeddings.y == embeddings.y[anchor]
    other = own.clone()
    other[anchor] = False
    positive = int(d2.masked_fill(~other, -1).argmax()) if other.any() else NOBODY
    negative = int(d2.masked_fill(own, torch.inf).argmin()) if not own.all() else NOBODY
    return positive, negative
