"""The effect of a knob, or a method, on a score, compared with chance over runs from several seeds."""

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


def deviation(values: Floats) -> Floats:
    """The standard deviation over the first axis, the seeds, with n - 1 in the denominator; NaN for one seed."""
    return np.asarray(values.std(0, ddof=1) if len(values) > 1 else np.full(values.shape[1:], np.nan))


@dataclass(frozen=True, eq=False)
class Effect:
    """The effect of an axis on a score: ``by_block`` (B, V) is the score of each of V values in each block, which is a seed.

    ``shuffled`` (S,) are the moves of a knob without effect: the scores of each block are shuffled, those at each of ``levels``
    values of another knob apart. Of a score that is no ``quality`` the greatest is not the best.
    """

    title: str
    values: tuple[object, ...]
    ordered: bool
    by_block: Floats
    shuffled: Floats
    levels: int = 1
    quality: bool = True

    @property
    def means(self) -> Floats:
        """The mean over seeds of each value (V,)."""
        return np.asarray(self.by_block.mean(0))

    @property
    def difference(self) -> float:
        """The difference that the knob makes: between the least and the greatest mean over seeds."""
        return float(np.ptp(self.means))

    @property
    def seed_difference(self) -> float:
        """The difference that the seed makes: between the least and the greatest run of one value, the mean over values."""
        return float(np.ptp(self.by_block, axis=0).mean())

    @property
    def p(self) -> float:
        """The share of shuffles, with the true order as one of them, in which the values differ by as much or more."""
        as_much = int((self.shuffled >= self.difference - ROUNDING).sum())
        return (1 + as_much) / (1 + len(self.shuffled))

    @property
    def least_p(self) -> float:
        """The least `p` that so many values and seeds can give."""
        return float(factorial(len(self.values)) ** -(float(len(self.by_block)) * self.levels - 1))

    @property
    def shuffled_within(self) -> str:
        """The words for what the values are shuffled within."""
        return "each seed" if self.levels == 1 else "each seed and value of the other knob"

    @property
    def has_too_few_seeds(self) -> bool:
        """Whether there are too few seeds: no result could reach `LEVEL`, or the knob makes a larger difference than the seed."""
        return not self.matters and (self.least_p >= LEVEL or self.difference > self.seed_difference)

    @property
    def matters(self) -> bool:
        """Whether the difference is significant: chance seldom makes one as large."""
        return self.p < LEVEL

    @cached_property
    def half_widths(self) -> Floats:
        """Half of the 95 % interval of each mean (V,), without the seeds' own levels (Cousineau 2005, Morey 2008)."""
        blocks, values = self.by_block.shape
        if blocks < 2:
            return np.full(values, np.nan)
        level = self.by_block - self.by_block.mean(1, keepdims=True)
        spread = deviation(level) * np.sqrt(values / (values - 1))
        return np.asarray(student.ppf(0.975, blocks - 1) * spread / np.sqrt(blocks))

    @property
    def intervals_of_means(self) -> tuple[Floats, Floats]:
        """The lower and the upper end (V,) of the 95 % interval of each mean."""
        return self.means - self.half_widths, self.means + self.half_widths

    @property
    def best(self) -> int | None:
        """The value whose lead over its neighbours, paired by seed, excludes 0 with 95 %; None without one, or an effect."""
        blocks, values = self.by_block.shape
        if not self.matters or blocks < 2:
            return None
        first = int(self.means.argmax())
        near = {first - 1, first + 1} & set(range(values)) if self.ordered else set(range(values)) - {first}
        for other in near:
            lead, half_width = self.lead_and_half_width(first, other)
            if lead <= half_width:
                return None
        return first

    def lead_and_half_width(self, value: int, other: int) -> tuple[float, float]:
        """The lead of one value over another, paired by seed, and half of its 95 % interval; NaN for one seed."""
        lead = self.by_block[:, value] - self.by_block[:, other]
        half_width = student.ppf(0.975, len(lead) - 1) * deviation(lead) / np.sqrt(len(lead))
        return float(lead.mean()), float(half_width)


def differences_by_chance(blocks: Floats) -> Floats:
    """The moves (SHUFFLES,) of a knob without effect: of the means, with scores shuffled within each of the blocks (B, V)."""
    rng = np.random.default_rng(0)
    order = rng.random((SHUFFLES, *blocks.shape)).argsort(-1)
    return np.asarray(np.ptp(np.take_along_axis(blocks[None], order, -1).mean(1), axis=1))
