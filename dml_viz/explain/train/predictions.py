"""The predictions that the page Train live asks for, on the visitor's own run."""

from dataclasses import dataclass

import numpy as np

from dml_viz.data.datasets._base import UNSEEN_CLASSES
from dml_viz.engine import Job
from dml_viz.room.carried import read_recorded_recall
from dml_viz.room.prediction import Mark, NotYetError, Prediction

STEPS = 300


@dataclass(frozen=True)
class RunScores:
    """R@1 on unseen classes at a step of a run, and of the raw pixels."""

    step: int
    net: float
    pixels: float


def scores_of(job: Job | None) -> RunScores:
    """The scores of the run of ``job`` at the step that the question names; NotYetError before it, or on classes trained on."""
    step = max(0, job.latest_step) if job else 0
    asked = min(STEPS, job.run.steps) if job else STEPS
    if job and job.run.protocol != UNSEEN_CLASSES:
        raise NotYetError(f"This run is judged on held-out images of the classes that it was shown; choose *{UNSEEN_CLASSES}*.")
    if job is None or job.subject is None or step < asked:
        raise NotYetError(f"Press *Train* and wait for step {asked}; the run is at step {step}.")
    columns, rows = job.rows(0)
    scores = rows[:, 1 + list(columns).index("r1.unseen")]
    measured = np.flatnonzero(np.isfinite(scores) & (rows[:, 0] <= asked))[-1]
    return RunScores(int(rows[measured, 0]), float(scores[measured]), float(job.subject.baseline["unseen"]))


def scores_in_recording(name: str) -> RunScores:
    """The same of the recorded run ``name``, at its end."""
    run = read_recorded_recall(name)
    return RunScores(run.steps, float(run.after.mean()), run.pixels)


PREDICTIONS: tuple[Prediction[RunScores], ...] = (
    Prediction(
        "train.unseen",
        "How well does it do on classes it never saw?",
        f"A net is trained for at most {STEPS} steps and then judged on classes that it never saw. For how many of "
        "their images is the nearest neighbour of the same class?",
        Mark("Images whose nearest neighbour is of their class, in percent", 0, 100, 10, unit="%"),
        lambda before, after: 100 * after.net,
        lambda before, after: (
            f"At step {after.step} R@1 on unseen classes is {after.net:.0%}; raw pixels come to "
            f"{after.pixels:.0%}, without any training."
        ),
        recording=lambda: scores_in_recording("start"),
        of_run=scores_of,
    ),
)
