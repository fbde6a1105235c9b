"""A sweep: one run with several values of one knob, or of two, each from the same seeds."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from math import ceil
from typing import Any

import torch

from dml_viz.data.datasets._base import Dataset
from dml_viz.data.samplers._base import Sampler
from dml_viz.data.training_set import training_set
from dml_viz.params import NearestError, Param
from dml_viz.training.experiment import Experiment
from dml_viz.training.paths import knob_at, read_value, title_at, with_value, write_value
from dml_viz.training.race import SEEDS_CAP
from dml_viz.training.run import STEPS_CAP, Run

MOST_VALUES, MOST_SEEDS, MOST_RUNS = 20, 10, 300
LOOKS = 10  # steps of a run at which it is looked at, evenly spaced
SUGGESTED = 5  # values
EQUAL = ("steps", "images")
VALUE, BETWEEN = ":", "_"
LONGEST_AXIS = 400
GEOMETRIC = 30  # ratio of a slider's ends from which on suggested values have equal ratios, not equal differences


@dataclass(frozen=True)
class Axis:
    """The knob at ``path`` and the ``values`` that it takes, each once; ValueError for too few, too many or equal ones."""

    path: str
    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.values) <= MOST_VALUES:
            values = "1 value" if len(self.values) == 1 else f"{len(self.values)} values"
            raise ValueError(f"{self.path} has {values}; choose 2 to {MOST_VALUES}")
        if len(set(self.values)) < len(self.values):
            raise ValueError(f"{self.path} has a value twice: {', '.join(map(write_value, self.values))}; name each once")

    def write(self) -> str:
        """The text of the axis in a link: ``loss.bins:2_5_10``."""
        return f"{self.path}{VALUE}{BETWEEN.join(map(write_value, self.values))}"

    @classmethod
    def read(cls, run: Run, text: str) -> "Axis":
        """The axis of ``run`` written as ``text``; ValueError, naming value, range and fix, for any other text."""
        if len(text) > LONGEST_AXIS:
            raise ValueError(f"an axis takes {len(text):,} characters, more than {LONGEST_AXIS}; name fewer values")
        path, _, values = text.partition(VALUE)
        try:
            return cls(path, read_values(knob_at(run, path), values))
        except NearestError as error:  # its ``nearest`` is a value and no axis
            raise ValueError(str(error)) from error


@dataclass(frozen=True)
class Sweep:
    """``run`` with every value of one or two ``axes``, from ``seeds`` seeds: the run's own and the next ones.

    All runs train for equally many "steps" or "images", as ``equal`` says. ValueError, naming value, range and fix, where one
    of the runs is not allowed.
    """

    run: Run
    axes: tuple[Axis, ...]
    seeds: int = 5
    equal: str = "steps"

    def __post_init__(self) -> None:
        if not 1 <= len(self.axes) <= 2 or len({axis.path for axis in self.axes}) < len(self.axes):
            raise ValueError("a sweep takes one knob, or two different ones")
        if not 1 <= self.seeds <= MOST_SEEDS:
            raise ValueError(f"seeds = {self.seeds}; choose 1 to {MOST_SEEDS}")
        if self.equal not in EQUAL:
            raise ValueError(f"equal = {self.equal!r}; choose {' or '.join(EQUAL)}")
        count = len(self.cells) * self.seeds
        if count > MOST_RUNS:
            raise ValueError(f"{count} runs are more than {MOST_RUNS}; take fewer values or seeds")
        for cell in self.cells:
            self.run_of(cell)

    @cached_property
    def cells(self) -> tuple[tuple[Any, ...], ...]:
        """Every combination of values; the first axis changes slowest."""
        return tuple(product(*(axis.values for axis in self.axes)))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each axis."""
        return tuple(len(axis.values) for axis in self.axes)

    @property
    def titles(self) -> tuple[str, ...]:
        """The title of each axis."""
        return tuple(title_at(self.run, axis.path) for axis in self.axes)

    @property
    def knobs(self) -> tuple[Param, ...]:
        """The knob of each axis."""
        return tuple(knob_at(self.run, axis.path) for axis in self.axes)

    def run_of(self, cell: Sequence[Any], seed: int = 0) -> Run:
        """The plain run of a cell from the ``seed``-th seed, with `LOOKS` frames."""
        run = replace(self.run, seed=(self.run.seed + seed) % SEEDS_CAP)
        for axis, value in zip(self.axes, cell, strict=True):
            run = with_value(run, axis.path, value)
        if self.equal == "images":
            steps = max(1, round(run.steps * batch_size(self.run) / batch_size(run)))
            if steps > STEPS_CAP:
                at = ", ".join(f"{title} {write_value(value)}" for title, value in zip(self.titles, cell, strict=True))
                raise ValueError(
                    f"{at} takes {steps:,} steps to see as many images, more than the {STEPS_CAP:,} allowed; choose fewer steps, "
                    f"other values, or equal for all: {EQUAL[0]}"
                )
            run = replace(run, steps=steps)
        return replace(run, every=_stride(run.steps))

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All runs, seed by seed and, within a seed, cell by cell."""
        return tuple(self.run_of(cell, seed) for seed in range(self.seeds) for cell in self.cells)

    @property
    def experiment(self) -> Experiment:
        """The experiment of all runs."""
        return experiment_of_runs(self.runs)


def experiment_of_runs(runs: Sequence[Run]) -> Experiment:
    """The experiment of ``runs``, in which each ends before the next begins, and only curves are kept."""
    return Experiment(tuple(runs), tuple(map(str, range(len(runs)))), order="one by one", keep="none")


@lru_cache(maxsize=256)
def steps_of_looks(steps: int) -> tuple[int, ...]:
    """The steps of the frames that show the start and each look of a run of so many ``steps``: the frames nearest to them."""
    frames = (*range(0, steps, _stride(steps)), steps)
    return tuple(min(frames, key=lambda frame: abs(frame - steps * look / LOOKS)) for look in range(1 + LOOKS))


def _stride(steps: int) -> int:
    """The steps from frame to frame in a run of so many ``steps``."""
    return min(1000, ceil(steps / LOOKS))


def share_seen(step: int, steps: int) -> str:
    """The share of its images that a run has seen at ``step``, in words; runs of other ``steps`` have frames near that share."""
    return f"{'about ' * (step < steps)}{step / steps:.0%}"


def batch_size(run: Run) -> int:
    """The number of images in a batch of ``run``."""
    return _batch_size(run.dataset, run.protocol, run.label_noise, run.sampler)


@lru_cache(maxsize=256)
def _batch_size(dataset: Dataset, protocol: str, noise: float, sampler: Sampler) -> int:
    data = training_set(dataset, protocol, torch.device("cpu"), noise)
    return len(data.batches(sampler, 0, 0).on_device[0])


def read_values(knob: Param, text: str) -> tuple[Any, ...]:
    """The values of ``knob`` in ``text``, separated by commas, spaces or ``_``; ValueError for one that is not allowed.

    A name may contain a separator, so names are found by the choices of the knob.
    """
    if knob.kind is str:
        names = "|".join(map(re.escape, sorted(knob.choices, key=len, reverse=True)))
        rest = re.sub(names, "", text).strip(" ,_")
        if rest.replace("_", "").replace(",", "").strip():
            raise ValueError(f"{knob.name} = {rest!r} is not allowed; choose {knob.allowed}")
        return tuple(re.findall(names, text))
    return tuple(sorted(read_value(knob, part) for part in re.split(r"[\s,_]+", text.strip(" ,_")) if part))


def suggested_values(knob: Param) -> tuple[Any, ...]:
    """Values worth trying: all choices, or `SUGGESTED` values over the slider, with equal ratios if its ends are far apart."""
    if knob.kind in (bool, str) or knob.choices:
        return knob.ends[:MOST_VALUES]
    low, high = knob.slider or (knob.default / 4 or 1, knob.default * 4 or 1)
    if low > 0 and (knob.log or high / low >= GEOMETRIC):
        spread = [low * (high / low) ** (k / (SUGGESTED - 1)) for k in range(SUGGESTED)]
    else:
        spread = [low + (high - low) * k / (SUGGESTED - 1) for k in range(SUGGESTED)]
    values = [knob.kind(round(value) if knob.kind is int else float(f"{value:.2g}")) for value in spread]
    return tuple(dict.fromkeys(value for value in values if not knob.error_for(value)))
