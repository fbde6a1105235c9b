"""Sentences on the faults of a training, with their numbers."""

import math

from torch import Tensor

COLLAPSED_BELOW = 0.2
DIVERGED_ABOVE = 1.1


def diagnosis(
    loss: float, first_loss: float, active: float, points: Tensor, called: str, diverged: float = DIVERGED_ABOVE
) -> tuple[str, ...]:
    """Sentences on a collapse, a dead gradient or a divergence; none without a fault.

    ``loss`` and ``first_loss`` are the loss now and at the start, ``active`` is the share of the batch with a gradient, and
    ``points`` (n, d) are unit rows, which a sentence calls ``called``. A loss above ``diverged`` times the first is a divergence.
    """
    notes = []
    # The mean squared distance of unit vectors is 2 - 2 |mean|^2.
    spread = math.sqrt(max(0.0, 2 - 2 * float(points.double().mean(0).square().sum())))
    if spread < COLLAPSED_BELOW:
        notes.append(f"Collapse: {called} lie {spread:.3f} apart (root mean square; 1.41 when spread evenly).")
    if active == 0:
        notes.append(f"Dead gradient: 0 % of the batch has a gradient at loss {loss:.3g}; this step teaches nothing.")
    if loss > diverged * first_loss > 0:
        notes.append(f"Divergence: the loss is {loss:.3g}, it was {first_loss:.3g} at the start; lower the learning rate.")
    return tuple(notes)
