"""Embeddings as Ranked List sees them: what every query mines, what that costs and which way it moves the points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.embedding.embeddings import Embeddings, EmbeddingsModel
from dml_viz.embedding.sphere import tangent
from dml_viz.explain.ranked_list.model_balls import Balls, balls
from dml_viz.explain.ranked_list.model_ranking import Ranking
from dml_viz.losses import Pairs, log_sum
from dml_viz.losses.ranked_list import RankedList
from dml_viz.params import params

STEPS = 81  # temperatures
DIAMETER = 2.0  # the largest distance of unit rows
(VARIANTS,) = (knob.choices for knob in params(RankedList) if knob.name == "differentiated")


@dataclass(frozen=True)
class Settings:
    """The loss, the point that asks, whose arrows are drawn ("query" or the whole "loss"), and whether class balls are."""

    loss: RankedList
    query: int = 0
    arrows: str = "query"
    balls: bool = False
    of_run: bool = False


class Model(EmbeddingsModel[Settings]):
    """Embeddings as Ranked List sees them: from the query, and as a whole batch."""

    @cached_property
    def d(self) -> np.ndarray:
        """Distances (N, N)."""
        return self._pairs.d.numpy()

    @cached_property
    def positive(self) -> np.ndarray:
        """Whether a pair is of one class (N, N), a point and itself left out."""
        return self._pairs.positive.numpy()

    @cached_property
    def too_far(self) -> np.ndarray:
        """P*: the positives (N, N) beyond alpha - m."""
        return self.positive & (self.d > self.settings.loss.alpha - self.settings.loss.margin)

    @cached_property
    def too_near(self) -> np.ndarray:
        """N*: the negatives (N, N) within alpha."""
        return self._pairs.negative.numpy() & (self.d < self.settings.loss.alpha)

    @cached_property
    def shares(self) -> np.ndarray:
        """Of each query's push, the share of each mined negative (N, N): its weight over the sum of all."""
        return self.shares_at(self.settings.loss.temperature)

    def shares_at(self, temperature: float, queries: slice = slice(None)) -> np.ndarray:
        """The shares (Q, N) of ``queries`` at another temperature."""
        exponents = np.where(self.too_near[queries], -temperature * self.d[queries], -np.inf)
        return log_sum(torch.from_numpy(exponents)).shares.numpy()

    @cached_property
    def shares_by_temperature(self) -> tuple[np.ndarray, np.ndarray]:
        """Temperatures (T,) as the slider has them, and the shares (T, K) of the query's mined negatives there, nearest first."""
        (knob,) = (knob for knob in params(RankedList) if knob.name == "temperature")
        assert knob.slider
        temperatures, alone = np.linspace(*knob.slider, STEPS), slice(self.settings.query, self.settings.query + 1)
        near = self.one.gallery[self.one.too_near]
        return temperatures, np.stack([self.shares_at(t, alone)[0, near] for t in temperatures.tolist()])

    @cached_property
    def pull(self) -> np.ndarray:
        """What each query's mined positives cost on average (N,)."""
        over = (self.d - (self.settings.loss.alpha - self.settings.loss.margin)) * self.too_far
        return np.asarray(over.sum(1) / np.maximum(self.too_far.sum(1), 1))

    @cached_property
    def push(self) -> np.ndarray:
        """What each query's mined negatives cost on weighted average (N,), before lambda."""
        return np.asarray((self.shares * (self.settings.loss.alpha - self.d)).sum(1))

    @cached_property
    def value(self) -> float:
        """The loss."""
        return float(self.settings.loss.value(self.embeddings.z, self.embeddings.y))

    @cached_property
    def slopes(self) -> np.ndarray:
        """The slope of each query's own term in each of its distances (N, N), from the loss's pair weights."""
        pair = self.settings.loss.weights(self.embeddings.z, self.embeddings.y).pair
        assert pair is not None
        return -len(self.y) * pair.numpy() * self.d + 0.0

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Radii around the query within which positives, and beyond which negatives, cost nothing; in [0, 2]."""
        loss = self.settings.loss
        within, beyond = (min(max(d, 0.0), DIAMETER) for d in (loss.alpha - loss.margin, loss.alpha))
        return within, beyond

    @cached_property
    def one(self) -> Ranking:
        """The query's ranking."""
        order = np.argsort(self.d[self.settings.query], kind="stable")
        gallery = order[order != self.settings.query]
        rows = (
            table[self.settings.query, gallery]
            for table in (self.d, self.positive, self.too_far, self.too_near, self.shares, self.slopes)
        )
        return Ranking(gallery, *rows)

    @cached_property
    def balls(self) -> Balls:
        """The ball of diameter alpha - m of each class."""
        return balls(self.z, self.y, self.settings.loss.alpha - self.settings.loss.margin)

    @cached_property
    def of_loss(self) -> dict[str, np.ndarray]:
        """Tangent arrows (N, d) against the gradient of the loss, for everything that may be differentiated."""
        z, y = self.embeddings.z, self.embeddings.y
        return {variant: -loss.gradient(z, y).numpy() + 0.0 for variant, loss in self._variants}

    @cached_property
    def of_query(self) -> dict[str, np.ndarray]:
        """The same arrows against the gradient of the query's own term."""
        return {variant: self._descent(loss) for variant, loss in self._variants}

    @property
    def arrows(self) -> dict[str, np.ndarray]:
        """The arrows (N, d) that are drawn, of every variant."""
        return self.of_query if self.settings.arrows == "query" else self.of_loss

    def against(self, variant: str) -> tuple[float, float] | None:
        """How many times the authors' arrows those of a variant are, and the cosine, NaN where either is 0; None for theirs."""
        authors = self.arrows[VARIANTS[0]]
        return None if variant == VARIANTS[0] else ratio_and_cosine(self.arrows[variant], authors)

    def _descent(self, loss: RankedList) -> np.ndarray:
        z, y = self.embeddings.z, self.embeddings.y
        pairs = loss.pairs(z, y, {})
        _, weights = loss.weigh(pairs)
        alone = torch.zeros_like(weights)
        # The loss is a mean of N such terms.
        alone[self.settings.query] = len(y) * weights[self.settings.query]
        return -tangent(pairs.pull(alone, one_sided=loss.one_sided), z).numpy() + 0.0

    @property
    def _variants(self) -> list[tuple[str, RankedList]]:
        return [(variant, replace(self.settings.loss, differentiated=variant)) for variant in VARIANTS]

    @cached_property
    def _pairs(self) -> Pairs:
        return self.settings.loss.pairs(self.embeddings.z, self.embeddings.y, {})


def model(embeddings: Embeddings, settings: Settings) -> Model:
    """The model of ``embeddings`` under ``settings``."""
    return Model(embeddings, settings)
