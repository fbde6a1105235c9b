"""Embeddings under Ranked List: the points that each query mines, their loss, and the arrows of all points."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from dml_viz.analysis import LossResponse, response_to
from dml_viz.embedding.embeddings import EmbeddingsModel
from dml_viz.embedding.sphere import ratio_and_cosine, tangent
from dml_viz.losses import log_sum
from dml_viz.losses.ranked_list import RankedList
from dml_viz.params import param_of

ROUNDING = 1e-12
NO_DIRECTION = 1e-9  # a shorter mean has no direction
STEPS = 81  # temperatures
DIAMETER = 2.0  # the largest distance of unit rows
VARIANTS = param_of(RankedList, "differentiated").choices


@dataclass(frozen=True)
class Settings:
    """The loss, the query, whose arrows are drawn (the "query"'s or the whole "loss"'s), and whether class balls are drawn."""

    loss: RankedList
    query: int = 0
    arrows: str = "query"
    balls: bool = False
    of_run: bool = False


@dataclass(frozen=True)
class Ranking:
    """One query's gallery, nearest first: what Ranked List computes for each of the G = N - 1 other points (G,).

    ``gallery`` are their indices in the batch, ``d`` distances ascending, ``relevant`` whether they are positives,
    ``too_far`` and ``too_near`` whether they are mined, ``share`` the share of the push, ``slope`` that of the query's term.
    """

    gallery: np.ndarray
    d: np.ndarray
    relevant: np.ndarray
    too_far: np.ndarray
    too_near: np.ndarray
    share: np.ndarray
    slope: np.ndarray

    @cached_property
    def mined(self) -> np.ndarray:
        """Whether the query's term depends on a point (G,)."""
        return self.too_far | self.too_near


@dataclass(frozen=True)
class Balls:
    """A ball of ``radius`` around ``centres`` (C, d) for each of ``classes`` (C,); ``outside`` (N,) marks points out of theirs.

    A ball's centre is inside the sphere in the direction of the class's mean, so deep that it cuts off the largest cap:
    the cap whose opposite ends are alpha - m apart.
    """

    radius: float
    classes: np.ndarray
    centres: np.ndarray
    outside: np.ndarray


