"""A training without cost: the state is one number, which every step mixes with the learning rate."""

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from dml_viz.engine import Engine, Limits
from dml_viz.engine.slices import Training
from dml_viz.training.loop import EvaluationSubset, Frame, Run
from dml_viz.training.sweep import Axis, Sweep

STEPS_A_SLICE = 5
POINTS = 6
BAD_SEED, DEADLY_SEED, WORST_SEED = 13, 14, 15
NAN_AT = 12
LIMITS = Limits(unwatched=5, released=60, forgotten=600)


@dataclass(frozen=True)
class Number:
    """A state: a number, which each step changes."""

    step: int
    value: float
    failed: str = ""


def begin(run: Run) -> Number:
    if run.seed == WORST_SEED:
        raise RuntimeError("the data are not there")
    return Number(0, float(run.seed))


def advance_while(run: Run, state: Number, go_on: Callable[[int], bool], steps: int) -> tuple[Number, tuple[Frame, ...]]:
    del go_on
    frames: list[Frame] = []
    for _ in range(min(steps, STEPS_A_SLICE)):
        if run.seed == BAD_SEED and run.lr > 0.001 and state.step == NAN_AT:
            return Number(state.step, state.value, f"NaN at step {NAN_AT}"), tuple(frames)
        if run.seed == DEADLY_SEED:
            os.kill(os.getpid(), signal.SIGKILL)
        state = Number(state.step + 1, float(np.sin(state.value * 7 + run.lr + state.step)))
        if run.shows(state.step):
            frames.append(observe(run, state))
    return state, tuple(frames)


def observe(run: Run, state: Number) -> Frame:
    z = np.full((POINTS, run.dim), state.value, np.float32)
    arrays: dict[str, np.ndarray] = {"view": z, "near": np.zeros((POINTS, 8), np.uint16)}
    return Frame(state.step, z, {}, {"loss": state.value * run.lr, "r1.unseen": 0.5}, arrays, ())


def subset_of(run: Run) -> EvaluationSubset:
    del run
    y = np.arange(POINTS) % 2
    images = np.zeros((POINTS, 8, 8), np.uint8)
    return EvaluationSubset(
        y, y == 1, images, ("a", "b"), (0, 0), ("letters",), (0,), {"seen": 0.9, "unseen": 0.8}, np.zeros((len(y), 8), np.uint16)
    )


def fork(before: Run, run: Run, state: Number) -> Number:
    del before, run
    return Number(state.step, state.value)


def ahead(state: Number, go_on: Callable[[], bool]) -> None:
    del state, go_on


def devices() -> tuple[str, ...]:
    return ("cpu",)


def read_sweep(run: Run, axes: Sequence[str], seeds: int = 5, equal: str = "steps") -> Sweep:
    """The sweep of ``run`` over ``axes`` as links write them."""
    return Sweep(run, tuple(Axis.read(run, text) for text in axes), seeds, equal)


# A number stands for the state, which the engine never opens.
FAKE = Training(*cast(Any, (begin, advance_while, observe, subset_of, str.upper, devices, fork, ahead)))


class ManualExecutor(Executor):
    """An executor whose calls are made when the test says so, in order of submission."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], partial[Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, partial(fn, *args, **kwargs)))
        return future

    def make(self, calls: int = 1) -> None:
        """Make the next ``calls`` calls."""
        for _ in range(calls):
            future, call = self.waiting.pop(0)
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except Exception as error:
                future.set_exception(error)

    def make_all(self) -> None:
        """Make calls until none waits."""
        while self.waiting:
            self.make()

    def fail(self, error: Exception) -> None:
        """Fail the next call with ``error``."""
        self.waiting.pop(0)[0].set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        del wait, cancel_futures
        self.waiting.clear()


class ManualEngine:
    """An engine with the training without cost, whose workers and time the test moves."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.now = 0.0
        self.workers = ManualExecutor()
        self.engine = Engine(FAKE, lambda: self.workers, limits, lambda: self.now)
        self.workers.make_all()
