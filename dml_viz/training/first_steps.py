"""The first steps of a run, by which a recorded result is recognised as a result of today's code.

They are computed in double precision, from first weights that NumPy draws. In single precision processors differ in the seventh
digit, torch's normal numbers among them, and Adam, whose first steps have one length however small a gradient is, makes that a
half within ten steps. In double precision every recorded run stayed within 1e-7 of itself for ten steps, and within 1e-4 for 15,
whether torch took the instructions of old processors or of new ones, and one thread or four.
"""

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from dml_viz.training.device import repeatable
from dml_viz.training.learners import learner_of
from dml_viz.training.run import Run
from dml_viz.training.state import start

FIRST = 20  # steps that are stored
COMPARED = 10  # of them that are compared
TOLERANCE = 1e-5  # of a number relative to itself


def first_steps(run: Run, steps: int = FIRST) -> NDArray[np.float32]:
    """The loss at each of the first ``steps`` of a run and the norm of its gradient at the weights, (steps, 2)."""
    run, found = replace(run, method=run.method.brief()), []
    with repeatable():
        learner = learner_of(run, start(run, exact=True), exact=True)
        for _ in range(min(steps, run.steps)):
            value = learner.backward().gradients.value
            assert learner.weights.grad is not None
            found.append(torch.stack([value, learner.weights.grad.norm()]))
            learner.train()
    return torch.stack(found).float().numpy()


def fit(recorded: NDArray[np.float32], run: Run, steps: int = COMPARED) -> bool:
    """Whether the first ``steps`` of ``run``, trained now, are those that were ``recorded`` (m, 2), to `TOLERANCE`."""
    now = first_steps(run, min(steps, len(recorded)))
    return len(now) > 0 and bool(np.allclose(now, recorded[: len(now)], rtol=TOLERANCE, atol=1e-12))
