"""The losses of pytorch-metric-learning that are the same as ours, with their knobs."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from types import MappingProxyType

from pytorch_metric_learning import distances, losses, miners, regularizers
from torch import Tensor, nn

from dml_viz.losses import Loss
from dml_viz.losses.angular import Angular
from dml_viz.losses.circle import Circle
from dml_viz.losses.contrastive import Contrastive
from dml_viz.losses.fastap import FastAP
from dml_viz.losses.histogram import Histogram
from dml_viz.losses.lifted import LiftedStructured
from dml_viz.losses.margin import Margin
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.multi_similarity import MultiSimilarity
from dml_viz.losses.n_pair import NPair
from dml_viz.losses.nca import NCA
from dml_viz.losses.nt_xent import NTXent
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.losses.ranked_list import RankedList
from dml_viz.losses.smooth_ap import SmoothAP
from dml_viz.losses.snr import SNR
from dml_viz.losses.soft_triple import SoftTriple
from dml_viz.losses.sup_con import SupCon
from dml_viz.losses.triplet import Triplet


class Mined(nn.Module):
    """A loss of the pairs or triplets that a miner chooses."""

    def __init__(self, miner: Callable[[Tensor, Tensor], object], loss: nn.Module) -> None:
        super().__init__()
        self.miner, self.loss = miner, loss

    def forward(self, z: Tensor, y: Tensor) -> Tensor:
        return self.loss(z, y, self.miner(z, y))


class Times(nn.Module):
    """A loss times a number."""

    def __init__(self, factor: float, loss: nn.Module) -> None:
        super().__init__()
        self.factor, self.loss = factor, loss

    def forward(self, z: Tensor, y: Tensor) -> Tensor:
        return self.factor * self.loss(z, y)


@dataclass(frozen=True)
class Peer:
    """A loss of ours, and a function that makes the library's loss of equal value for so many classes and dimensions."""

    ours: Loss
    theirs: Callable[[int, int], nn.Module]


def ranked_list(classes: int, dim: int) -> nn.Module:
    """Ranked List with the paper's temperature, at which the library warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return Times(2, losses.RankedListLoss(margin=0.4, Tn=10, imbalance=0.5, alpha=1.2))


def snr(classes: int, dim: int) -> nn.Module:
    """SNR on raw rows, with the paper's regulariser."""
    raw, centred = distances.SNRDistance(normalize_embeddings=False), regularizers.ZeroMeanRegularizer()
    return losses.ContrastiveLoss(neg_margin=0.2, distance=raw, embedding_regularizer=centred, embedding_reg_weight=0.005)


def soft_triple(classes: int, dim: int) -> nn.Module:
    """SoftTriple with the paper's regulariser, which the library leaves to the caller."""
    together = regularizers.SparseCentersRegularizer(classes, 10)
    return losses.SoftTripleLoss(
        classes, dim, centers_per_class=10, la=20, gamma=0.1, margin=0.01, weight_regularizer=together, weight_reg_weight=0.2
    )


# By the name of our loss and, after a comma, the variant.
PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "angular": Peer(Angular(alpha=40), lambda c, d: losses.AngularLoss(alpha=40)),
        "circle": Peer(Circle(margin=0.4, gamma=80), lambda c, d: losses.CircleLoss(m=0.4, gamma=80)),
        "contrastive": Peer(Contrastive(margin=1, form="distances"), lambda c, d: losses.ContrastiveLoss(neg_margin=1)),
        "fastap": Peer(FastAP(bins=10), lambda c, d: losses.FastAPLoss(num_bins=10)),
        "histogram": Peer(Histogram(bins=100), lambda c, d: losses.HistogramLoss(n_bins=100)),
        "lifted": Peer(LiftedStructured(alpha=1), lambda c, d: losses.LiftedStructureLoss(neg_margin=1)),
        "margin": Peer(Margin(alpha=0.2, beta=1.2, over="triplets"), lambda c, d: losses.MarginLoss(margin=0.2, beta=1.2)),
        "margin_softmax, NormFace": Peer(
            MarginSoftmax(form="NormFace", scale=20), lambda c, d: losses.NormalizedSoftmaxLoss(c, d, temperature=1 / 20)
        ),
        "margin_softmax, AM-softmax": Peer(
            MarginSoftmax(form="AM-softmax", scale=30), lambda c, d: losses.CosFaceLoss(c, d, margin=0.35, scale=30)
        ),
        "margin_softmax, ArcFace": Peer(
            MarginSoftmax(form="ArcFace", scale=64), lambda c, d: losses.ArcFaceLoss(c, d, margin=28.6, scale=64)
        ),
        "multi_similarity": Peer(
            MultiSimilarity(),
            lambda c, d: Mined(miners.MultiSimilarityMiner(epsilon=0.1), losses.MultiSimilarityLoss(2, 50, 0.5)),
        ),
        "multi_similarity, all pairs": Peer(MultiSimilarity(mining=False), lambda c, d: losses.MultiSimilarityLoss(2, 50, 0.5)),
        "n_pair": Peer(
            NPair(l2=0), lambda c, d: losses.NPairsLoss(distance=distances.DotProductSimilarity(normalize_embeddings=False))
        ),
        "nca": Peer(NCA(scale=1), lambda c, d: losses.NCALoss(softmax_scale=1)),
        "nt_xent": Peer(NTXent(tau=0.07), lambda c, d: losses.NTXentLoss(temperature=0.07)),
        "proxy_anchor": Peer(ProxyAnchor(), lambda c, d: losses.ProxyAnchorLoss(c, d, margin=0.1, alpha=32)),
        "proxy_nca": Peer(
            ProxyNCA(scale=sqrt(8), positive_in_denominator=True), lambda c, d: losses.ProxyNCALoss(c, d, softmax_scale=8)
        ),
        "ranked_list": Peer(RankedList(differentiated="both ends and weights"), ranked_list),
        "smooth_ap": Peer(SmoothAP(tau=0.01), lambda c, d: losses.SmoothAPLoss(temperature=0.01)),
        "snr": Peer(SNR(form="contrastive", margin=0.2, zero_mean=0.005), snr),
        "soft_triple": Peer(SoftTriple(), soft_triple),
        "sup_con": Peer(SupCon(tau=0.1), lambda c, d: losses.SupConLoss(temperature=0.1)),
        "triplet, all": Peer(
            Triplet(margin=0.2, mining="all", squared=False, reduction="nonzero"),
            lambda c, d: losses.TripletMarginLoss(margin=0.2),
        ),
        "triplet, batch-hard": Peer(
            Triplet(margin=0.2, mining="batch-hard", squared=False, reduction="nonzero"),
            lambda c, d: Mined(miners.BatchHardMiner(), losses.TripletMarginLoss(margin=0.2)),
        ),
    }
)

BEST_KNOWN = (
    "angular", "circle", "contrastive", "fastap", "lifted", "margin", "margin_softmax, ArcFace",
    "multi_similarity, all pairs", "n_pair", "proxy_anchor", "proxy_nca", "ranked_list", "sup_con", "triplet, all",
)  # fmt: skip
UNCOUNTED = "lifted"
"""Left out of sums and medians: the library's takes longer than all others together and would flatter us."""
