"""What a sweep says: how far a knob moves a score, how far the seed does, and whether chance does as much."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import factorial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.engine.members import METRICS
from dml_viz.params import Param
from dml_viz.training.paths import write_value
from dml_viz.training.sweep import LOOKS, Sweep

Floats = NDArray[np.float64]
SCORES: Mapping[str, str] = MappingProxyType({"map": "mAP", "r1": "R@1", "mapr": "MAP@R", "active": "active share"})
SHUFFLES = 4999
LEVEL = 0.05  # the share of shuffles below which a knob has an effect
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Table:
    """The scores of a sweep so far, (cells, seeds, 1 + looks, metrics) float32, NaN where there is none yet."""

    scores: NDArray[np.float32]

    def __repr__(self) -> str:
        return hashlib.sha256(self.scores.tobytes()).hexdigest()


@dataclass(frozen=True)
class Settings:
    """A sweep, its scores, and which of them are shown at which of the looks."""

    sweep: Sweep
    table: Table
    score: str = "map"
    look: int = LOOKS


@dataclass(frozen=True, eq=False)
class Effect:
    """What an axis does to a score: ``by_block`` (blocks, V) holds it over the axis, a block being a seed.

    ``shuffled`` are the moves of a knob that does nothing: values are shuffled within each block.
    """

    title: str
    values: tuple[object, ...]
    ordered: bool
    by_block: Floats
    shuffled: Floats

    @property
    def means(self) -> Floats:
        """The mean over seeds of each value (V,)."""
        return np.asarray(self.by_block.mean(0))

    @property
    def moves(self) -> float:
        """How far the knob moves the score: between the least and the greatest mean over seeds."""
        return float(np.ptp(self.means))

    @property
    def seed_moves(self) -> float:
        """How far the seed moves the score: between the least and the greatest run of one value, on average over values."""
        return float(np.ptp(self.by_block, axis=0).mean())

    @property
    def p(self) -> float:
        """The share of shuffles, this order among them, in which the values differ by as much."""
        as_much = int((self.shuffled >= self.moves - ROUNDING).sum())
        return (1 + as_much) / (1 + len(self.shuffled))

    @property
    def least_p(self) -> float:
        """The least share that so many values and seeds can give."""
        return float(factorial(len(self.values)) ** -(float(len(self.by_block)) - 1))

    @property
    def unsure(self) -> bool:
        """Whether there are too few seeds to tell: none could do, or the knob moves the score more than the seed does."""
        return not self.matters and (self.least_p >= LEVEL or self.moves > self.seed_moves)

    @property
    def matters(self) -> bool:
        """Whether chance seldom does as much."""
        return self.p < LEVEL

    @cached_property
    def half_widths(self) -> Floats:
        """Half of the 95 % interval of each mean (V,), the seeds' own levels removed (Cousineau 2005, Morey 2008)."""
        blocks, values = self.by_block.shape
        if blocks < 2:
            return np.full(values, np.nan)
        level = self.by_block - self.by_block.mean(1, keepdims=True)
        spread = level.std(0, ddof=1) * np.sqrt(values / (values - 1))
        return np.asarray(student.ppf(0.975, blocks - 1) * spread / np.sqrt(blocks))

    @property
    def best(self) -> int | None:
        """The value whose lead over its neighbours, paired by seed, excludes 0 with 95 %; None without one, or an effect."""
        blocks, values = self.by_block.shape
        if not self.matters or blocks < 2:
            return None
        first = int(self.means.argmax())
        near = {first - 1, first + 1} & set(range(values)) if self.ordered else set(range(values)) - {first}
        for other in near:
            lead = self.by_block[:, first] - self.by_block[:, other]
            if lead.mean() <= student.ppf(0.975, blocks - 1) * lead.std(ddof=1) / np.sqrt(blocks):
                return None
        return first


@dataclass(frozen=True, eq=False)
class Model:
    """The scores shown of a sweep."""

    settings: Settings

    @property
    def sweep(self) -> Sweep:
        """The sweep."""
        return self.settings.sweep

    @property
    def called(self) -> str:
        """What the score is called."""
        return SCORES[self.settings.score]

    @property
    def group(self) -> str:
        """What the score is measured on."""
        if self.settings.score == "active":
            return "of the batch"
        return "unseen classes" if self.sweep.run.protocol == "unseen classes" else "held-out images"

    @cached_property
    def course(self) -> Floats:
        """The score at the start and at all looks (cells, seeds, 1 + looks)."""
        name = self.settings.score if self.settings.score == "active" else f"{self.settings.score}.unseen"
        return self.settings.table.scores[..., METRICS.index(name)].astype(np.float64)

    @cached_property
    def shown(self) -> Floats:
        """The score at the look shown (cells, seeds)."""
        return np.asarray(self.course[..., self.settings.look])

    @property
    def step(self) -> int:
        """The step of the sweep's own run at the look shown."""
        return round(self.sweep.run.steps * self.settings.look / LOOKS)

    @cached_property
    def done(self) -> int:
        """How many runs have a result."""
        return int(np.isfinite(self.course[..., -1]).sum())

    @cached_property
    def full(self) -> NDArray[np.int64]:
        """The seeds of which every cell has a result."""
        return np.flatnonzero(np.isfinite(self.shown).all(0))

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """The effect of each axis, over the seeds that are complete; none while there is no such seed."""
        if not len(self.full):
            return ()
        grid = self.shown[:, self.full].reshape(*self.sweep.shape, len(self.full))
        found = []
        for place, (axis, title, knob) in enumerate(
            zip(self.sweep.axes, self.sweep.titles, self.sweep.knobs, strict=True)
        ):
            # A block is a seed at one value of the other knob: within it the values are shuffled.
            blocks = np.moveaxis(grid, place, -1)
            size = len(axis.values)
            shuffled = _moves_by_chance(blocks.reshape(-1, size))
            by_seed = blocks.reshape(-1, len(self.full), size).mean(0)
            found.append(Effect(title, axis.values, ordered(knob), by_seed, shuffled))
        return tuple(found)

    def label(self, cell: int) -> str:
        """The values of a cell in words."""
        return ", ".join(map(write_value, self.sweep.cells[cell]))


def ordered(knob: Param) -> bool:
    """Whether the values of a knob are numbers."""
    return knob.kind in (int, float)


def _moves_by_chance(blocks: Floats) -> Floats:
    """How far a knob that does nothing moves the mean (SHUFFLES,): values shuffled within each of the blocks (B, V)."""
    rng = np.random.default_rng(0)
    order = rng.random((SHUFFLES, *blocks.shape)).argsort(-1)
    return np.asarray(np.ptp(np.take_along_axis(blocks[None], order, -1).mean(1), axis=1))


def model_of(embeddings: Embeddings, settings: Settings) -> Model:
    """The model of a sweep's scores; no embeddings are needed."""
    del embeddings
    return Model(settings)
