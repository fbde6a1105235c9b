"""Whether a knob, or a method, moves a score by more than chance does, over runs from several seeds."""

from dataclasses import dataclass
from functools import cached_property
from math import factorial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

Floats = NDArray[np.float64]
SHUFFLES = 4999
LEVEL = 0.05  # the share of shuffles below which there is an effect
ROUNDING = 1e-9


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
            lead, half_width = self.apart(first, other)
            if lead <= half_width:
                return None
        return first

    def apart(self, one: int, other: int) -> tuple[float, float]:
        """By how much one value leads another, paired by seed, and half of the 95 % interval of that; NaN of one seed."""
        lead = self.by_block[:, one] - self.by_block[:, other]
        spread = lead.std(ddof=1) if len(lead) > 1 else np.nan
        return float(lead.mean()), float(student.ppf(0.975, len(lead) - 1) * spread / np.sqrt(len(lead)))


def moves_by_chance(blocks: Floats) -> Floats:
    """How far a knob that does nothing moves the mean (SHUFFLES,): values shuffled within each of the blocks (B, V)."""
    rng = np.random.default_rng(0)
    order = rng.random((SHUFFLES, *blocks.shape)).argsort(-1)
    return np.asarray(np.ptp(np.take_along_axis(blocks[None], order, -1).mean(1), axis=1))
