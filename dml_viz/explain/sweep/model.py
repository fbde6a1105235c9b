"""The results of a sweep: how much a knob and the seed move a score, and whether chance explains that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from dml_viz.engine.members import METRICS
from dml_viz.engine.results import Result, retrained_scores, score_table
from dml_viz.params import Param
from dml_viz.room.decision import share_of_shuffles
from dml_viz.room.markdown import MOST_NAMED
from dml_viz.room.run_form import EvaluatedPoints
from dml_viz.training.effects import Effect, differences_by_chance
from dml_viz.training.paths import kind_titles, write_value
from dml_viz.training.run import Run
from dml_viz.training.sweep import LOOKS, Sweep, share_seen, steps_of_looks

Floats = NDArray[np.float64]
SCORES: Mapping[str, str] = MappingProxyType({"map": "mAP", "r1": "R@1", "mapr": "MAP@R", "active": "active share"})


@dataclass(frozen=True, eq=False)
class SweepScores:
    """All scores of a sweep so far, (cells, seeds, 1 + looks, metrics) float32, NaN without a result.

    ``again`` (cells, seeds, metrics) are the last ones of the same runs rounded otherwise; None without these.
    """

    scores: NDArray[np.float32]
    again: NDArray[np.float32] | None = None

    @classmethod
    def of(cls, sweep: Sweep, results: Sequence[Result | None]) -> "SweepScores":
        """The scores of the ``results`` of a sweep's runs, with those of the same runs rounded otherwise."""
        return cls(score_table(sweep, results), retrained_scores(sweep, results))


@dataclass(frozen=True)
class Settings:
    """A sweep, its scores, the metric and the look shown, and the numbers of the runs that stopped before their end."""

    sweep: Sweep
    table: SweepScores
    score: str = "map"
    look: int = LOOKS
    stopped: tuple[int, ...] = ()


def scored_data(run: Run, group: str) -> str:
    """The data of a ``group`` of ``run``, "seen" or "unseen", in words: classes, or images where every class is trained on."""
    name = f"{group} classes"
    return EvaluatedPoints.titles(run).get(name, name)


