"""The first steps of a run, by which a recorded result is recognised as a result of today's code.

They are computed in double precision, from first weights that NumPy draws. In single precision processors differ in the seventh
digit, torch's normal numbers among them, and Adam, whose first steps have one length however small a gradient is, makes that a
half within ten steps. In double precision most runs stay within `TOLERANCE` for 20 steps, whether torch takes the instructions of
old processors or of new ones. Some do not, such as FastAP with 100 bins, each of which is a kink: they are a tenth apart after
eight. How far a run may be apart is therefore measured, on a twin whose first weights are changed in their last bits. A changed
loss, method or optimiser differs in the first steps, in which a twin is still the same.
"""

import hashlib
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dml_viz.training.device import repeatable
from dml_viz.training.learners import learner_of
from dml_viz.training.run import Run
from dml_viz.training.state import AdamParameters, start

FIRST = 20  # steps that are stored, and compared
TOLERANCE = 1e-5  # of a number relative to itself
SMALL = 1e-7  # numbers below it are compared as if they were as large
NUDGE = 1e-14  # relative change of each weight of a twin
SPREAD = 1000  # times as far apart as its twin a run may be on another processor, which rounds at every step


def first_steps(run: Run, steps: int = FIRST) -> NDArray[np.float32]:
    """The loss at each of the first ``steps`` of a run and the norm of its gradient at the weights, (steps, 2)."""
    return _first_steps(run, steps).astype(np.float32)


def agrees_with_recorded(recorded: NDArray[np.float32], run: Run, steps: int = FIRST) -> bool:
    """Whether the first ``steps`` of ``run``, trained now, agree with the ``recorded`` ones (m, 2), as closely as a twin's do."""
    steps = min(steps, len(recorded))
    if not steps:
        return False
    now = _first_steps(run, steps)
    apart = _apart(now, recorded[:steps])
    return not (apart > TOLERANCE).any() or (apart[0] <= TOLERANCE and bool((apart <= _allowed(run, now)).all()))


def _allowed(run: Run, now: NDArray[np.float64]) -> NDArray[np.float64]:
    """The allowed distance (m,) of each of the steps ``now`` (m, 2) from the same step on another processor."""
    of_twin = _apart(_first_steps(run, len(now), NUDGE), now)
    return np.maximum(TOLERANCE, SPREAD * np.maximum.accumulate(of_twin))


def _apart(some: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float64]:
    """The largest relative difference in each step, (m,); infinite where a number is not finite."""
    difference = np.abs(some - others) / np.maximum(np.abs(others), SMALL)
    return np.asarray(np.nan_to_num(difference, nan=np.inf).max(1))


def _first_steps(run: Run, steps: int, nudge: float = 0.0) -> NDArray[np.float64]:
    """The numbers of `first_steps`, with each first weight multiplied by 1 + ``nudge`` times a normal number."""
    run, measured = replace(run, method=run.method.with_little_to_train()), []
    first = start(run, exact=True)
    if nudge:
        changes = 1 + nudge * np.random.default_rng(run.seed).standard_normal(first.weights.value.shape)
        first = replace(first, weights=AdamParameters.untrained(np.multiply(first.weights.value, changes)))
    with repeatable():
        learner = learner_of(run, first, exact=True)
        for _ in range(min(steps, run.steps)):
            value = learner.backward().gradients.value
            measured.append(torch.stack([value, learner.gradient.norm()]))
            learner.train()
    return torch.stack(measured).double().numpy()


def digest(run: Run) -> str:
    """A hash of all fields of ``run`` that are not at their defaults, except its device."""
    return hashlib.sha256(declaration(replace(run, device="auto")).encode()).hexdigest()[:24]


def declaration(value: object) -> str:
    """The class name of ``value`` and its fields that are not at their defaults, each written in the same way."""
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    values = [(each.name, getattr(value, each.name)) for each in fields(value) if each.repr]
    defaults = {each.name: _default(each) for each in fields(value)}
    written = [f"{name}={declaration(now)}" for name, now in values if now != defaults[name]]
    return f"{type(value).__qualname__}({', '.join(written)})"


def _default(field: Field[Any]) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default
