"""Embeddings with proxies under three losses of proxies, with a chosen sample and proxy."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from dml_viz.analysis import LossInputs, LossResponse
from dml_viz.embedding.class_directions import k_means_centres
from dml_viz.embedding.embeddings import EmbeddingsModel
from dml_viz.explain.proxies.model_bound import Bound, bound_along_gradient, bound_over_frames
from dml_viz.explain.proxies.model_influence import Influence, Structure, influence, structure, subset_indices
from dml_viz.explain.proxies.model_response import Flow, ProxyLoss, ProxyResponse, flow, proxy_response
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.losses.soft_triple import SoftTriple
from dml_viz.losses.triplet import Triplet

SHARE = 0.51  # proxies per class in the note's experiment
STEPS, STEPS_OF_RUN = 120, 40  # of the gradient flow, for scenes, and for runs and files
LEARNT = "learnt"
SIMILARITIES = np.linspace(-1, 1, 61)


@dataclass(frozen=True)
class Frames:
    """Frames of a run, read when called; two are equal if their ``steps`` are."""

    steps: tuple[int, ...] = ()
    at: Callable[[int], tuple[Tensor, Tensor]] | None = field(default=None, compare=False)

    def __call__(self) -> Iterator[tuple[int, Tensor, Tensor]]:
        """Read the step, the rows (N, d) and the proxies (C, d) of each frame."""
        return ((step, *self.at(step)) for step in self.steps if self.at)


@dataclass(frozen=True)
class Settings:
    """The settings of the Proxies page: three losses, two common mistakes in code, the drawing, and the sample and proxy picked.

    ``edges`` says whose edges are drawn; ``step`` of ``steps`` down the gradient is drawn, proxies learning ``times`` as fast as
    samples. ``sample`` is the chosen one, ``proxy`` too, or -1 for the one nearest to the sample. ``proxies_from`` is that of the
    proxies of a run, ``note`` the origin of the proxies, ``frames`` are the run's.
    """

    nca: ProxyNCA = field(default_factory=ProxyNCA)
    anchor: ProxyAnchor = field(default_factory=ProxyAnchor)
    third_loss: MarginSoftmax | SoftTriple = field(default_factory=MarginSoftmax)
    wrong_sign: bool = False
    truncated: bool = False
    edges: str = "all"
    step: int = STEPS // 2
    steps: int = STEPS
    times: float = 1.0
    sample: int = 0
    proxy: int = -1
    proxies_from: str = LEARNT
    note: str = "One proxy for each class; drag proxies, too."
    frames: Frames = Frames()


@dataclass(frozen=True, eq=False)
class Hardness:
    """Weights of a loss as shares of the largest pull or push, both positive, of similar or of dissimilar pairs.

    ``curve`` (K,) is that of the chosen pair at `SIMILARITIES`; ``s`` and ``shares`` (P,) are those of all ``pairs``
    (P, 2); ``picked`` is the index of the chosen pair, -1 for none.
    """

    title: str
    curve: np.ndarray
    s: np.ndarray
    shares: np.ndarray
    pairs: np.ndarray
    picked: int


class Model(EmbeddingsModel[Settings]):
    """Embeddings with one proxy for each class, learnt["proxies"], under three losses.

    A run may have learnt["classes"] (C,), those of the proxies, learnt["paths"] (T, C, d), their earlier places, and
    learnt["centres"] (C * K, d) of its SoftTriple.
    """

    @cached_property
    def proxies(self) -> Tensor:
        """Unit proxies (C, d)."""
        return self.embeddings.learnt["proxies"]

    @cached_property
    def classes(self) -> np.ndarray:
        """The class (C,) of each proxy."""
        classes = self.embeddings.learnt.get("classes")
        return np.arange(len(self.proxies)) if classes is None else classes.numpy()

    @cached_property
    def own_proxy_indices(self) -> Tensor:
        """The index (N,) of the proxy of each sample's class."""
        return torch.from_numpy(np.searchsorted(self.classes, self.y))

    @property
    def paths(self) -> np.ndarray | None:
        """The earlier places (T, C, d) of the proxies, if any."""
        paths = self.embeddings.learnt.get("paths")
        return None if paths is None else paths.numpy()

    @property
    def proxy_class_count(self) -> int:
        """The number of classes with a proxy."""
        classes = len(self.proxies)
        return max(int(SHARE * classes), 1) if self.settings.truncated else classes

    @cached_property
    def nca(self) -> ProxyResponse:
        """The response of Proxy-NCA."""
        return self._response(self.settings.nca, self.proxies[: self.proxy_class_count], wrong_sign=self.settings.wrong_sign)

    @cached_property
    def anchor(self) -> ProxyResponse:
        """The response of Proxy-Anchor."""
        return self._response(self.settings.anchor, self.proxies[: self.proxy_class_count])

    @cached_property
    def third_loss(self) -> ProxyResponse:
        """The response of the third loss, a softmax per sample; without learnt centres SoftTriple gets centres of the samples."""
        loss = self.settings.third_loss
        if isinstance(loss, MarginSoftmax):
            return self._response(loss, self.proxies[: self.proxy_class_count])
        rows = self.embeddings.learnt.get("centres")
        if rows is None or len(rows) != loss.centres * len(self.proxies):
            rows = k_means_centres(self.embeddings.z, self.own_proxy_indices, self.proxies, loss.centres)
        return self._response(loss, rows[: self.proxy_class_count * loss.centres])

    def response(self, name: str) -> ProxyResponse:
        """The response of the loss ``name``: "nca", "anchor" or "third_loss"."""
        return {"nca": self.nca, "anchor": self.anchor}.get(name) or self.third_loss

    @property
    def own_proxy(self) -> int:
        """The proxy of the sample's class; -1 for none."""
        row = int(self.own_proxy_indices[self.settings.sample])
        return row if row < self.proxy_class_count else -1

    @property
    def proxy(self) -> int:
        """The index of the picked proxy; if none is picked, of the sample's own proxy or the nearest."""
        if 0 <= self.settings.proxy < self.proxy_class_count:
            return self.settings.proxy
        return self.own_proxy if self.own_proxy >= 0 else int(self.nca.cosine_similarities[self.settings.sample].argmax())

    @property
    def rival(self) -> int:
        """The index of a proxy of another class: the picked one, or the nearest to the sample; -1 for none."""
        if self.proxy != self.own_proxy:
            return self.proxy
        others = np.where(
            np.arange(self.proxy_class_count) == self.own_proxy, -np.inf, self.nca.cosine_similarities[self.settings.sample]
        )
        return int(others.argmax()) if self.proxy_class_count > 1 else -1

    def hardness(self, name: str, positive: bool) -> Hardness:
        """The weights of all pairs by similarity, with the curve of the sample and its own proxy, or with its `rival`."""
        response, sample = self.response(name), self.settings.sample
        row, (pull, push) = self.own_proxy if positive else self.rival, response.pull_and_push_bounds
        of, unit = (response.same_class, -pull) if positive else (~response.same_class, push)
        pairs, s, shares = np.argwhere(of), response.cosine_similarities[of], response.weights[of] / unit
        if row < 0:
            return Hardness(response.loss.name, np.zeros(0), s, shares, pairs, -1)
        candidates = np.flatnonzero(response.owners == row)
        proxy = int(candidates[response.cosine_similarities[sample, candidates].argmax()])
        index = int(np.flatnonzero((pairs == (sample, proxy)).all(1))[0])
        curve = response.weights_along(sample, proxy, SIMILARITIES) / unit
        return Hardness(response.loss.name, curve, s, shares, pairs, index)

    @cached_property
    def flows(self) -> dict[str, Flow]:
        """The gradient flows of Proxy-NCA and Proxy-Anchor."""
        steps, times = self.settings.steps, self.settings.times
        return {name: flow(self.response(name), steps, times) for name in ("nca", "anchor")}

    @cached_property
    def moved_indices(self) -> np.ndarray:
        """Indices of the samples that are moved, one at a time, to measure `influence`."""
        return subset_indices(self.y)

    @cached_property
    def influence(self) -> dict[str, Influence]:
        """The changes of all gradients as each sample moves, under Proxy-NCA, Proxy-Anchor and the triplet loss."""
        few, of = self.embeddings.part(torch.from_numpy(self.moved_indices)), self.own_proxy_indices[self.moved_indices]
        triplet = LossResponse(Triplet(), LossInputs(few, of, {}))
        of_proxies = {
            name: proxy_response(response.loss, few.z, of, response.proxies, wrong_sign=response.wrong_sign)
            for name, response in (("nca", self.nca), ("anchor", self.anchor))
        }
        return {name: influence(response, few.plane) for name, response in {**of_proxies, "triplet": triplet}.items()}

    @cached_property
    def bound(self) -> Bound | None:
        """The bound on all triplets along the gradient of the discriminative loss, with the proxies as centroids."""
        return bound_along_gradient(self.embeddings.z, self.own_proxy_indices, self.proxies)

    @cached_property
    def bound_of_run(self) -> Bound | None:
        """The bound on all triplets at frames of the run, with each frame's proxies; None without a run."""
        return bound_over_frames(self.settings.frames(), self.own_proxy_indices)

    @cached_property
    def structure(self) -> Structure:
        """The rank correlation of the proxies' cosines with the cosines of the class means."""
        return structure(self.embeddings.z, self.own_proxy_indices, self.proxies)

    @cached_property
    def weight_correlations(self) -> dict[str, float]:
        """The correlation of Proxy-NCA's and of Proxy-Anchor's weights with the third loss's; NaN for a constant table."""
        third = self.third_loss
        summed = np.add.reduceat(third.weights, np.arange(0, len(third.owners), third.loss.per_class), 1)
        tables = {name: torch.from_numpy(np.stack((self.response(name).weights, summed))) for name in ("nca", "anchor")}
        return {name: float(torch.corrcoef(table.flatten(1))[0, 1]) for name, table in tables.items()}

    def _response(self, loss: ProxyLoss, proxies: Tensor, *, wrong_sign: bool = False) -> ProxyResponse:
        return proxy_response(loss, self.embeddings.z, self.own_proxy_indices, proxies, wrong_sign=wrong_sign)
