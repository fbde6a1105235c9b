"""The gradient flow of samples and proxies under one loss of proxies, and where its pulls end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dml_viz.explain.proxies.model_response import ProxyResponse

RATE = 0.05  # radians that the largest pull of a loss turns a sample by in one step, where it pulls along the sphere
HALF = 0.5  # of the most that a proxy can pull with
EVEN = 0.1  # of the pulls: a smaller rest is what pushes leave of them
ALONG = 1e-6  # of the pulls: a smaller part along the sphere turns nobody


@dataclass(frozen=True)
class Outcome:
    """The pulls at the start and at the end of a flow: `ProxyResponse.pull`, and the cosine of samples to their own proxies.

    At its end ``pulling`` of the ``proxies`` that have samples pull with more than half of their most; ``stopped_by`` is
    "pushes" where these leave next to nothing of the pulls, "radius" where the pulls point along it, "" where samples still
    go.
    """

    pull: tuple[float, float]
    cosine: tuple[float, float]
    pulling: int
    proxies: int
    stopped_by: str


@dataclass(frozen=True, eq=False)
class Flow:
    """The responses along a flow, T+1 of them, with the pull and the mean cosine to own proxies (T+1,) in each."""

    states: list[ProxyResponse]
    pull: np.ndarray
    cosine: np.ndarray

    @property
    def proxies(self) -> np.ndarray:
        """Where the proxies have been (T+1, M, d)."""
        return np.stack([state.proxies.numpy() for state in self.states])

    @property
    def outcome(self) -> Outcome:
        """How the flow ended."""
        end = self.states[-1]
        pulls = -np.where(end.own, end.weights, 0)
        most = end.most[0] if end.asks == "proxy" else end.most[0] * np.maximum(end.own.sum(0), 1)
        along = np.linalg.norm(end.pulls_at_samples)
        stopped_by = "radius" if along <= ALONG * np.abs(pulls).sum() else ""
        if not stopped_by and np.linalg.norm(end.tangent) < EVEN * along:
            stopped_by = "pushes"
        return Outcome(
            (float(self.pull[0]), float(self.pull[-1])), (float(self.cosine[0]), float(self.cosine[-1])),
            int((pulls.sum(0) > HALF * most).sum()), int(end.own.any(0).sum()), stopped_by,
        )  # fmt: skip


def flow(start: ProxyResponse, steps: int, times: float) -> Flow:
    """Go ``steps`` steps down the gradient from ``start``; proxies learn ``times`` as fast as samples.

    The rate is 0.05 over the largest pull of the loss, so that losses of any scale can be compared.
    """
    rate = RATE / start.most[0]
    states = list(start.flow(steps, rate, rate * times))
    return Flow(states, np.array([state.pull for state in states]), np.array([state.own_cosine for state in states]))
