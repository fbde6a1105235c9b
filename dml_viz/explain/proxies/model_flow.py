"""Samples and proxies set free: both go down the gradient, step by step, with no net between them and the loss."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.explain.proxies.model_side import Side

RATE = 0.05  # radians that the largest pull of a loss turns a sample by in one step, where it pulls along the sphere
HALF = 0.5  # of the most that a proxy can pull with
EVEN = 0.1  # of the pulls: a smaller rest is what pushes leave of them
ALONG = 1e-6  # of the pulls: a smaller part along the sphere turns nobody


@dataclass(frozen=True)
class Fate:
    """What became of the pulls in a flow: `Side.pull` and `Side.own_cosine` at its start and at its end, and what stays.

    At its end ``pulling`` of the ``proxies`` that have samples pull with more than half of their most; ``held`` is "pushes"
    where these leave next to nothing of the pulls, "radius" where the pulls point along it, "" where samples still go.
    """

    pull: tuple[float, float]
    cosine: tuple[float, float]
    pulling: int
    proxies: int
    held: str


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

    @property
    def fate(self) -> Fate:
        """How it ended."""
        end, pulls = self.end, -np.where(self.end.own, self.end.weights, 0)
        most = end.most[0] if end.asks == "proxy" else end.most[0] * np.maximum(end.own.sum(0), 1)
        along = np.linalg.norm(end.pulls_at_samples)
        held = "radius" if along <= ALONG * np.abs(pulls).sum() else ""
        if not held and np.linalg.norm(end.at_samples) < EVEN * along:
            held = "pushes"
        return Fate(
            (float(self.pull[0]), float(self.pull[-1])), (float(self.cosine[0]), float(self.cosine[-1])),
            int((pulls.sum(0) > HALF * most).sum()), int(end.own.any(0).sum()), held,
        )  # fmt: skip


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
