"""The declaration of a race: one run, the racers' differences from it, and the number of seeds."""

from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Any

from dml_viz.losses import Loss
from dml_viz.params import knobs, training_params
from dml_viz.training.experiment import Branch, Experiment
from dml_viz.training.paths import paths, value_title, with_value, write_value
from dml_viz.training.run import STEPS_CAP, Run

MOST_RACERS, MOST_SEEDS = 12, 5
LETTERS = ascii_uppercase[:MOST_RACERS]  # names of racers, in their order
SEEDS_CAP = 2**31


@dataclass(frozen=True)
class Racer:
    """A loss in a race, which trains from step 0 or, where it has a ``branch``, from a step of another racer.

    ``changes`` are its other differences from the race's run, as (path, value) of knobs in the order of their paths:
    (("lr", 0.01), ("sampler.samples", 32)).
    """

    loss: Loss
    branch: Branch | None = None
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def title(self) -> str:
        """The loss and the knobs that are not at their defaults for training, such as "Triplet, margin 0.5"."""
        name, values = self.loss.name, knobs(self.loss)
        changed = [
            f"{knob.label_text} {write_value(values[knob.name])}"
            for knob in training_params(self.loss)
            if values[knob.name] not in (knob.default, name)
        ]
        return ", ".join([name, *changed, *(value_title(path, value) for path, value in self.changes)])

    @property
    def name(self) -> str:
        """The title and, of one that branches off, from which racer and step: "FastAP, from A at step 50"."""
        return f"{self.title}, from {LETTERS[self.branch.of]} at step {self.branch.step:,}" if self.branch else self.title

    def title_on(self, run: Run) -> str:
        """The title in a race of ``run``: a method that replaces the loss comes first, and the loss is without its knobs."""
        if not (method := self.run_on(run).method).replaces_loss:
            return self.title
        changes = (value_title(path, value) for path, value in self.changes if path != "method")
        return ", ".join([f"{method.title} in place of {self.loss.name}", *changes])

    def run_on(self, run: Run) -> Run:
        """``run`` as this racer trains it; ValueError for changes that it cannot have."""
        run = replace(run, loss=self.loss)
        for path, value in self.changes:
            run = with_value(run, path, value)
        return run

    def without_unfit_changes(self, run: Run) -> "Racer":
        """The racer without the changes that ``run`` cannot have, such as the depth of a net without that knob."""
        changed, fitting = replace(run, loss=self.loss), []
        for path, value in self.changes:
            if path in paths(changed):
                changed = with_value(changed, path, value)
                fitting.append((path, value))
        return replace(self, changes=tuple(fitting))


@dataclass(frozen=True)
class Race:
    """``run`` with the loss and the changes of each racer, from ``seeds`` seeds: the run's own and the next ones.

    At most `MOST_RACERS` racers and `MOST_SEEDS` seeds. ValueError for more or none, for a racer whose run is not allowed, and
    for a branch that is not from an earlier racer with the same images, net and dimension, or not within the budget.
    """

    run: Run
    racers: tuple[Racer, ...]
    seeds: int = 1

    def __post_init__(self) -> None:
        if not 1 <= len(self.racers) <= MOST_RACERS:
            raise ValueError(f"{len(self.racers)} racers; choose 1 to {MOST_RACERS}")
        if not 1 <= self.seeds <= MOST_SEEDS:
            raise ValueError(f"seeds = {self.seeds}; choose 1 to {MOST_SEEDS}")
        for number, racer in enumerate(self.racers):
            try:
                run = self.run_of(number)
            except ValueError as error:
                raise ValueError(f"racer {number + 1}: {error}") from error
            if not (branch := racer.branch):
                continue
            if not (0 <= branch.of < number and 0 < branch.step <= STEPS_CAP):
                raise ValueError(
                    f"racer {number + 1} leaves racer {branch.of + 1} at step {branch.step}; "
                    "name a racer before it and a step of at least 1"
                )
            origin = self.run_of(branch.of)
            if (run.dataset, run.net, run.dim) != (origin.dataset, origin.net, origin.dim):
                raise ValueError(
                    f"racer {number + 1} goes on with the weights of racer {branch.of + 1}; "
                    "choose the same images, net and dimension, or let it start from the start"
                )

    def run_of(self, racer: int, seed: int = 0) -> Run:
        """The plain run of a racer from the ``seed``-th seed; without a branch it trains exactly as in the race."""
        return self.racers[racer].run_on(replace(self.run, seed=(self.run.seed + seed) % SEEDS_CAP))

    @property
    def experiment(self) -> Experiment:
        """All runs of the race, racer by racer, the seeds of each in a row."""
        seeds = range(self.seeds)
        runs = tuple(self.run_of(racer, seed) for racer in range(len(self.racers)) for seed in seeds)
        strides = {run.stride for run in runs}
        if len(strides) > 1:  # nets with different strides; a race shows all runs at the same steps
            runs = tuple(replace(run, every=min(strides)) for run in runs)
        starts = [(racer.branch, seed) for racer in self.racers for seed in seeds]
        branches = tuple(start and Branch(start.step, start.of * self.seeds + seed) for start, seed in starts)
        return Experiment(runs, tuple(racer.title_on(self.run) for racer in self.racers), branches, self.seeds)

    @property
    def total_steps(self) -> int:
        """The number of steps of all runs together; steps that a branch shares with another racer are counted once."""
        lengths = (self.run.steps - (racer.branch.step if racer.branch else 0) for racer in self.racers)
        return self.seeds * sum(max(0, steps) for steps in lengths)


def experiment_of(race: Run | Race) -> Experiment:
    """The experiment of a run, or of a race."""
    return race.experiment if isinstance(race, Race) else Experiment.of(race)
