"""The calls of a worker for a run: begin it, and train it slice by slice. The server never unpickles the states."""

import pickle
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from dml_viz.engine.checkpoints import ReplayPlan
from dml_viz.threads import once
from dml_viz.training.loop import EvaluationSubset, Frame, Run, State, fork, train_ahead

RECENT = 8  # states that a worker remembers, so that the next slice need not begin with making a learner
LARGEST = 2_000_000  # bytes of such a state
WHILE_WAITING = "dml_viz.engine.slices:train_while_waiting"  # the name of that function
AHEAD, LONGEST_STEP = 0.03, 0.01  # seconds for which a worker without a call trains ahead, and of a step that is short enough


@dataclass(frozen=True)
class Training:
    """The functions that train, each importable by name in another process; the engine uses no others.

    ``advance_while(run, state, go_on, steps)`` calls ``go_on`` after every step. ``device(name)`` is the title of a device, and
    ``devices()`` are the names of all. ``fork(before, run, state)`` is the state from which one run goes on after another.
    ``ahead(state, go_on)`` trains steps that a later call of ``advance_while`` finds trained.
    """

    begin: Callable[[Run], State]
    advance_while: Callable[[Run, State, Callable[[int], bool], int], tuple[State, tuple[Frame, ...]]]
    observe: Callable[[Run, State], Frame]
    subject: Callable[[Run], EvaluationSubset]
    device: Callable[[str], str]
    devices: Callable[[], tuple[str, ...]]
    fork: Callable[[Run, Run, State], State] = fork
    ahead: Callable[[State, Callable[[], bool]], None] = train_ahead


@dataclass(frozen=True)
class Beginning:
    """A call for the start of ``run``, or its fork from ``before`` by ``plan``; with ``bare`` frames have scalars only."""

    run: Run
    before: Run | None = None
    plan: ReplayPlan | None = None
    bare: bool = False


@dataclass(frozen=True)
class Begun:
    """A run at its start: the state, its frame, the evaluated points, None if bare, and the title of its device."""

    run: Run
    state: bytes
    frame: Frame
    subject: EvaluationSubset | None
    device: str


@dataclass(frozen=True)
class Slice:
    """A call for at most ``steps`` steps from ``state``, for about ``seconds``; step ``show`` gets a frame in any case.

    Without a frame in these seconds it goes on to the next one, for at most ``longest`` seconds. With ``bare`` frames have
    scalars only.
    """

    run: Run
    state: bytes
    steps: int
    seconds: float
    show: int | None = None
    bare: bool = False
    longest: float = 0.0


@dataclass(frozen=True)
class SliceResult:
    """The result of a slice: the state at ``step``, frames in order, seconds, and why the run cannot go on, if it cannot."""

    state: bytes
    step: int
    frames: tuple[Frame, ...]
    seconds: float
    failed: str


def begin(training: Training, call: Beginning) -> Begun:
    """The start of a run, or its fork."""
    run = call.run
    _need(run)
    if call.before and call.plan:
        start = training.fork(call.before, run, _replayed(training, call.plan))
    else:
        start = training.begin(run)
    frame, subject = training.observe(run, start), None if call.bare else training.subject(run)
    return Begun(run, packed(start), with_scalars_only(frame) if call.bare else frame, subject, training.device(run.device))


def _replayed(training: Training, plan: ReplayPlan) -> State:
    """The state at the end of a plan."""
    state: State = pickle.loads(plan.state)
    for run, steps in plan.segments:
        last = state.step + steps
        while state.step < last and not state.failed:
            state, _ = training.advance_while(run, state, lambda _: True, last - state.step)
    return state


def train(training: Training, call: Slice) -> SliceResult:
    """Train one slice."""
    clock = time.perf_counter
    began = clock()
    _need(call.run)
    _newest().clear()
    state = next((state for known, state in tuple(_recent()) if known == call.state), None) or pickle.loads(call.state)
    if state.failed:  # a visitor tries again, perhaps with other knobs
        state = replace(state, failed="")
    frames: tuple[Frame, ...] = ()
    first = state.step
    if call.steps:
        state, frames = training.advance_while(call.run, state, _has_time(call), call.steps)
    if state.step == call.show and not (frames and frames[-1].step == state.step):
        frames = (*frames, training.observe(call.run, state))
    if call.bare:
        frames = tuple(map(with_scalars_only, frames))
    after, seconds = packed(state), clock() - began
    if len(after) <= LARGEST:
        _recent().append((after, state))
        if seconds < LONGEST_STEP * (state.step - first):
            _newest().append((training, state))
    return SliceResult(after, state.step, frames, seconds, state.failed)


def train_while_waiting(waits: Callable[[], bool]) -> None:
    """Train the run of the newest slice ahead while the worker ``waits``, for a moment: the next call is mostly its next slice.

    The server takes a few milliseconds between two slices of a run. What is trained ahead changes no result.
    """
    end = time.perf_counter() + AHEAD
    for training, state in _newest():
        with suppress(Exception):  # the next slice raises it again
            training.ahead(state, lambda: waits() and time.perf_counter() < end)
    _newest().clear()


def _has_time(call: Slice) -> Callable[[int], bool]:
    """A function that says after each step whether the slice still has time."""
    began = time.perf_counter()
    framed = False

    def has_time(step: int) -> bool:
        nonlocal framed
        framed = call.run.shows(step) or framed
        return time.perf_counter() - began < (call.seconds if framed else max(call.seconds, call.longest))

    return has_time


@once
def _recent() -> deque[tuple[bytes, State]]:
    """The newest states, each as it is packed and as it is."""
    return deque(maxlen=RECENT)


@once
def _newest() -> list[tuple[Training, State]]:
    """The state of the newest slice, if its run can be trained ahead."""
    return []


def _need(run: Run) -> None:
    """Load a visitor's own images, so that a worker without them raises MissingImagesError, and one with them keeps them."""
    if run.dataset.private:
        run.dataset.load()


def with_scalars_only(frame: Frame) -> Frame:
    """The frame with its scalars and notes alone."""
    return Frame(frame.step, frame.z[:0], {}, frame.scalars, {}, frame.notes)


def packed(state: State) -> bytes:
    """The pickled state."""
    return pickle.dumps(state, pickle.HIGHEST_PROTOCOL)


def warm(training: Training, run: Run) -> tuple[str, ...]:
    """Import, load and compile what the first slice of ``run`` needs; return the worker's devices."""
    train(training, Slice(run, begin(training, Beginning(run)).state, 1, 1.0))
    return training.devices()
