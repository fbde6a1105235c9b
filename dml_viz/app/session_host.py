"""What trains and has files for pictures of a visitor's session: runs that exist are not trained again."""

from collections.abc import Sequence

from dml_viz.app.frontend import visitor
from dml_viz.app.own import files, images
from dml_viz.app.training_session import RUN, session_token
from dml_viz.data.files import OwnImages
from dml_viz.data.own import Scored
from dml_viz.engine import Job, TooManyRunsError
from dml_viz.engine.results import Result
from dml_viz.engine.sweeps import Progress, price, train, train_sweep, without_progress
from dml_viz.room.fingerprint import FIRST, SECOND
from dml_viz.room.source import Host
from dml_viz.serve.server import engine
from dml_viz.training.race import Race
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep


class SessionHost(Host):
    """The visitor's session; ``progress`` is called with (step, last step) while a run trains."""

    def __init__(self, progress: Progress = without_progress) -> None:
        self._progress = progress

    def train(self, trained: Run | Race, step: int, plane: int = 0, last: int | None = None) -> Job:
        job = RUN.job
        alike = job and job.run == trained and job.plane == plane and not job.changes
        if job and alike and job.at(step) and last in (None, job.latest_step):
            return job
        try:
            return train(engine(), trained, step, self._progress, plane, last, owner=session_token(), visitor=visitor())
        except TooManyRunsError as full:
            raise ValueError(str(full)) from full

    def train_sweep(self, sweep: Sweep) -> Sequence[Result | None]:
        seconds, most = price(engine(), sweep), engine().limits.sweep
        if seconds > most:
            needed, allowed = (f"{length / 60:,.0f} minutes" for length in (seconds, most))
            raise ValueError(f"its sweep takes about {needed}, beyond the {allowed} allowed; take fewer values, seeds or steps")
        try:
            return train_sweep(engine(), sweep, self._progress, owner=session_token(), visitor=visitor())
        except TooManyRunsError as full:
            raise ValueError(str(full)) from full

    def own_file(self, fingerprint: str) -> Scored:
        for key in (FIRST, SECOND):
            if (file := files.session_file(key)) and files.short(file) == fingerprint:
                return file
        raise ValueError(f"it shows your file with fingerprint {fingerprint}; drop it on Your data again")

    def own_images(self, name: str) -> OwnImages:
        brought = images.session_images()
        if brought is None or brought.short_fingerprint != name:
            raise ValueError(f"it shows your images with fingerprint {name}; drop them on Your data again")
        return brought
