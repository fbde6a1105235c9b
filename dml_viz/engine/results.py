"""The results of the runs of a sweep, as bytes, as a table and as CSV; those that are recorded."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dml_viz.data.wire import messages, pack, unpack
from dml_viz.engine.history import curve_table
from dml_viz.engine.member import Member
from dml_viz.engine.members import METRICS
from dml_viz.engine.recordings import FOLDER, trained_and_timed
from dml_viz.threads import once
from dml_viz.training.device import device_title
from dml_viz.training.first_steps import agrees_with_recorded, digest, first_steps
from dml_viz.training.frame import scores_by_way
from dml_viz.training.loop import Run
from dml_viz.training.sweep import LOOKS, Sweep, steps_of_looks

FILE = FOLDER / "sweep.bin"
CHECKED = 3  # steps trained to see whether results are today's: a changed loss differs from the first step on


@dataclass(frozen=True, eq=False)
class Result:
    """The result of a run: ``rows`` (m, 1 + metrics) float32, each a step and its `METRICS`, and the seconds of training.

    ``again`` (metrics,) are the last `METRICS` of the same run with its first weights changed in their last bit, which is as much
    as processors differ by; empty if it was not trained again.
    """

    rows: NDArray[np.float32]
    seconds: float
    again: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    def pack(self) -> bytes:
        """The result as bytes."""
        return pack({"seconds": self.seconds}, {"rows": self.rows})

    @classmethod
    def unpack(cls, body: bytes) -> "Result":
        """The result that `pack` wrote."""
        header, arrays = unpack(body)
        return cls(arrays["rows"], header["seconds"])

    @classmethod
    def of(cls, member: Member) -> "Result":
        """The result of a member of a job."""
        history = member.history
        return cls(curve_table(history.all_steps, [(history.columns, history.rows())], METRICS, 1), member.seconds)


def score_table(sweep: Sweep, results: Sequence[Result | None]) -> NDArray[np.float32]:
    """The `METRICS` (cells, seeds, 1 + LOOKS, metrics) of all runs at the start and at `LOOKS` steps; NaN without a result."""
    cells = len(sweep.cells)
    table = np.full((sweep.seeds, cells, 1 + LOOKS, len(METRICS)), nan, np.float32)
    for number, (run, result) in enumerate(zip(sweep.runs, results, strict=True)):
        if result is not None:
            nearest = np.abs(result.rows[:, :1] - steps_of_looks(run.steps)).argmin(0)
            table[divmod(number, cells)] = result.rows[nearest, 1:]
    return table.swapaxes(0, 1)


def retrained_scores(sweep: Sweep, results: Sequence[Result | None]) -> NDArray[np.float32] | None:
    """The last `METRICS` (cells, seeds, metrics) of all runs trained again; None unless all were."""
    scores = [result.again for result in results if result is not None and len(result.again)]
    if len(scores) < len(sweep.runs):
        return None
    return np.stack(scores).reshape(sweep.seeds, len(sweep.cells), -1).swapaxes(0, 1)


def results_as_csv(sweep: Sweep, results: Sequence[Result | None]) -> str:
    """Every row of every result as CSV: the values of the axes, seed, step, `METRICS`, and the seconds of the run."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow([*(axis.path for axis in sweep.axes), "seed", "step", *METRICS, "seconds"])
    for number, (run, result) in enumerate(zip(sweep.runs, results, strict=True)):
        cell = sweep.cells[number % len(sweep.cells)]
        rows, seconds = (result.rows.tolist(), result.seconds) if result else ([], nan)
        for step, *scores in rows:
            writer.writerow([*cell, run.seed, int(step), *(f"{score:.6g}" for score in scores), f"{seconds:.2f}"])
    return lines.getvalue()


@dataclass(frozen=True, eq=False)
class RecordedResult(Result):
    """A result with the `first_steps` (m, 2) of its run, which tell whether it is today's, and the processor that trained it.

    ``ways`` are the scores of a method's other ways to search at the end, by their names.
    """

    first: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    ways: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    processor: str = ""

    @classmethod
    def trained(cls, run: Run) -> "RecordedResult":
        """The result of ``run``, trained in this process; ValueError if the run fails."""
        done = trained_and_timed(run)
        rows = [[frame.step, *(frame.scalars[name] for name in METRICS)] for frame in done.frames]
        ways, first = scores_by_way(run, done.end), first_steps(run)
        return cls(np.array(rows, np.float32), done.seconds, first=first, ways=ways, processor=device_title("cpu"))

    def trained_again(self, run: Run) -> "RecordedResult":
        """The same result with ``again``, trained in this process."""
        (*_, last) = trained_and_timed(replace(run, every=1000), nudged=True).frames
        return replace(self, again=np.array([last.scalars[name] for name in METRICS], np.float32))

    def named(self, name: str) -> bytes:
        """The result as bytes, with the digest of its run."""
        header = {"name": name, "seconds": self.seconds, "ways": self.ways, "processor": self.processor}
        return pack(header, {"rows": self.rows, "first": self.first, "again": self.again})


class Recorded:
    """Recorded results ``by_digest``."""

    def __init__(self, by_digest: Mapping[str, RecordedResult]) -> None:
        self.by_digest = by_digest
        self._todays: dict[tuple[type, ...], bool] = {}

    @classmethod
    def of_file(cls, path: Path) -> "Recorded":
        """The results in a file; none without the file."""
        results = {}
        for header, arrays in map(unpack, messages(path.read_bytes()) if path.exists() else ()):
            results[header["name"]] = RecordedResult(
                arrays["rows"], header["seconds"], arrays["again"], arrays["first"], header["ways"], header["processor"]
            )
        return cls(results)

    def find(self, run: Run) -> RecordedResult | None:
        """The result of ``run``; None if it was not recorded, or by other code."""
        result = self.by_digest.get(digest(run))
        if result is None:
            return None
        classes = classes_of(run)
        if classes not in self._todays:
            self._todays[classes] = agrees_with_recorded(result.first, run, CHECKED)
        return result if self._todays[classes] else None


def classes_of(run: Run) -> tuple[type, ...]:
    """The classes whose code a run trains with."""
    return tuple(map(type, (run.dataset, run.sampler, run.net, run.loss, run.method)))


@once
def recorded_results() -> Recorded:
    """The results that are recorded with the product."""
    return Recorded.of_file(FILE)
