"""What decides a race: one run in which the racers differ by their loss alone, and how many seeds it is run from."""

from dataclasses import dataclass, replace
from string import ascii_uppercase

from dml_viz.losses import Loss
from dml_viz.params import knobs, trained
from dml_viz.training.experiment import Branch, Experiment
from dml_viz.training.run import STEPS_CAP, Run

MOST_RACERS, MOST_SEEDS = 12, 5
LETTERS = ascii_uppercase[:MOST_RACERS]  # by which racers are called, in their order
SEEDS_CAP = 2**31


@dataclass(frozen=True)
class Racer:
    """A loss in a race, which trains from the start or, where it has a ``branch``, from a step of another racer.

    ``lr`` is a learning rate of its own; without one it takes the race's.
    """

    loss: Loss
    branch: Branch | None = None
    lr: float | None = None

    @property
    def title(self) -> str:
        """The loss and the knobs that are not at their defaults for training, such as "Triplet, margin 0.5"."""
        name, values = self.loss.name, knobs(self.loss)
        changed = [
            f"{knob.called} {_short(values[knob.name])}"
            for knob in trained(self.loss)
            if values[knob.name] not in (knob.default, name)
        ]
        rate = [] if self.lr is None else [f"learning rate {_short(self.lr)}"]
        return ", ".join([name, *changed, *rate])


@dataclass(frozen=True)
class Race:
    """``run`` under the loss of each racer, from ``seeds`` seeds, the run's own and those after it.

    At most `MOST_RACERS` racers and `MOST_SEEDS` seeds. ValueError where there are more or none, or a branch is not of an
    earlier racer or not within the budget.
    """

    run: Run
    racers: tuple[Racer, ...]
    seeds: int = 1

    def __post_init__(self) -> None:
        if not 1 <= len(self.racers) <= MOST_RACERS:
            raise ValueError(f"{len(self.racers)} racers; choose 1 to {MOST_RACERS}")
        if not 1 <= self.seeds <= MOST_SEEDS:
            raise ValueError(f"seeds = {self.seeds}; choose 1 to {MOST_SEEDS}")
        for place, racer in enumerate(self.racers):
            branch = racer.branch
            if branch and not (0 <= branch.of < place and 0 < branch.step <= STEPS_CAP):
                raise ValueError(
                    f"racer {place + 1} leaves racer {branch.of + 1} at step {branch.step}; "
                    "name a racer before it and a step of at least 1"
                )

    def run_of(self, racer: int, seed: int = 0) -> Run:
        """The plain run of a racer from the ``seed``-th seed: but for a branch, what trains by itself what the race does."""
        loss, lr = self.racers[racer].loss, self.racers[racer].lr
        seeded = replace(self.run, loss=loss, seed=(self.run.seed + seed) % SEEDS_CAP)
        return seeded if lr is None else replace(seeded, lr=lr)

    @property
    def experiment(self) -> Experiment:
        """All of its runs, racer by racer, the seeds of each in a row."""
        seeds = range(self.seeds)
        runs = tuple(self.run_of(racer, seed) for racer in range(len(self.racers)) for seed in seeds)
        branches = tuple(
            racer.branch and Branch(racer.branch.step, racer.branch.of * self.seeds + seed)
            for racer in self.racers
            for seed in seeds
        )
        return Experiment(runs, tuple(racer.title for racer in self.racers), branches, self.seeds)

    @property
    def runs(self) -> int:
        """How many runs it is."""
        return len(self.racers) * self.seeds

    @property
    def steps(self) -> int:
        """How many steps it trains in all; what a branch shares with another racer is trained once."""
        own = (self.run.steps - (racer.branch.step if racer.branch else 0) for racer in self.racers)
        return self.seeds * sum(max(0, steps) for steps in own)


def experiment_of(wanted: Run | Race) -> Experiment:
    """The experiment that is a run by itself, or a race."""
    return wanted.experiment if isinstance(wanted, Race) else Experiment.of(wanted)


def _short(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
