"""Recorded runs: a method of training against plain runs, by two scores, on as many seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from dml_viz.engine.members import METRICS
from dml_viz.engine.results import RecordedResult, recorded_results, retrained_scores, score_table
from dml_viz.explain.beyond_one_loss.model_training import OFFERED, SCORES, SEEDS, Settings, coded_sweep, plain_run_for
from dml_viz.room.decision import is_fragile
from dml_viz.threads import once
from dml_viz.training.effects import Effect, differences_by_chance
from dml_viz.training.methods import METHODS
from dml_viz.training.methods.codes import Codes
from dml_viz.training.paths import kind_titles


class Way(NamedTuple):
    """A way to search: by whole rows, by codes or by a part of the rows, with its `SCORES` (seeds, scores) on unseen classes.

    Codes have so many ``bits``, and ``words`` in each part.
    """

    name: str
    scores: np.ndarray
    bits: float = 0.0
    words: int = 0


@dataclass(frozen=True, eq=False)
class Comparison:
    """The recorded runs of ``settings`` with and without the method."""

    settings: Settings

    @cached_property
    def results(self) -> tuple[RecordedResult | None, ...]:
        """The result of each run, seed by seed; None if it is not recorded."""
        return tuple(recorded_results().find(run) for run in self.settings.sweep.runs)

    @property
    def scores_without_method(self) -> list[np.ndarray]:
        """Each score (S,) of the runs without the method, by seed, if all of these are recorded; else none."""
        results = [result for result in self.results[::2] if result is not None]
        return [*last_scores(results).T] if len(results) == SEEDS else []

    @property
    def recorded_in_words(self) -> str:
        """How many of the runs are recorded, in a sentence."""
        recorded = len(self.results) - self.results.count(None)
        without = ", those without the method" if recorded and not any(self.results[1::2]) else ""
        return f"{recorded} of the {len(self.results)} runs of this comparison are recorded{without}."

    @property
    def all_recorded(self) -> bool:
        """Whether all runs are recorded."""
        return None not in self.results

    @cached_property
    def effects(self) -> Mapping[str, Effect]:
        """The effect of the method on each of `SCORES`, on unseen classes at the end; empty unless all runs are recorded."""
        return self._effects(score_table(self.settings.sweep, self.results)[:, :, -1]) if self.all_recorded else {}

    @cached_property
    def effects_with_other_rounding(self) -> Mapping[str, Effect]:
        """The effects in the same runs, of the same seeds, trained with other rounding; empty unless all of them were."""
        table = retrained_scores(self.settings.sweep, self.results)
        return {} if table is None else self._effects(table)

    def _effects(self, ends: np.ndarray) -> dict[str, Effect]:
        """The effects in the last scores (2, seeds, metrics)."""
        sweep, effects = self.settings.sweep, {}
        titles = kind_titles(sweep.knobs[0])
        names = tuple(titles.get(value, value) for value in sweep.axes[0].values)
        for score in SCORES:
            by_seed = ends[..., METRICS.index(f"{score}.unseen")].T.astype(np.float64)
            effects[score] = Effect(sweep.titles[0], names, False, by_seed, differences_by_chance(by_seed))
        return effects

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """The ways to search after training with the method at its defaults, whole rows first; empty for a method without any."""
        if isinstance(self.settings.method, Codes):
            return code_searches() if self.all_recorded else ()
        results = [result for result in self.results[1::2] if result is not None]
        if len(results) < SEEDS or not results[0].ways:
            return ()
        names = results[0].ways
        return (
            Way("whole rows", last_scores(results)),
            *(Way(name, np.array([[each.ways[name][score] for score in SCORES] for each in results])) for name in names),
        )


@once
def code_searches() -> tuple[Way, ...]:
    """The scores of search by codes of more and fewer bits, and by whole rows, in recorded runs; empty without them."""
    sweep = coded_sweep()
    results = [result for run in sweep.runs if (result := recorded_results().find(run)) is not None]
    if len(results) < len(sweep.runs):
        return ()
    searches, cells = [], len(sweep.cells)
    for cell, (parts, words) in enumerate(sweep.cells):
        of_cell, bits = results[cell::cells], Codes(parts=parts, words=words).bits(sweep.run.dim)
        by_codes = np.array([[each.ways["codes"][score] for score in SCORES] for each in of_cell])
        searches += [Way("whole rows", last_scores(of_cell), bits, words), Way("codes", by_codes, bits, words)]
    return tuple(searches)


def last_scores(results: Sequence[RecordedResult]) -> np.ndarray:
    """The last `SCORES` (runs, scores) on unseen classes, by whole rows."""
    columns = [1 + METRICS.index(f"{score}.unseen") for score in SCORES]
    return np.array([result.rows[-1, columns] for result in results], np.float64)


class Gain(NamedTuple):
    """The change of a score by a method at its defaults, whether it is more than chance, and whether rounding may decide that."""

    method: str
    score: str
    by: float
    matters: bool
    close: bool

    @property
    def possible_verdicts(self) -> set[int]:
        """The verdicts that rounding leaves possible: 1 for higher, -1 for lower, 0 for no different."""
        way = 1 if self.by > 0 else -1
        return {0, way} if self.close else {way * self.matters}


@once
def gains() -> tuple[Gain, ...]:
    """The gain of each method at its defaults, by each of `SCORES`."""
    kinds = {name: METHODS[name]() for name in OFFERED}
    every = []
    for name, kind in kinds.items():
        comparison = Comparison(Settings(kind, plain_run_for(kind).loss))
        for score, effect in comparison.effects.items():
            close = is_fragile(effect, comparison.effects_with_other_rounding.get(score, effect))
            every.append(Gain(name, score, float(np.diff(effect.means)[0]), effect.matters, close))
    return tuple(every)


def methods_with_unstable_verdicts() -> set[str]:
    """The names of the methods for which rounding on another processor may change the verdict."""
    ways = {name: [gain.possible_verdicts for gain in gains() if gain.method == name] for name in OFFERED}
    return {name for name, verdicts in ways.items() if len({frozenset(each) - {0} for each in product(*verdicts)}) > 1}
