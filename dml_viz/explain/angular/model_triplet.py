"""What the angular and the triplet loss do to the points of one triplet, and the forms of the angular loss."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from dml_viz.analysis import LossResponse, response_to
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.sphere import tangent
from dml_viz.losses import Loss
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet

LABELS = torch.tensor((0, 0, 1))  # of anchor, positive and negative


def steepness(alpha: float) -> float:
    """t = tan^2 alpha, for alpha in degrees."""
    return math.tan(math.radians(alpha)) ** 2


def dropped(loss: Angular) -> float:
    """What the exponent has less than the violation: 2 - 6 t where the loss drops that constant, 0 where it keeps it."""
    return 2 - 6 * steepness(loss.alpha) if loss.form != "hinge" and not loss.constant_kept else 0.0


def of_violation(loss: Angular, violation: np.ndarray) -> np.ndarray:
    """The loss of one triplet with d_ap^2 - 4 t |x_n - x_c|^2 (any shape), written in distances."""
    hinge = loss.form == "hinge"
    return np.asarray(np.maximum(violation, 0) if hinge else np.logaddexp(0, violation - dropped(loss)))


def slope_of_violation(loss: Angular, violation: np.ndarray) -> np.ndarray:
    """The derivative, in [0, 1], of `of_violation`: how much of its full push a triplet gets."""
    hinge = loss.form == "hinge"
    return np.asarray(violation > 0, float) if hinge else 0.5 * (1 + np.tanh((violation - dropped(loss)) / 2))


@dataclass(frozen=True)
class Push:
    """Value, gradients (3, d) at anchor, positive and negative as chords, and their components along the sphere (3, d).

    Chords are the gradient of the loss as it is written in squared distances: sums of differences of the three points,
    so they lie in the triangle's plane and add up to 0. However the loss is written, its component along the sphere is the same.
    """

    value: float
    chords: np.ndarray
    tangent: np.ndarray

    def of(self, arrows: str) -> np.ndarray:
        """The gradients (3, d) that are drawn: "chords" or "tangent"."""
        return self.chords if arrows == "chords" else self.tangent


def angular_push(loss: Angular, rows: np.ndarray) -> Push:
    """The push on unit rows (3, d): anchor, positive, negative; N-pair's form is read as the logistic one (see `for_one`)."""
    response = _response(for_one(loss), rows)
    return _push(response.value, torch.from_numpy(response.weights), response.inputs.z)


def triplet_push(loss: Triplet, rows: np.ndarray, *, both: bool) -> Push:
    """The push on unit rows (3, d) of (a, p, n) alone, or of the mean with (p, a, n) where ``both``; mining is left out."""
    response = _response(replace(loss, mining="all", reduction="all"), rows)
    z, pair = response.inputs.z, response.ordered.pair
    assert pair is not None
    if both:
        return _push(response.value, pair + pair.T, z)
    # A row of the pair weights is that anchor's triplets; the mean is over two.
    own = torch.zeros_like(pair)
    own[0] = 2 * pair[0]
    d2 = (z[0] - z[1:]).square().sum(1)
    pull, push = d2.tolist() if loss.squared else d2.sqrt().tolist()
    return _push(max(pull - push + loss.margin, 0.0), own + own.T, z)


def for_one(loss: Angular) -> Angular:
    """The form of the loss for a single triplet: N-pair's, which has no negative there, becomes the logistic one."""
    return replace(loss, form="logistic") if loss.form == "N-pair" else loss


def _response(loss: Loss, rows: np.ndarray) -> LossResponse:
    return response_to(Embeddings(torch.from_numpy(rows), LABELS, ""), loss)


def _push(value: float, weights: Tensor, z: Tensor) -> Push:
    chords = (weights[:, :, None] * (z - z[:, None])).sum(1)  # (3, d)
    return Push(value, chords.numpy(), tangent(chords, z).numpy())
