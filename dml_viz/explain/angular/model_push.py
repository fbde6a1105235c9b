"""What a loss asks of one triplet alone: the gradients that it has on a batch of these three rows."""

from __future__ import annotations

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


@dataclass(frozen=True)
class Push:
    """Value, gradients (3, d) at anchor, positive and negative as chords, and their parts along the sphere (3, d).

    Chords are the gradient of the loss as it is written in squared distances: sums of differences of the three points,
    so they lie in the triangle's plane and add up to 0. Any other way of writing the loss has the same part along the sphere.
    """

    value: float
    chords: np.ndarray
    tangent: np.ndarray

    def of(self, arrows: str) -> np.ndarray:
        """The gradients (3, d) that are drawn: "chords" or "tangent"."""
        return self.chords if arrows == "chords" else self.tangent


def angular_push(loss: Angular, rows: np.ndarray) -> Push:
    """Of unit rows (3, d): anchor, positive, negative. N-pair's form, which has no negative here, is read as the logistic one."""
    response = _response(for_one(loss), rows)
    return _push(response.value, torch.from_numpy(response.weights), response.inputs.z)


def triplet_push(loss: Triplet, rows: np.ndarray, *, both: bool) -> Push:
    """Of unit rows (3, d): of the triplet (a, p, n) alone, or of the mean with (p, a, n) where ``both``; mining is left out."""
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
    """The form of the loss that speaks of a single triplet."""
    return replace(loss, form="logistic") if loss.form == "N-pair" else loss


def _response(loss: Loss, rows: np.ndarray) -> LossResponse:
    return response_to(Embeddings(torch.from_numpy(rows), LABELS, ""), loss)


def _push(value: float, weights: Tensor, z: Tensor) -> Push:
    chords = (weights[:, :, None] * (z - z[:, None])).sum(1)  # (3, d)
    return Push(value, chords.numpy(), tangent(chords, z).numpy())
