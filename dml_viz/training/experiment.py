"""An experiment, which one job trains: any number of plain runs, their branches, their order, and whose frames are kept."""

from dataclasses import dataclass
from typing import Any, Literal

from dml_viz.data.datasets.own import OwnDataset
from dml_viz.training.run import Run

Order = Literal["furthest behind", "one by one"]
Keep = Literal["first seeds", "none"]


@dataclass(frozen=True)
class Branch:
    """The start of a run, or a racer, from another one: at ``step``, with the weights of number ``of``, counted from 0."""

    step: int
    of: int


class Runs:
    """The ``runs`` of an experiment: what their data sets and their number say."""

    runs: tuple[Any, ...]

    @property
    def is_single(self) -> bool:
        """Whether there is one run."""
        return len(self.runs) == 1

    @property
    def first_runs_per_dataset(self) -> tuple[int, ...]:
        """The numbers of the first runs, one per pair of a data set and a protocol: runs on a pair evaluate the same points."""
        first: dict[object, int] = {}
        for number, run in enumerate(self.runs):
            first.setdefault((run.dataset, run.protocol), number)
        return tuple(first.values())


@dataclass(frozen=True)
class Experiment(Runs):
    """Plain ``runs`` that are trained together: a single run is an experiment, a race is one over losses and seeds.

    Each ``seeds`` adjacent runs differ by their seed alone and share a title of ``titles``. ``branches`` has one entry for each
    run, or is empty: a run with a branch starts from a step of an earlier run. ``order`` says which run is trained next; ``keep``
    says of which runs all frames are kept; of the others, curves are. ValueError where the numbers disagree.
    """

    runs: tuple[Run, ...]
    titles: tuple[str, ...]
    branches: tuple[Branch | None, ...] = ()
    seeds: int = 1
    order: Order = "furthest behind"
    keep: Keep = "first seeds"

    def __post_init__(self) -> None:
        if not self.runs or len(self.runs) != self.seeds * len(self.titles):
            raise ValueError(f"{len(self.runs)} runs for {len(self.titles)} titles and {self.seeds} seeds; pass their product")
        if self.branches and len(self.branches) != len(self.runs):
            raise ValueError(f"{len(self.branches)} branches for {len(self.runs)} runs; pass one for each, or none")
        if any(branch and not 0 <= branch.of < number for number, branch in enumerate(self.branches)):
            raise ValueError("a branch leaves a run before it; name one of those")

    @classmethod
    def of(cls, run: Run) -> "Experiment":
        """The experiment of ``run`` alone."""
        return cls((run,), (run.loss.title,))

    @property
    def budget(self) -> int:
        """The steps that each run trains."""
        return self.runs[0].steps

    @property
    def image_file_fingerprints(self) -> frozenset[str]:
        """The fingerprints of the files of a visitor's own images on which the experiment trains."""
        return frozenset(run.dataset.file for run in self.runs if isinstance(run.dataset, OwnDataset))

    @property
    def runs_with_frames(self) -> tuple[int, ...]:
        """The numbers of the runs whose frames are kept."""
        return tuple(range(0, len(self.runs), self.seeds)) if self.keep == "first seeds" else ()

    def branch(self, run: int) -> Branch | None:
        """The branch from which run number ``run`` starts; None if it starts at step 0."""
        return self.branches[run] if self.branches else None
