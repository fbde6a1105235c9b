"""The files that visitors take along from pages: of what has been trained already, with figures that their pages draw."""

from collections.abc import Sequence

from dml_viz.data.files import OwnImages
from dml_viz.data.own import Scored
from dml_viz.engine import Job
from dml_viz.engine.results import Result
from dml_viz.export.lesson_stations import LessonResources
from dml_viz.export.take import lesson_file_of_link
from dml_viz.room.source import Host
from dml_viz.training.race import Race, experiment_of
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep


class JobHost(Host):
    """Has the run or race of a visitor, ``job``, and trains none."""

    def __init__(self, job: Job | None) -> None:
        self._job = job

    def train(self, trained: Run | Race, step: int, plane: int = 0, last: int | None = None) -> Job:
        job = self._job
        if job is None or job.experiment != experiment_of(trained) or job.latest_step < 1:
            raise ValueError("there is no such run yet: train it first, then take it along")
        return job

    def train_sweep(self, sweep: Sweep) -> Sequence[Result | None]:
        raise ValueError("sweeps are not taken along")

    def own_file(self, fingerprint: str) -> Scored:
        raise ValueError("it shows a file of yours: dml-viz take LINK --data FILE takes it along")

    def own_images(self, name: str) -> OwnImages:
        raise ValueError("it trains on images of yours: dml-viz take LINK --data FILE takes it along")


def taken_along(link: str, job: Job | None, base: str) -> bytes:
    """The file of a ``link`` without figures, which pages draw themselves; ValueError or LookupError if it cannot be had."""
    return lesson_file_of_link(link, JobHost(job), LessonResources(), base=base)
