"""The logistic form of angular loss drops a constant inside its logarithm, which makes it another loss, and one that trains."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses import log_one_and_sum
from dml_viz.losses.angular import Angular
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import example

CLASSES = 8


def terms(z: Tensor, alpha: float, constant: float) -> Tensor:
    """The N-pair form's term of every class (C,), for rows z (2 C, d), first all anchors, then their positives."""
    t = math.tan(math.radians(alpha)) ** 2
    a, p = z.chunk(2)
    f = 4 * t * (a + p) @ p.T - 2 * (1 + t) * (a * p).sum(1, keepdim=True) + constant
    return log_one_and_sum(f.fill_diagonal_(-torch.inf))


@dataclass(frozen=True)
class AngularConstant(Erratum):
    """The constant at two angles, and value and weight of the N-pair form with it and without."""

    title = "Angular loss: the constant that was dropped"
    losses = ("angular",)
    circulates = (
        "The N-pair form is derived by “∝”, as if dropping the constant $2-6\\tan^2\\alpha$ only changed a factor."
    )
    text = (
        "The constant is {constant:.0f} at {alpha:.0f}° and {other_constant:.0f} at {other:.0f}°, and it stands inside "
        "the logarithm. At {alpha:.0f}° the mean loss is {kept:.3f} with it and {dropped:.3f} without, the mean "
        "gradient weight {kept_weight:.3f} and {dropped_weight:.3f}. From class to class the loss with it is "
        "{least:.3f} to {most:.3f} of the loss without, so the two are not proportional: dropping the constant is what "
        "makes the loss train."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(2 * CLASSES, 8, CLASSES, spread=0.3)
        kept, dropped = (Angular(form="N-pair", constant_kept=choice) for choice in (True, False))
        constant, other = _constant(kept.alpha), 30.0
        share = terms(z, kept.alpha, constant) / terms(z, kept.alpha, 0)
        return {
            "alpha": kept.alpha, "constant": constant, "other": other, "other_constant": abs(_constant(other)),
            "kept": float(kept.value(z, y)), "dropped": float(dropped.value(z, y)),
            "kept_weight": _weight(kept, z, y), "dropped_weight": _weight(dropped, z, y),
            "least": float(share.min()), "most": float(share.max()),
        }  # fmt: skip


def _constant(alpha: float) -> float:
    return 2 - 6 * math.tan(math.radians(alpha)) ** 2


def _weight(loss: Angular, z: Tensor, y: Tensor) -> float:
    """The mean over classes of the sum of e^f / (1 + sum e^f), which every pull and push is multiplied by."""
    pair = loss.weights(z, y).pair
    assert pair is not None
    pulls = pair.diagonal(CLASSES)  # from each anchor to its positive
    return float(-pulls.sum()) / (2 * (1 + math.tan(math.radians(loss.alpha)) ** 2))
