"""The sources of pages: points of a scene, a run or a file; a visitor's own files; and the results of a sweep."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import ref

from dml_viz.data.datasets.own import FILE
from dml_viz.data.own import Scored
from dml_viz.room.ask import Ask
from dml_viz.room.fingerprint import FINGERPRINT, FIRST, SECOND, named, named_images
from dml_viz.room.run_form import EvaluatedPoints, run_form
from dml_viz.room.scene_settings import SceneOptions, SceneSettings
from dml_viz.room.source import PLANE, STEP, Host, Subject
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep

SUBJECT = "subject"  # the key of what points are looked at
SUBJECTS = SCENE, LIVE_RUN, OWN_FILE = ("scene", "live run", "your file")
NEEDS_LABELS = "has no labels, and a loss needs them: save them as y beside the rows, and drop the file on Your data again."
IMAGES = "own.file"  # the key of the images in a link


class PointsOfRun(NamedTuple):
    """Points of a group of classes, at a step of a run whose plane is fitted to another step."""

    run: Run
    step: int
    plane: int
    group: str


@dataclass(frozen=True)
class Points(SceneOptions):
    """The source of an explanatory page, whose settings begin with ``key``: a scene, or points of a run or a file."""

    key: str = field(kw_only=True)

    def scene(self, ask: Ask) -> SceneSettings:
        """The scene of the settings."""
        return SceneSettings(self.key, self, ask.setting)

    def form(self, ask: Ask) -> SceneSettings | PointsOfRun | str:
        """The scene, the points of a run, or the fingerprint of a file."""
        kind = ask.choice(SUBJECT, "Look at", SUBJECTS, SCENE)
        if kind == SCENE:
            return self.scene(ask)
        if kind == OWN_FILE:
            return str(ask.setting(FIRST, FINGERPRINT))
        groups = EvaluatedPoints.GROUPS
        run, step, plane = run_form(ask), ask.step(STEP), ask.setting(PLANE.name, PLANE)
        return PointsOfRun(run, run.steps if step < 0 else step, plane, ask.choice("points", "Points", groups, groups[0]))

    def resolve(self, form_values: SceneSettings | PointsOfRun | str, host: Host) -> Subject:
        """The points, with the run trained to its step."""
        if isinstance(form_values, SceneSettings):
            return Subject(scene=form_values, names=form_values.scene.class_names(), caption=form_values.name)
        if isinstance(form_values, str):
            own = host.own_file(form_values)
            if not own.file.labelled:
                raise ValueError(f"{own.file.title} {NEEDS_LABELS}")
            return Subject(own.embeddings, names=own.file.names, caption=named(own))
        run, step, plane, group = form_values
        job = host.train(run, step, plane)
        frame = job.at(step)
        assert frame is not None  # the job has come to that step
        assert job.subject is not None
        points = EvaluatedPoints(run, job.subject, group)
        return Subject(points.embeddings(frame), ref(job), step, points.embeddings, names=points.names, trained=run)


@dataclass(frozen=True)
class OwnFiles:
    """The source of a page on one file of the visitor or two; without a file, those of ``example``.

    The figures ``of_images`` are of images to train on instead.
    """

    example: Callable[[], tuple[Scored, ...]]
    of_images: tuple[str, ...]

    def form(self, ask: Ask) -> str | tuple[str, ...]:
        """The name of the images, or the fingerprints of the files."""
        images = str(ask.setting(IMAGES, FILE))
        first, second = (str(ask.setting(key, FINGERPRINT)) for key in (FIRST, SECOND))
        return images if ask.figure in self.of_images else tuple(filter(None, (first, first and second)))

    def resolve(self, form_values: str | tuple[str, ...], host: Host) -> Subject:
        """The visitor's images or files."""
        if isinstance(form_values, str):
            images = host.own_images(form_values)
            return Subject(images=images, caption=named_images(images))
        files = tuple(map(host.own_file, form_values)) or self.example()
        return Subject(files=files, caption=named(*files))


@dataclass(frozen=True)
class Results:
    """The source of a page on the runs of a sweep, for which, and for the step that is shown, ``asks`` asks."""

    asks: Callable[[Ask], tuple[Sweep, int]]

    def form(self, ask: Ask) -> tuple[Sweep, int]:
        """The sweep and the step."""
        return self.asks(ask)

    def resolve(self, form_values: tuple[Sweep, int], host: Host) -> Subject:
        """The results of all of its runs."""
        sweep, step = form_values
        return Subject(step=step, trained=sweep, results=host.train_sweep(sweep))
