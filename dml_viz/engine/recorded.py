"""Recorded results of runs, which pages show without training; made by ``python -m dml_viz.export.record``.

A result is found by the digest of its run, which says what was trained, and taken for today's if the first steps of a run of
the same classes are today's, which says that the code is the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dml_viz.data.wire import messages, pack, unpack
from dml_viz.engine.members import METRICS
from dml_viz.engine.recordings import FOLDER, trained_and_timed
from dml_viz.engine.results import Result
from dml_viz.threads import once
from dml_viz.training.device import device_title
from dml_viz.training.digest import digest
from dml_viz.training.first_steps import agrees_with_recorded, first_steps
from dml_viz.training.frame import scores_by_way
from dml_viz.training.loop import Run

FILE = FOLDER / "sweep.bin"
CHECKED = 3  # steps trained to see whether results are today's: a changed loss differs from the first step on


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