class Model(EmbeddingsModel[Settings]):
    """Embeddings under Ranked List: as the ranking of the query, ``ranking``, and as a whole batch.

    ``responses`` has the loss's response by variant of its gradient, ``response`` the chosen one. ``d`` (N, N) are distances,
    ``positive`` (N, N) the pairs of one class; ``value`` is the loss of the batch.
    """

    @cached_property
    def responses(self) -> dict[str, LossResponse]:
        losses = {variant: replace(self.settings.loss, differentiated=variant) for variant in VARIANTS}
        return {variant: response_to(self.embeddings, loss) for variant, loss in losses.items()}

    @property
    def response(self) -> LossResponse:
        return self.responses[self.settings.loss.differentiated]

    @property
    def value(self) -> float:
        return self.response.value

    @cached_property
    def d(self) -> np.ndarray:
        return self.response.pairs.d.numpy()

    @cached_property
    def positive(self) -> np.ndarray:
        return self.response.pairs.positive.numpy()

    @cached_property
    def too_far(self) -> np.ndarray:
        """P*: the positives (N, N) beyond alpha - m."""
        return self.positive & (self.d > self.settings.loss.alpha - self.settings.loss.margin)

    @cached_property
    def too_near(self) -> np.ndarray:
        """N*: the negatives (N, N) within alpha."""
        return self.response.pairs.negative.numpy() & (self.d < self.settings.loss.alpha)

    @cached_property
    def shares(self) -> np.ndarray:
        """The share (N, N) of each mined negative in its query's push: its weight over the sum of all."""
        return self._shares_at(self.settings.loss.temperature, slice(None))

    def _shares_at(self, temperature: float, queries: slice) -> np.ndarray:
        exponents = np.where(self.too_near[queries], -temperature * self.d[queries], -np.inf)
        return log_sum(torch.from_numpy(exponents)).shares.numpy()

    @cached_property
    def shares_by_temperature(self) -> tuple[np.ndarray, np.ndarray]:
        """The slider's temperatures (T,), and the shares (T, K) of the query's mined negatives at each, nearest first."""
        knob = param_of(RankedList, "temperature")
        assert knob.slider
        temperatures, alone = np.linspace(*knob.slider, STEPS), slice(self.settings.query, self.settings.query + 1)
        near = self.ranking.gallery[self.ranking.too_near]
        return temperatures, np.stack([self._shares_at(t, alone)[0, near] for t in temperatures.tolist()])

    @cached_property
    def mean_positive_loss(self) -> np.ndarray:
        """The mean loss (N,) of each query's mined positives."""
        over = (self.d - (self.settings.loss.alpha - self.settings.loss.margin)) * self.too_far
        return np.asarray(over.sum(1) / np.maximum(self.too_far.sum(1), 1))

    @cached_property
    def mean_negative_loss(self) -> np.ndarray:
        """The weighted mean loss (N,) of each query's mined negatives, by `shares`, before lambda."""
        return np.asarray((self.shares * (self.settings.loss.alpha - self.d)).sum(1))

    @property
    def query_terms(self) -> np.ndarray:
        """The term of each query (N,), of which the loss is the mean."""
        return self.mean_positive_loss + self.settings.loss.lam * self.mean_negative_loss

    @cached_property
    def slopes(self) -> np.ndarray:
        """The slope of each query's own term in each of its distances (N, N), from the loss's pair weights."""
        return -len(self.y) * _weights(self.response).numpy() * self.d + 0.0

    @property
    def loss_free_radii(self) -> tuple[float, float]:
        """The radii around the query, in [0, 2]: positives within the first and negatives beyond the second have no loss."""
        loss = self.settings.loss
        within, beyond = (min(max(d, 0.0), DIAMETER) for d in (loss.alpha - loss.margin, loss.alpha))
        return within, beyond

    @cached_property
    def ranking(self) -> Ranking:
        query = self.settings.query
        order = np.argsort(self.d[query], kind="stable")
        gallery = order[order != query]
        tables = self.d, self.positive, self.too_far, self.too_near, self.shares, self.slopes
        return Ranking(gallery, *(table[query, gallery] for table in tables))

    @cached_property
    def balls(self) -> Balls:
        """The ball of diameter alpha - m of each class."""
        return balls(self.z, self.y, self.settings.loss.alpha - self.settings.loss.margin)

    @cached_property
    def arrows_of_loss(self) -> dict[str, np.ndarray]:
        """Tangent arrows (N, d) against the gradient of the loss, for each variant of the gradient."""
        return {variant: -response.tangent + 0.0 for variant, response in self.responses.items()}

    @cached_property
    def arrows_of_query(self) -> dict[str, np.ndarray]:
        """Tangent arrows (N, d) against the gradient of the query's own term, for each variant."""
        return {variant: self._descent(response) for variant, response in self.responses.items()}

    @property
    def arrows(self) -> dict[str, np.ndarray]:
        """The arrows (N, d) that are drawn, of every variant."""
        return self.arrows_of_query if self.settings.arrows == "query" else self.arrows_of_loss

    def ratio_and_cosine_to_authors(self, variant: str) -> tuple[float, float] | None:
        """The length of a variant's arrows over the authors', and their cosine, NaN if either is 0; None for the authors' own."""
        authors = self.arrows[VARIANTS[0]]
        return None if variant == VARIANTS[0] else ratio_and_cosine(self.arrows[variant], authors)

    def _descent(self, response: LossResponse) -> np.ndarray:
        weights, query = _weights(response), self.settings.query
        alone = torch.zeros_like(weights)
        # The loss is a mean of N such terms.
        alone[query] = len(self.y) * weights[query]
        gradient = response.pairs.gradient_at_rows(alone, one_sided=response.loss.one_sided)
        return -tangent(gradient, self.embeddings.z).numpy() + 0.0


def _weights(response: LossResponse) -> torch.Tensor:
    """The weights (N, N) of ordered pairs; a query's are in its row."""
    assert response.ordered_weights.pair is not None
    return response.ordered_weights.pair


def balls(z: np.ndarray, y: np.ndarray, diameter: float) -> Balls:
    """The balls of unit rows ``z`` (N, d) with labels ``y`` (N,); with a diameter below 0 no point is inside."""
    radius = max(diameter, 0.0) / 2
    classes, class_of = np.unique(y, return_inverse=True)
    means = np.stack([z[y == label].mean(0) for label in classes])  # (C, d)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    directions = np.divide(means, lengths, out=np.zeros_like(means), where=lengths > NO_DIRECTION)
    centres = directions * np.sqrt(max(1 - radius**2, 0.0))
    away = np.linalg.norm(z - centres[class_of], axis=1)
    return Balls(radius, classes, centres, (away > radius + ROUNDING) | (diameter < 0))
