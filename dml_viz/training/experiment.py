"""What one job trains: any number of plain runs, which of them leave another one's way, in which order, whose frames are kept."""

from dataclasses import dataclass
from typing import Literal

from dml_viz.data.datasets.own import Own
from dml_viz.training.run import Run

Order = Literal["furthest behind", "one by one"]
Keep = Literal["first seeds", "none"]


@dataclass(frozen=True)
class Branch:
    """Where a run, or a racer, leaves another one's way: at ``step``, with the weights of number ``of``, counted from 0."""

    step: int
    of: int


@dataclass(frozen=True)
class Experiment:
    """Plain ``runs`` that are trained together: a run is an experiment of one, a race one over losses and seeds.

    Each ``seeds`` runs in a row differ by their seed alone and share a title of ``titles``. ``branches``, one for each run or
    none at all, say which run starts from a step of an earlier one. ``order`` says which run is trained next; ``keep`` says
    of which runs every frame is kept, not the curves alone. ValueError where the numbers disagree.
    """

    runs: tuple[Run, ...]
    titles: tuple[str, ...]
    branches: tuple[Branch | None, ...] = ()
    seeds: int = 1
    order: Order = "furthest behind"
    keep: Keep = "first seeds"

    def __post_init__(self) -> None:
        if not self.runs or len(self.runs) != self.seeds * len(self.titles):
            raise ValueError(
                f"{len(self.runs)} runs for {len(self.titles)} titles and {self.seeds} seeds; pass their product"
            )
        if self.branches and len(self.branches) != len(self.runs):
            raise ValueError(f"{len(self.branches)} branches for {len(self.runs)} runs; pass one for each, or none")
        if any(branch and not 0 <= branch.of < place for place, branch in enumerate(self.branches)):
            raise ValueError("a branch leaves a run before it; name one of those")

    @classmethod
    def of(cls, run: Run) -> "Experiment":
        """``run`` by itself."""
        return cls((run,), (run.loss.title,))

    @property
    def alone(self) -> bool:
        """Whether it is one run."""
        return len(self.runs) == 1

    @property
    def budget(self) -> int:
        """Steps that each run trains."""
        return self.runs[0].steps

    @property
    def own_files(self) -> frozenset[str]:
        """The fingerprints of the visitor's own images that it trains on."""
        return frozenset(run.dataset.file for run in self.runs if isinstance(run.dataset, Own))

    @property
    def watched(self) -> tuple[int, ...]:
        """The first run on each of the data that are watched, by number: a dataset as it is judged."""
        first: dict[object, int] = {}
        for place, run in enumerate(self.runs):
            first.setdefault((run.dataset, run.protocol), place)
        return tuple(first.values())

    @property
    def drawn(self) -> tuple[int, ...]:
        """The runs whose frames are kept, by number."""
        return tuple(range(0, len(self.runs), self.seeds)) if self.keep == "first seeds" else ()

    def branch(self, run: int) -> Branch | None:
        """Where the run of that number leaves another one's way."""
        return self.branches[run] if self.branches else None
