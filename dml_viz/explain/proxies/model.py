"""A subject with its proxies as three losses see it, and the sample and the proxy that are looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from dml_viz.embedding.class_directions import centres
from dml_viz.explain.proxies.model_side import ProxyLoss, Side
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.losses.soft_triple import SoftTriple

SHARE = 0.51  # of the number of classes, in the note's experiment


@dataclass(frozen=True, eq=False)
class Standing:
    """Unit rows z (N, d) with labels y (N,) from 0 to C - 1, and unit proxies (C, d), all float64.

    ``own_centres`` (C * K, d) are those that the run's SoftTriple has learnt, ``paths`` (T, C, d) is where the proxies have been.
    """

    z: Tensor
    y: Tensor
    proxies: Tensor
    own_centres: Tensor | None = None
    paths: Tensor | None = None


@dataclass(frozen=True)
class Knobs:
    """The losses that are compared, and the mistakes that are made: Proxy-NCA's wrong sign, and proxies for 0.51 C classes."""

    nca: ProxyNCA
    anchor: ProxyAnchor
    cousin: MarginSoftmax | SoftTriple = field(default_factory=MarginSoftmax)
    wrong_sign: bool = False
    truncated: bool = False


@dataclass(frozen=True, eq=False)
class Model:
    """A standing under `Knobs`; ``sample`` is looked at, and ``proxy``, or the nearest to the sample where it is -1."""

    standing: Standing
    knobs: Knobs
    sample: int
    asked: int = -1

    @property
    def kept(self) -> int:
        """How many classes have a proxy."""
        classes = len(self.standing.proxies)
        return max(int(SHARE * classes), 1) if self.knobs.truncated else classes

    @cached_property
    def nca(self) -> Side:
        """Proxy-NCA."""
        return self._side(self.knobs.nca, self.standing.proxies[: self.kept], wrong_sign=self.knobs.wrong_sign)

    @cached_property
    def anchor(self) -> Side:
        """Proxy-Anchor."""
        return self._side(self.knobs.anchor, self.standing.proxies[: self.kept])

    @cached_property
    def cousin(self) -> Side:
        """The softmax per sample they are compared with; SoftTriple that has learnt none takes centres of the samples."""
        loss, standing = self.knobs.cousin, self.standing
        if isinstance(loss, MarginSoftmax):
            return self._side(loss, standing.proxies[: self.kept])
        own = standing.own_centres
        if own is None or len(own) != loss.centres * len(standing.proxies):
            own = centres(standing.z, standing.y, standing.proxies, loss.centres)
        return self._side(loss, own[: self.kept * loss.centres])

    @property
    def own(self) -> int:
        """The proxy of the sample's class; -1 where it has none."""
        label = int(self.standing.y[self.sample])
        return label if label < self.kept else -1

    @property
    def proxy(self) -> int:
        """The proxy that is looked at."""
        if 0 <= self.asked < self.kept:
            return self.asked
        return self.own if self.own >= 0 else int(self.nca.s[self.sample].argmax())

    @property
    def rival(self) -> int:
        """The proxy of another class: the one looked at, or the nearest to the sample; -1 where there is none."""
        if self.proxy != self.own:
            return self.proxy
        others = np.where(np.arange(self.kept) == self.own, -np.inf, self.nca.s[self.sample])
        return int(others.argmax()) if self.kept > 1 else -1

    @cached_property
    def correlations(self) -> dict[str, float]:
        """How the table of weights of Proxy-NCA and that of Proxy-Anchor go along with the cousin's; NaN where one is flat."""
        cousin = np.add.reduceat(
            self.cousin.weights, np.arange(0, len(self.cousin.owners), self.cousin.loss.per_class), 1
        )
        return {name: _correlation(side.weights, cousin) for name, side in (("nca", self.nca), ("anchor", self.anchor))}

    def _side(self, loss: ProxyLoss, proxies: Tensor, *, wrong_sign: bool = False) -> Side:
        return Side(loss, self.standing.z, self.standing.y, proxies, wrong_sign)


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    tables = torch.from_numpy(np.stack((one.ravel(), other.ravel())))
    return float(torch.corrcoef(tables)[0, 1])
