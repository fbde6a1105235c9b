"""Samples and proxies set free: both go down the gradient, step by step, with no net between them and the loss."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from dml_viz.proxies_anatomy.side import Side
from dml_viz.sphere import normalise

RATE = 0.05  # radians that the largest pull of a loss turns a sample by in one step, where it pulls along the sphere


@dataclass(frozen=True, eq=False)
class Flow:
    """What `flow` went through: samples (T+1, N, d), proxies (T+1, M, d), and per step (T+1,) what the losses say there.

    ``pull`` is `Side.pull`, ``cosine`` is `Side.own_cosine`; ``end`` is where the flow is after its last step.
    """

    samples: np.ndarray
    proxies: np.ndarray
    pull: np.ndarray
    cosine: np.ndarray
    end: Side


def flow(side: Side, steps: int, times: float) -> Flow:
    """Go ``steps`` steps down the gradient from ``side``; proxies learn ``times`` as fast as samples.

    The rate is 0.05 over the largest pull of the loss, so that losses of any scale can be compared.
    """
    rate, states = RATE / side.most[0], [side]
    for _ in range(steps):
        now = states[-1]
        states.append(
            replace(
                now,
                z=_down(now.z, now.at_samples, rate),
                proxies=_down(now.proxies, now.at_proxies, rate * times),
            )
        )
    return Flow(
        np.stack([state.z.numpy() for state in states]),
        np.stack([state.proxies.numpy() for state in states]),
        np.array([state.pull for state in states]),
        np.array([state.own_cosine for state in states]),
        states[-1],
    )


def _down(rows: Tensor, gradient: np.ndarray, rate: float) -> Tensor:
    return normalise(rows - rate * torch.from_numpy(gradient))
