"""The response of one loss of proxies, with common mistakes, and the flow along its gradient."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from dml_viz.analysis import LossInputs, LossResponse
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.sphere import pair_gradient, tangent
from dml_viz.losses import Gradients, Pairs
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.losses.soft_triple import SoftTriple

ProxyLoss = ProxyNCA | ProxyAnchor | MarginSoftmax | SoftTriple
LIGHTEST = 2e-3  # of the largest possible pull: a lighter edge is not drawn
RATE = 0.05  # radians by which the largest pull, if it is along the sphere, turns a sample in a step


@dataclass(frozen=True, eq=False)
class ProxyResponse(LossResponse):
    """The response of a loss of unit proxies (M, d), SoftTriple's regulariser left out.

    Classes may lack a proxy: in a softmax of samples over proxies, their samples then have no loss and no gradient.
    With ``wrong_sign`` the loss takes distances for similarities, as if every proxy were at its antipode.
    """

    loss: ProxyLoss
    wrong_sign: bool = False

    @property
    def proxies(self) -> Tensor:
        """The proxies (M, d) as drawn."""
        return self.inputs.learnt["proxies"]

    @cached_property
    def owners(self) -> np.ndarray:
        """The class (M,) of each proxy."""
        return np.arange(len(self.proxies)) // self.loss.per_class

    @property
    def softmax_per(self) -> str:
        """What the softmax is taken of: each "sample", over the proxies, or each "proxy", over the samples, for Proxy-Anchor."""
        return "proxy" if isinstance(self.loss, ProxyAnchor) else "sample"

    @property
    def total_weight_bound(self) -> float:
        """A bound on the sum of all pulls, and of all pushes, from the loss's scale; ArcFace and SoftTriple can exceed it."""
        loss = self.loss
        if isinstance(loss, ProxyNCA):
            return 2 * loss.scale**2
        return loss.alpha if isinstance(loss, ProxyAnchor) else loss.scale

    @cached_property
    def pull_and_push_bounds(self) -> tuple[float, float]:
        """The bounds on the pull and on the push of one pair of sample and proxy, whatever the points are."""
        n = len(self.inputs.y)
        present = int(np.isin(self.owners, self.inputs.y.numpy()).sum())
        pulls, pushes = (max(present, 1), len(self.proxies)) if self.softmax_per == "proxy" else (n, n)
        return self.total_weight_bound / pulls, self.total_weight_bound / pushes

    @cached_property
    def heavy(self) -> np.ndarray:
        """Whether the weights (N, M) are above `LIGHTEST` of the largest possible pull."""
        return np.asarray(np.abs(self.weights) > LIGHTEST * self.pull_and_push_bounds[0])

    @cached_property
    def cosine_similarities(self) -> np.ndarray:
        """Cosine similarities (N, M) to the proxies as drawn."""
        return (1 - Pairs(self.inputs.z, self.inputs.y, self.proxies).d2 / 2).numpy()

    @cached_property
    def same_class(self) -> np.ndarray:
        """Whether each proxy is of each sample's class (N, M)."""
        return np.asarray(self.inputs.y.numpy()[:, None] == self.owners)

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs of samples and proxies as the loss sees them."""
        proxies = -self.proxies if self.wrong_sign else self.proxies
        return Pairs(self.inputs.z, self.inputs.y, proxies, torch.from_numpy(self.owners))

    @cached_property
    def gradients(self) -> Gradients:
        """The value, and the gradients along the sphere at the samples and at the proxies as drawn."""
        value, weights = self._weighed
        at_proxies = _gradient(weights.T, self.inputs.z, self.proxies)
        return Gradients(value, _gradient(weights, self.proxies, self.inputs.z), {"proxies": at_proxies})

    @property
    def gradient_at_proxies(self) -> np.ndarray:
        """The gradient (M, d) at the proxies."""
        return self.gradients.learnt["proxies"].numpy()

    @property
    def pull_share(self) -> float:
        """The sum of all pulls of samples' own proxies, as a share of `total_weight_bound`."""
        return -float(self.weights[self.same_class].sum()) / self.total_weight_bound

    @property
    def mean_own_cosine(self) -> float:
        """The mean cosine of the samples to their own proxies; NaN if none has one."""
        return float(self.cosine_similarities[self.same_class].mean()) if self.same_class.any() else float("nan")

    @property
    def count_without_gradient(self) -> int:
        """The number of samples with a gradient of exactly 0, because all their weights are 0."""
        return int((~self.weights.any(1)).sum())

    def weights_along(self, sample: int, proxy: int, s: np.ndarray) -> np.ndarray:
        """The weights (K,) of the pair of ``sample`` and ``proxy`` at each similarity of s (K,), all other pairs fixed."""
        weights = np.empty(len(s))
        moved = self.pairs.d2.clone()
        for k, similarity in enumerate(-s if self.wrong_sign else s):
            moved[sample, proxy] = 2 - 2 * similarity
            weights[k] = self._weigh(self.pairs.at(moved))[1][sample, proxy]
        return weights

    @cached_property
    def _weighed(self) -> tuple[Tensor, Tensor]:
        return self._weigh(self.pairs)

    def _weigh(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        has = self.inputs.y < len(self.proxies) // self.loss.per_class
        if isinstance(self.loss, ProxyAnchor) or bool(has.all()):
            value, weights = self.loss.value_and_weights(pairs)
        else:
            # A target of zeros takes the sample out of the sum, but not out of the number of samples.
            value, weights = pairs.d2.new_zeros(()), torch.zeros_like(pairs.d2)
            if bool(has.any()):
                some = Pairs(pairs.z[has], pairs.y[has], pairs.to, pairs.owners).at(pairs.d2[has])
                value, weights_of_some = self.loss.value_and_weights(some)
                weights[has] = weights_of_some
                value, weights = value * has.double().mean(), weights * has.double().mean()
        return value, -weights if self.wrong_sign else weights


def proxy_response(loss: ProxyLoss, z: Tensor, y: Tensor, proxies: Tensor, *, wrong_sign: bool = False) -> ProxyResponse:
    """The response of ``loss`` to unit rows z (N, d), labels y (N,) and unit proxies (M, d), all float64."""
    return ProxyResponse(loss, LossInputs(Embeddings(z, y, ""), y, {"proxies": proxies}), wrong_sign)


@dataclass(frozen=True, eq=False)
class Flow:
    """The T+1 responses along a gradient flow."""

    states: list[ProxyResponse]

    @cached_property
    def pull_shares(self) -> np.ndarray:
        """The sum of all pulls (T+1,), as a share of `ProxyResponse.total_weight_bound`."""
        return np.array([state.pull_share for state in self.states])

    @cached_property
    def cosine(self) -> np.ndarray:
        """The mean cosine (T+1,) of the samples to their own proxies."""
        return np.array([state.mean_own_cosine for state in self.states])

    @property
    def proxies(self) -> np.ndarray:
        """The places (T+1, M, d) of the proxies."""
        return np.stack([state.proxies.numpy() for state in self.states])


def flow(start: ProxyResponse, steps: int, times: float) -> Flow:
    """Take ``steps`` steps down the gradient at `RATE` over the largest pull; proxies learn ``times`` as fast as samples."""
    rate = RATE / start.pull_and_push_bounds[0]
    return Flow(list(start.flow(steps, rate, rate * times)))


def _gradient(weights: Tensor, towards: Tensor, at: Tensor) -> Tensor:
    return tangent(pair_gradient(weights, towards, at), at)
