"""The results of the runs of a sweep: scores at some steps, as bytes, as a table and as CSV."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import nan

import numpy as np
from numpy.typing import NDArray

from dml_viz.data.wire import pack, unpack
from dml_viz.engine.member import Member
from dml_viz.engine.members import METRICS
from dml_viz.training.sweep import LOOKS, Sweep


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
        columns = {name: column for column, name in enumerate(member.history.columns, 1)}
        known = member.history.rows()
        rows = [known[:, 0], *(known[:, columns[name]] if name in columns else known[:, 0] * nan for name in METRICS)]
        return cls(np.stack(rows, 1).astype(np.float32), member.seconds)


def score_table(sweep: Sweep, results: Sequence[Result | None]) -> NDArray[np.float32]:
    """The `METRICS` (cells, seeds, 1 + LOOKS, metrics) of all runs at the start and at `LOOKS` steps; NaN without a result."""
    cells = len(sweep.cells)
    table = np.full((sweep.seeds, cells, 1 + LOOKS, len(METRICS)), nan, np.float32)
    for number, (run, result) in enumerate(zip(sweep.runs, results, strict=True)):
        if result is not None:
            looks = np.arange(1 + LOOKS) * run.steps / LOOKS
            nearest = np.abs(result.rows[:, :1] - looks).argmin(0)
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
