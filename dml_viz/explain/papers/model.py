"""The reported results on one data set, and the numbers among them that look doubtful."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dml_viz.pitfalls import RESULTS

DOUBTFUL = 0.5  # of the least share of the other methods: a smaller one is probably not that of R@k


@dataclass(frozen=True)
class Settings:
    """The data set, and the highlighted method, or ""."""

    dataset: str = "CUB-200-2011"
    picked: str = "MS"


@dataclass(frozen=True)
class Model:
    """The results on the data set, the best R@1 first."""

    settings: Settings

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """The names of the methods, sorted by R@1, the best first."""
        results = RESULTS[self.settings.dataset]
        return tuple(sorted(results, key=lambda method: -results[method][1]))

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The values of k for which a paper gives R@k."""
        return tuple(sorted({k for values in RESULTS[self.settings.dataset].values() for k in values}))

    @cached_property
    def recall(self) -> np.ndarray:
        """R@k in percent (methods, ranks), NaN if a paper gives none."""
        results = RESULTS[self.settings.dataset]
        return np.array([[results[method].get(k, np.nan) for k in self.ranks] for method in self.methods])

    @cached_property
    def rescued_percent(self) -> np.ndarray:
        """The share in percent (methods,) of the queries missed at R@1 that the next column finds."""
        first, second = self.recall[:, 0], self.recall[:, 1]
        return np.asarray(100 * (second - first) / (100 - first))

    @cached_property
    def doubtful_methods(self) -> tuple[str, ...]:
        """The methods that find less than half of the least share of the others: their second number is probably not R@k."""
        odd = [share < DOUBTFUL * np.delete(self.rescued_percent, k).min() for k, share in enumerate(self.rescued_percent)]
        return tuple(method for method, is_odd in zip(self.methods, odd, strict=True) if is_odd)
