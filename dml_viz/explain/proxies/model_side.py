"""One loss of proxies on a subject: what it asks of every sample and every proxy, with the mistakes in circulation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from dml_viz.embedding.sphere import pull, tangent
from dml_viz.losses import Pairs
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.losses.soft_triple import SoftTriple

ProxyLoss = ProxyNCA | ProxyAnchor | MarginSoftmax | SoftTriple


@dataclass(frozen=True, eq=False)
class Side:
    """A loss of unit rows z (N, d), labels y (N,) and unit proxies (M, d), all float64.

    Classes may lack a proxy: where samples choose among proxies, theirs have no target, and so no loss and no gradient.
    With ``wrong_sign`` the loss takes its distances for nearness, as it would with every proxy at its antipode.
    """

    loss: ProxyLoss
    z: Tensor
    y: Tensor
    proxies: Tensor
    wrong_sign: bool = False

    @cached_property
    def owners(self) -> np.ndarray:
        """The class (M,) that each proxy stands for."""
        return np.arange(len(self.proxies)) // self.loss.per_class

    @property
    def asks(self) -> str:
        """Who asks about all of the others: every "sample" or, in Proxy-Anchor, every "proxy"."""
        return "proxy" if isinstance(self.loss, ProxyAnchor) else "sample"

    @property
    def strength(self) -> float:
        """The most that all pulls, or all pushes, add up to: 2 sigma^2 for Proxy-NCA, alpha for Proxy-Anchor.

        For the others it is their scale, which ArcFace and SoftTriple can exceed.
        """
        loss = self.loss
        if isinstance(loss, ProxyNCA):
            return 2 * loss.scale**2
        return loss.alpha if isinstance(loss, ProxyAnchor) else loss.scale

    @cached_property
    def most(self) -> tuple[float, float]:
        """The largest pull and the largest push that the loss can give to one pair; see `strength`."""
        if not isinstance(self.loss, ProxyAnchor):
            return self.strength / len(self.z), self.strength / len(self.z)
        present = int(np.isin(self.owners, self.y.numpy()).sum())
        return self.strength / max(present, 1), self.strength / len(self.proxies)

    @cached_property
    def s(self) -> np.ndarray:
        """Cosine similarities (N, M) to the proxies as they are drawn."""
        return (1 - Pairs(self.z, self.y, self.proxies).d2 / 2).numpy()

    @cached_property
    def own(self) -> np.ndarray:
        """Whether a proxy is of a sample's class (N, M)."""
        return np.asarray(self.y.numpy()[:, None] == self.owners)

    @cached_property
    def value(self) -> float:
        """The loss."""
        return self._asked[0]

    @cached_property
    def weights(self) -> np.ndarray:
        """dL/ds (N, M) for the similarities to the proxies as they are drawn; what is negative pulls."""
        return self._asked[1]

    @cached_property
    def at_samples(self) -> np.ndarray:
        """The tangent gradient (N, d) at the samples."""
        return self._gradient(torch.from_numpy(self.weights), self.proxies, self.z)

    @property
    def pulls_at_samples(self) -> np.ndarray:
        """What of `at_samples` (N, d) the samples' own proxies ask for."""
        return self._gradient(torch.from_numpy(np.where(self.own, self.weights, 0)), self.proxies, self.z)

    @cached_property
    def at_proxies(self) -> np.ndarray:
        """The tangent gradient (M, d) at the proxies as they are drawn, but for SoftTriple's regulariser."""
        return self._gradient(torch.from_numpy(self.weights).T, self.z, self.proxies)

    @property
    def pull(self) -> float:
        """All pulls of samples' own proxies together, as a share of `strength`."""
        return -float(self.weights[self.own].sum()) / self.strength

    @property
    def own_cosine(self) -> float:
        """The mean cosine of the samples to their own proxies; NaN where none has one."""
        return float(self.s[self.own].mean()) if self.own.any() else float("nan")

    @property
    def idle(self) -> int:
        """How many samples have a gradient of exactly 0 because no proxy weighs on them."""
        return int((~self.weights.any(1)).sum())

    def against(self, sample: int, proxy: int, s: np.ndarray) -> np.ndarray:
        """What the pair's weight would be at similarities s (K,), all other pairs being as they are."""
        found = np.empty(len(s))
        moved = self._pairs.d2.clone()
        for place, similarity in enumerate(-s if self.wrong_sign else s):
            moved[sample, proxy] = 2 - 2 * similarity
            found[place] = self._weigh(self._pairs.at(moved))[1][sample, proxy]
        return found

    @cached_property
    def _pairs(self) -> Pairs:
        owners = torch.from_numpy(self.owners)
        return Pairs(self.z, self.y, -self.proxies if self.wrong_sign else self.proxies, owners)

    @cached_property
    def _asked(self) -> tuple[float, np.ndarray]:
        return self._weigh(self._pairs)

    def _weigh(self, pairs: Pairs) -> tuple[float, np.ndarray]:
        classes = len(self.proxies) // self.loss.per_class
        has = self.y < classes
        if isinstance(self.loss, ProxyAnchor) or bool(has.all()):
            value, weights = self.loss.weigh(pairs)
        else:
            # A row of zeros for a target takes the sample out of the sum, and leaves it in the number of samples.
            value, weights = pairs.d2.new_zeros(()), torch.zeros_like(pairs.d2)
            if bool(has.any()):
                some = Pairs(self.z[has], self.y[has], pairs.to, pairs.owners).at(pairs.d2[has])
                value, weights[has] = self.loss.weigh(some)
                value, weights = value * has.double().mean(), weights * has.double().mean()
        return float(value), (-weights if self.wrong_sign else weights).numpy()

    def _gradient(self, weights: Tensor, towards: Tensor, at: Tensor) -> np.ndarray:
        return np.asarray(tangent(pull(weights, towards, at), at).numpy())