@dataclass(frozen=True, eq=False)
class Model:
    """The scores of a sweep by one metric at one step, and the effects of its knobs on them."""

    settings: Settings

    @property
    def sweep(self) -> Sweep:
        """The sweep of the settings."""
        return self.settings.sweep

    @property
    def score_name(self) -> str:
        """The name of the metric."""
        return SCORES[self.settings.score]

    @property
    def is_quality(self) -> bool:
        """Whether more of the metric is better, as it is not of the active share."""
        return self.settings.score != "active"

    @property
    def scored_data(self) -> str:
        """The data that the score is measured on."""
        if not self.is_quality:
            return "of the batch"
        return scored_data(self.sweep.run, "unseen")

    @property
    def score_on_data(self) -> str:
        """The score and the data that it is measured on, in words."""
        return f"{self.score_name} {'on ' if self.is_quality else ''}{self.scored_data}"

    @property
    def seeds_in_words(self) -> str:
        """How many seeds are complete."""
        count = len(self.complete_seeds)
        return f"{count} complete seed{'s' * (count != 1)}"

    @property
    def share_by_chance(self) -> str:
        """The share of shuffles of the first knob's values that move the score by as much."""
        return share_of_shuffles(self.effects[0])

    @property
    def when(self) -> str:
        """The step in view, in words; of runs that see equally many images, the share of these."""
        if self.sweep.equal == "images":
            return f"{share_seen(self.step, self.sweep.run.steps)} of the images seen"
        return f"step {self.step:,}"

    @property
    def _column(self) -> int:
        return METRICS.index(f"{self.settings.score}{'.unseen' * self.is_quality}")

    @cached_property
    def course(self) -> Floats:
        """The score at the start and at all looks (cells, seeds, 1 + looks)."""
        return self.settings.table.scores[..., self._column].astype(np.float64)

    @cached_property
    def scores_now(self) -> Floats:
        """The scores at the step in view (cells, seeds)."""
        return np.asarray(self.course[..., self.settings.look])

    @property
    def step(self) -> int:
        """The step in view of the sweep's run."""
        return steps_of_looks(self.sweep.run.steps)[self.settings.look]

    def looks_along(self, run: Run) -> Floats:
        """The steps of the start and the looks of ``run``; of runs that see equally many images, the percent of these."""
        return np.array(steps_of_looks(run.steps)) * (100 / run.steps if self.sweep.equal == "images" else 1.0)

    @cached_property
    def finished_runs(self) -> int:
        """The number of runs with a result."""
        return int(np.isfinite(self.course[..., -1]).sum())

    @property
    def waits(self) -> bool:
        """Whether runs are still to come: neither ended nor stopped."""
        return self.finished_runs + len(self.settings.stopped) < len(self.sweep.runs)

    @property
    def why_incomplete(self) -> str:
        """The sentences that say why no seed is complete: the values whose runs stopped, if any, and what to do."""
        why = f"{'No seed has all of its runs' if self.finished_runs else 'No run has ended'}{' yet' * self.waits}."
        cells = sorted({number % len(self.sweep.cells) for number in self.settings.stopped})
        if not cells:
            return why
        values = "; ".join(map(self._pair_in_words, cells[:MOST_NAMED]))
        more = f" and {len(cells) - MOST_NAMED} more" if len(cells) > MOST_NAMED else ""
        return f"{why} Runs at {values}{more} stopped before their end. Leave such values out to compare the others."

    @cached_property
    def complete_seeds(self) -> NDArray[np.int64]:
        """The indices of the seeds with a result in every cell."""
        return np.flatnonzero(np.isfinite(self.scores_now).all(0))

    @cached_property
    def averaged_runs(self) -> NDArray[np.bool_]:
        """Whether means include a run (cells, seeds): one of a complete seed; without such seeds, any with a result."""
        finished = np.isfinite(self.scores_now)
        return finished & finished.all(0) if len(self.complete_seeds) else finished

    @property
    def averaging(self) -> str:
        """The words, after a semicolon, for means that are not over complete seeds; empty if they are, or there are none."""
        return "; means over the runs that have ended" if self.finished_runs and not len(self.complete_seeds) else ""

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """The effect of each axis over the complete seeds; empty without such seeds."""
        return self._effects(self.scores_now[:, self.complete_seeds]) if len(self.complete_seeds) else ()

    @cached_property
    def effects_with_other_rounding(self) -> tuple[Effect, ...]:
        """The effect of each axis in the same runs, of the same seeds, trained with other rounding; empty without such runs.

        Empty, too, before the last step.
        """
        table = self.settings.table.again
        if table is None or self.settings.look != LOOKS:
            return ()
        return self._effects(table[:, self.complete_seeds, self._column].astype(np.float64))

    def _effects(self, scores: Floats) -> tuple[Effect, ...]:
        """The effect of each axis on scores (cells, complete seeds)."""
        grid = scores.reshape(*self.sweep.shape, len(self.complete_seeds))
        effects = []
        for k, (axis, title, knob) in enumerate(zip(self.sweep.axes, self.sweep.titles, self.sweep.knobs, strict=True)):
            # Values are shuffled within blocks: a block is a seed at one value of the other knob.
            blocks = np.moveaxis(grid, k, -1)
            size = len(axis.values)
            shuffled = differences_by_chance(blocks.reshape(-1, size))
            at_each_level = blocks.reshape(-1, len(self.complete_seeds), size)
            by_block, levels = at_each_level.mean(0), len(at_each_level)
            effect = Effect(title, self.value_names(k), has_numbers(knob), by_block, shuffled, levels, self.is_quality)
            effects.append(effect)
        return tuple(effects)

    @property
    def main_figure_name(self) -> str:
        """The name of the sweep's figure: for two knobs, lines if the values of either are names, else a map."""
        return "knob" if len(self.sweep.axes) < 2 else "grid" if self.numbered_axis < 0 else "lines"

    @property
    def numbered_axis(self) -> int:
        """The index of the knob whose values are numbers, if the other knob's are names; else -1."""
        kinds = [has_numbers(knob) for knob in self.sweep.knobs]
        return kinds.index(True) if sorted(kinds) == [False, True] else -1

    @cached_property
    def lines(self) -> tuple[Effect, ...]:
        """The effect of the numbered knob at each value of the other; empty without such knobs or a complete seed."""
        across = self.numbered_axis
        if across < 0 or not len(self.complete_seeds):
            return ()
        scores = self.scores_now[:, self.complete_seeds].reshape(*self.sweep.shape, -1)
        grid = np.moveaxis(scores, across, -1)  # (lines, seeds, values)
        each = zip(self.value_names(1 - across), grid, strict=True)
        return tuple(Effect(name, self.value_names(across), True, by_seed, np.zeros(1)) for name, by_seed in each)

    def value_names(self, k: int) -> tuple[str, ...]:
        """The names of the values of axis ``k``."""
        titles, values = kind_titles(self.sweep.knobs[k]), self.sweep.axes[k].values
        return tuple(titles.get(value) or write_value(value).replace("_", " ") for value in values)

    def cell_in_words(self, cell: int) -> str:
        """The values of a cell in words."""
        return ", ".join(self._names_of_cell(cell))

    def _pair_in_words(self, cell: int) -> str:
        """The values of a cell in words; of two knobs each with its knob: "bins 4 with learning rate 0.1"."""
        names = self._names_of_cell(cell)
        pairs = zip(self.sweep.titles, names, strict=True)
        return " with ".join(f"{title} {name}" for title, name in pairs) if len(names) > 1 else names[0]

    def _names_of_cell(self, cell: int) -> tuple[str, ...]:
        return list(product(*map(self.value_names, range(len(self.sweep.axes)))))[cell]


def has_numbers(knob: Param) -> bool:
    """Whether the values of a knob are numbers."""
    return knob.kind in (int, float)
