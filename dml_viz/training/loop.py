"""Training as a pure function: a run and a state in, a later state and its frames out.

No clock, no global random numbers, no printing: the same run gives the same states and frames, bit for bit, however its
steps are sliced, in any process, on one type of machine and one device (on a GPU as far as its kernels are
deterministic).
"""

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

from dml_viz.data.eval_points import EvaluationSubset, evaluation_subset
from dml_viz.embedding.pca import DRAWN_UP_TO, main_plane
from dml_viz.training.device import device_title, devices, repeatable
from dml_viz.training.frame import Frame, evaluation_embedding, frame
from dml_viz.training.learners import learner_of
from dml_viz.training.run import Run
from dml_viz.training.state import State, fork, start
from dml_viz.training.step import Learner

# The learner that came to a state: the next slice goes on with it instead of making an equal one.
LEARNERS: WeakKeyDictionary[State, Learner] = WeakKeyDictionary()


def begin(run: Run) -> State:
    """The state at step 0, the same for equal seeds; above three dimensions with the plane of most variance."""
    return fit_plane_again(run, start(run))


def fit_plane_again(run: Run, state: State) -> State:
    """The same state with the plane that shows most of its variance now; up to three dimensions nothing changes."""
    if run.dim <= DRAWN_UP_TO:
        return state
    with repeatable():
        return replace(state, plane=main_plane(evaluation_embedding(learner_of(run, state))).numpy())


def advance(run: Run, state: State, steps: int) -> tuple[State, tuple[Frame, ...]]:
    """The state up to ``steps`` steps later, within the run's budget, and the frames in between.

    There is a frame at every step that ``run.shows``; that of step 0 is ``observe(run, begin(run))``. A step with NaN or
    infinity ends the training: the state keeps the last finite weights, its ``failed`` and the last frame's notes name the
    term and the step, and further calls train no more.
    """
    return advance_while(run, state, lambda _: True, steps)


def advance_while(run: Run, state: State, go_on: Callable[[int], bool], steps: int) -> tuple[State, tuple[Frame, ...]]:
    """The result of `advance`, which ends early when ``go_on(step)``, called after every step that it trains, is false."""
    last = min(state.step + steps, run.steps)
    if state.failed or state.step >= last:
        return state, ()
    frames = []
    with repeatable():
        learner = LEARNERS.pop(state, None)
        if learner is None or learner.run != run or learner.step > last:
            learner = learner_of(run, state)
        while learner.step < last and not learner.failed:
            learner.train()
            if run.shows(learner.step):
                learner.check_finite()
                frames.append(frame(learner))
            if not go_on(learner.step):
                break
        if not learner.failed and not learner.check_finite():
            frames.append(frame(learner))
        after = learner.state()
        LEARNERS[after] = learner
        return after, tuple(frames)


def train_ahead(state: State, go_on: Callable[[], bool]) -> None:
    """Train steps after ``state``, as long as ``go_on()``, before the next frame: a later `advance_while` finds them trained."""
    learner = LEARNERS.pop(state, None)  # after an error it is left out: `advance_while` makes another
    if learner is None or learner.failed:
        return
    with repeatable():
        while learner.step < learner.run.steps and not learner.run.shows(learner.step + 1) and go_on():
            learner.train()
    LEARNERS[state] = learner


def observe(run: Run, state: State) -> Frame:
    """The frame of ``state``, at any step."""
    with repeatable():
        return frame(learner_of(run, state))


def subset_of(run: Run) -> EvaluationSubset:
    """The labels, images and names of the points that ``run`` evaluates."""
    return evaluation_subset(run.dataset, run.protocol)


__all__ = [
    "EvaluationSubset", "Frame", "Run", "State", "advance", "advance_while", "begin", "device_title", "devices",
    "fit_plane_again", "fork", "observe", "subset_of", "train_ahead",
]  # fmt: skip
