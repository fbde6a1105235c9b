"""What a worker does for a run: begin it, and train it slice by slice. States travel as bytes that the server never opens."""

import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from dml_viz.engine.checkpoints import ReplayPlan
from dml_viz.training.loop import EvaluationSubset, Frame, Run, State, fork


@dataclass(frozen=True)
class Training:
    """The functions that train, each importable by name in another process; the engine knows no more of training.

    ``advance_while(run, state, go_on, steps)`` asks ``go_on`` after every step; ``device(name)`` titles a device and
    ``devices()`` names those there are; ``fork(before, run, state)`` is the state of one run as another goes on from it.
    """

    begin: Callable[[Run], State]
    advance_while: Callable[[Run, State, Callable[[], bool], int], tuple[State, tuple[Frame, ...]]]
    observe: Callable[[Run, State], Frame]
    subject: Callable[[Run], EvaluationSubset]
    device: Callable[[str], str]
    devices: Callable[[], tuple[str, ...]]
    fork: Callable[[Run, Run, State], State] = fork


@dataclass(frozen=True)
class Beginning:
    """A call for the start of ``run``, its resumption from a ``state`` (pickled), or its fork off ``before`` by ``plan``.

    ``bare`` asks for no more of its frames than their scalars.
    """

    run: Run
    state: bytes | None = None
    before: Run | None = None
    plan: ReplayPlan | None = None
    bare: bool = False


@dataclass(frozen=True)
class Begun:
    """A run at its start: the state, its frame, what the run watches, None if bare, and the title of the device it trains on."""

    run: Run
    state: bytes
    frame: Frame
    subject: EvaluationSubset | None
    device: str


@dataclass(frozen=True)
class Slice:
    """What to train: from ``state`` at most ``steps`` steps for about ``seconds``; at step ``show`` a frame in any case.

    ``bare`` asks for no more of its frames than their scalars.
    """

    run: Run
    state: bytes
    steps: int
    seconds: float
    show: int | None = None
    bare: bool = False


@dataclass(frozen=True)
class Trained:
    """What a slice gave: the state at ``step``, frames in order, seconds taken, and why the run cannot go on, if it cannot."""

    state: bytes
    step: int
    frames: tuple[Frame, ...]
    seconds: float
    failed: str


def begin(training: Training, call: Beginning) -> Begun:
    """The start of a run, its resumption, or its fork."""
    run = call.run
    _need(run)
    if call.before and call.plan:
        start = training.fork(call.before, run, _replayed(training, call.plan))
    else:
        start = training.begin(run) if call.state is None else pickle.loads(call.state)
    frame = training.observe(run, start)
    device = training.device(run.device)
    if call.bare:
        return Begun(run, packed(start), bared(frame), None, device)
    return Begun(run, packed(start), frame, training.subject(run), device)


def _replayed(training: Training, plan: ReplayPlan) -> State:
    """The state that a plan leads to."""
    state: State = pickle.loads(plan.state)
    for run, steps in plan.segments:
        last = state.step + steps
        while state.step < last and not state.failed:
            state, _ = training.advance_while(run, state, lambda: True, last - state.step)
    return state


def train(training: Training, call: Slice) -> Trained:
    """Train one slice."""
    clock = time.perf_counter
    began = clock()
    _need(call.run)
    # A slice is asked of a failed state only when a visitor tries again, with other knobs perhaps.
    state: State = replace(pickle.loads(call.state), failed="")
    frames: tuple[Frame, ...] = ()
    if call.steps:
        state, frames = training.advance_while(call.run, state, lambda: clock() - began < call.seconds, call.steps)
    if state.step == call.show and not (frames and frames[-1].step == state.step):
        frames = (*frames, training.observe(call.run, state))
    if call.bare:
        frames = tuple(map(bared, frames))
    return Trained(packed(state), state.step, frames, clock() - began, state.failed)


def _need(run: Run) -> None:
    """Ask for images that only a visitor has, so that a worker without them says so, and one with them keeps them."""
    if run.dataset.private:
        run.dataset.load()


def bared(frame: Frame) -> Frame:
    """The scalars of a frame and its notes, without points and pictures."""
    return Frame(frame.step, frame.z[:0], {}, frame.scalars, {}, frame.notes)


def packed(state: State) -> bytes:
    """A state as it travels."""
    return pickle.dumps(state, pickle.HIGHEST_PROTOCOL)


def warm(training: Training, run: Run) -> tuple[str, ...]:
    """Import, load and compile what the first slice of ``run`` needs; the worker's devices."""
    train(training, Slice(run, begin(training, Beginning(run)).state, 1, 1.0))
    return training.devices()
