"""Embeddings under one loss of pairs, around one triplet."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from dml_viz.analysis import LossResponse, response_to
from dml_viz.analysis.triplet_plane import Cut, Plane, cut, plane
from dml_viz.analysis.triplets import (
    PairAndTripletCounts,
    Tally,
    Triplets,
    compared_distances,
    counts_by_batch_size,
    counts_of_balanced_batches,
    tally_of_batch,
    triplets,
)
from dml_viz.embedding.embeddings import Embeddings, EmbeddingsModel
from dml_viz.embedding.roles import UNSET
from dml_viz.embedding.sphere import squared_chords
from dml_viz.losses import Loss
from dml_viz.losses.triplet import Triplet
from dml_viz.params import param_of

LARGEST = 1000  # points in the largest batch whose pairs and triplets are counted
ELSEWHERE = 0.75  # s_p of the cut that is shown where the triplet has none
ROLES = ("anchor", "positive", "negative")


@dataclass(frozen=True)
class TripletChoice:
    """A loss, an anchor with its positive and negative, or -1, and whose pairs are drawn as edges: "batch" or "anchor"."""

    loss: Loss
    anchor: int
    positive: int = UNSET
    negative: int = UNSET
    edges: str = "batch"


class Model(EmbeddingsModel[TripletChoice]):
    """The response of embeddings to one loss of pairs, around one triplet."""

    @cached_property
    def cosine_similarities(self) -> np.ndarray:
        """Cosine similarities (N, N) of the points."""
        return np.clip(self.z @ self.z.T, -1, 1)

    @cached_property
    def response(self) -> LossResponse:
        """The response of the loss to the embeddings."""
        return response_to(self.embeddings, self.settings.loss)

    @property
    def weights(self) -> np.ndarray:
        """The weights of pairs (N, N), both orders together."""
        return self.response.pair_weight_matrix

    @property
    def descent(self) -> np.ndarray:
        """The negative gradient (N, d) of the loss along the sphere, unscaled."""
        return -self.response.tangent

    @cached_property
    def triplets(self) -> Triplets:
        """The anchor's triplets; for a loss without triplets, a triplet is active where one of its pairs is active."""
        loss, anchor = self.settings.loss, self.settings.anchor
        if isinstance(loss, Triplet):
            return triplets(loss, compared_distances(loss, self.embeddings), self.y, anchor)
        same_class = self.y == self.y[anchor]
        positives, negatives = np.flatnonzero(same_class & (np.arange(len(same_class)) != anchor)), np.flatnonzero(~same_class)
        active = np.abs(self.weights[anchor]) > self.response.least_weight
        either = active[positives, None] | active[negatives]
        return Triplets(positives, negatives, np.ones_like(either), either, either)

    @property
    def triplets_called(self) -> str:
        """What the triplets `with_gradient` are called: of a loss without triplets, a pair may have its gradient from others."""
        return "with a gradient" if isinstance(self.settings.loss, Triplet) else "with a gradient in a pair"

    @property
    def left_out_by_mining(self) -> bool:
        """Whether the mining of a triplet loss leaves this triplet out."""
        around, settings = self.triplets, self.settings
        return not around.left[around.positives == settings.positive][:, around.negatives == settings.negative].all()

    @property
    def s_p(self) -> float:
        """The similarity of anchor and positive; NaN without one."""
        return self._of_anchor(self.cosine_similarities, self.settings.positive)

    @property
    def s_n(self) -> float:
        """The similarity of anchor and negative; NaN without one."""
        return self._of_anchor(self.cosine_similarities, self.settings.negative)

    @property
    def weight_of_negative(self) -> float:
        """The weight of the pair of anchor and negative."""
        return self._of_anchor(self.weights, self.settings.negative)

    def _of_anchor(self, table: np.ndarray, other: int) -> float:
        return float(table[self.settings.anchor, other]) if other != UNSET else float("nan")

    @cached_property
    def plane(self) -> Plane:
        """The loss over the two similarities of one triplet."""
        return plane(self.settings.loss)

    @cached_property
    def cut(self) -> Cut:
        """The cut through the plane at this triplet's s_p; at `ELSEWHERE` without a positive, or where the plane is blank."""
        here = cut(self.settings.loss, round(self.s_p, 3)) if self.settings.positive != UNSET else None
        return cut(self.settings.loss, ELSEWHERE) if here is None or np.isnan(here.value).all() else here

    @property
    def cut_misses_triplet(self) -> bool:
        """Whether the cut does not go through this triplet."""
        return self.settings.positive == UNSET or self.cut.s_p != round(self.s_p, 3)

    @cached_property
    def tallies_by_mining(self) -> dict[str, Tally]:
        """The numbers of triplets that each kind of mining leaves, for a triplet loss."""
        if not isinstance(self.settings.loss, Triplet):
            return {}
        minings = param_of(Triplet, "mining").choices
        return {mining: tally_of_batch(replace(self.settings.loss, mining=mining), self.embeddings) for mining in minings}

    @cached_property
    def counts(self) -> PairAndTripletCounts:
        """The pairs and triplets of the batch."""
        return self.counts_of_parts[-1]

    @cached_property
    def counts_of_parts(self) -> list[PairAndTripletCounts]:
        """The pairs and triplets of growing parts of the batch; the last part is the whole."""
        return counts_by_batch_size(self.settings.loss, self.embeddings)

    @property
    def pairs_and_triplets_by_size(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sizes (K,) up to `LARGEST`, and the pairs and triplets (K,) of balanced batches with as many classes, by formula."""
        n = np.unique(np.round(np.geomspace(3, max(LARGEST, len(self.y)), 60)).astype(int))
        return n, *counts_of_balanced_batches(n, len(set(self.y.tolist())))


def informative_pair(embeddings: Embeddings, loss: Loss, anchor: int) -> tuple[int, int]:
    """A positive and a negative of the anchor, or -1: `hardest_positive_and_negative`, or those of an active triplet.

    If the hardest triplet is inactive: the active one with the largest hinge, or for a loss without triplets the largest weights.
    """
    default = hardest_positive_and_negative(embeddings, anchor)
    model = Model(embeddings, TripletChoice(loss, anchor, *default))
    around = model.triplets
    active = around.with_gradient[around.positives == default[0]][:, around.negatives == default[1]]
    if active.all() or not around.with_gradient.any():
        return default
    if isinstance(loss, Triplet):
        d = compared_distances(loss, embeddings)[anchor]
        depth = d[around.positives, None] - d[around.negatives]
    else:
        weight = np.abs(model.weights[anchor])
        depth = weight[around.positives, None] + weight[around.negatives]
    p, n = np.unravel_index(np.where(around.with_gradient, depth, -np.inf).argmax(), depth.shape)
    return int(around.positives[p]), int(around.negatives[n])


def hardest_positive_and_negative(embeddings: Embeddings, anchor: int) -> tuple[int, int]:
    """The anchor's farthest positive and nearest negative, the first of equal points; -1 where it has none."""
    d2 = squared_chords(embeddings.z[anchor : anchor + 1], embeddings.z)[0]
    same_class = embeddings.y == embeddings.y[anchor]
    other = same_class.clone()
    other[anchor] = False
    positive = int(d2.masked_fill(~other, -1).argmax()) if other.any() else UNSET
    negative = int(d2.masked_fill(same_class, torch.inf).argmin()) if not same_class.all() else UNSET
    return positive, negative
