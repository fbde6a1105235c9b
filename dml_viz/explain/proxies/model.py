"""Embeddings with their proxies as three losses see them, and the sample and the proxy that are looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from dml_viz.embedding.class_directions import centres
from dml_viz.embedding.embeddings import Embeddings, EmbeddingsModel
from dml_viz.explain.proxies.model_response import ProxyLoss, ProxyResponse, proxy_response
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.losses.soft_triple import SoftTriple

SHARE = 0.51  # of the number of classes, in the note's experiment


@dataclass(frozen=True)
class Settings:
    """The losses that are compared, the mistakes that are made, and the sample and the proxy that are looked at.

    The mistakes are Proxy-NCA's wrong sign, and proxies for 0.51 C classes; ``proxy`` is the sample's nearest where it is -1.
    """

    nca: ProxyNCA
    anchor: ProxyAnchor
    variant: MarginSoftmax | SoftTriple = field(default_factory=MarginSoftmax)
    wrong_sign: bool = False
    truncated: bool = False
    sample: int = 0
    proxy: int = -1


class Model(EmbeddingsModel[Settings]):
    """Embeddings whose learnt "proxies" (C, d) are unit, one to a class, under three losses.

    A run's SoftTriple adds its own "centres" (C * K, d); "paths" (T, C, d) are where the proxies have been.
    """

    @property
    def proxies(self) -> Tensor:
        """The proxies (C, d)."""
        return self.embeddings.learnt["proxies"]

    @property
    def with_proxy(self) -> int:
        """How many classes have a proxy."""
        return max(int(SHARE * len(self.proxies)), 1) if self.settings.truncated else len(self.proxies)

    @cached_property
    def nca(self) -> ProxyResponse:
        """Proxy-NCA."""
        return self._response(self.settings.nca, self.proxies[: self.with_proxy], wrong_sign=self.settings.wrong_sign)

    @cached_property
    def anchor(self) -> ProxyResponse:
        """Proxy-Anchor."""
        return self._response(self.settings.anchor, self.proxies[: self.with_proxy])

    @cached_property
    def variant(self) -> ProxyResponse:
        """The softmax per sample they are compared with; SoftTriple that has learnt none takes centres of the samples."""
        loss = self.settings.variant
        if isinstance(loss, MarginSoftmax):
            return self._response(loss, self.proxies[: self.with_proxy])
        own = self.embeddings.learnt.get("centres")
        if own is None or len(own) != loss.centres * len(self.proxies):
            own = centres(self.embeddings.z, self.embeddings.y, self.proxies, loss.centres)
        return self._response(loss, own[: self.with_proxy * loss.centres])

    @property
    def own(self) -> int:
        """The proxy of the sample's class; -1 where it has none."""
        label = int(self.embeddings.y[self.settings.sample])
        return label if label < self.with_proxy else -1

    @property
    def proxy(self) -> int:
        """The proxy that is looked at."""
        if 0 <= self.settings.proxy < self.with_proxy:
            return self.settings.proxy
        return self.own if self.own >= 0 else int(self.nca.s[self.settings.sample].argmax())

    @property
    def rival(self) -> int:
        """The proxy of another class: the one looked at, or the nearest to the sample; -1 where there is none."""
        if self.proxy != self.own:
            return self.proxy
        others = np.where(np.arange(self.with_proxy) == self.own, -np.inf, self.nca.s[self.settings.sample])
        return int(others.argmax()) if self.with_proxy > 1 else -1

    @cached_property
    def correlations(self) -> dict[str, float]:
        """How the table of weights of Proxy-NCA and that of Proxy-Anchor go along with the variant's; NaN where one is flat."""
        response = self.variant
        by_class = np.add.reduceat(response.weights, np.arange(0, len(response.owners), response.loss.per_class), 1)
        return {
            name: _correlation(side.weights, by_class) for name, side in (("nca", self.nca), ("anchor", self.anchor))
        }

    def _response(self, loss: ProxyLoss, proxies: Tensor, *, wrong_sign: bool = False) -> ProxyResponse:
        return proxy_response(loss, self.embeddings.z, self.embeddings.y, proxies, wrong_sign=wrong_sign)


def model(embeddings: Embeddings, settings: Settings) -> Model:
    """The model of ``embeddings`` under ``settings``."""
    return Model(embeddings, settings)


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    tables = torch.from_numpy(np.stack((one.ravel(), other.ravel())))
    return float(torch.corrcoef(tables)[0, 1])
