"""NT-Xent: the cross-entropy of one positive against the negatives, at a temperature."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from dml_viz.losses._base import Loss
from dml_viz.losses._logsumexp import log_one_and_sum, log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, dot, exp, log, numbers, total
from dml_viz.params import param


@dataclass(frozen=True)
class NTXent(Loss):
    """For every anchor and positive, a softmax over that positive and the anchor's negatives should pick the positive."""

    title = "NT-Xent"
    sentence = "In every positive pair the anchor should pick its positive from among that positive and all its negatives."
    formula = (
        r"L = \frac1M\sum_i\sum_{p\in\mathcal P_i}"
        r"-\log\frac{e^{s_{ip}/\tau}}{e^{s_{ip}/\tau}+\sum_{n\in\mathcal N_i}e^{s_{in}/\tau}},\quad M=\sum_i|\mathcal P_i|"
    )
    weight_formula = (
        r"w_{ip} = -\frac{g_{ip}}{M\,\tau},\quad "
        r"w_{in} = +\frac{1}{M\,\tau}\frac{e^{s_{in}/\tau}}{Z_i}\sum_{p\in\mathcal P_i}g_{ip},\quad "
        r"g_{ip} = \frac{Z_i}{e^{s_{ip}/\tau}+Z_i},\quad Z_i=\sum_{n\in\mathcal N_i}e^{s_{in}/\tau}"
    )
    reference = (
        "Sohn: Improved Deep Metric Learning with Multi-class N-pair Loss Objective, NeurIPS 2016, "
        "https://papers.nips.cc/paper/2016/hash/6b180037abbebea991d8b1232f8a8ca9-Abstract.html; the name: "
        "Chen et al.: A Simple Framework for Contrastive Learning of Visual Representations, ICML 2020, "
        "arXiv:2002.05709"
    )
    families = ("tuples", "unsupervised")
    masked = True
    variant = "Cosine similarity; one positive at a time against the anchor's negatives; the mean over ordered positive pairs."
    elsewhere = (
        "pytorch-metric-learning's NTXentLoss (its temperature is τ) computes the same. "
        "SimCLR has one positive per anchor, its other view."
    )
    traps = (
        "An anchor's other positives are not in the denominator, as they are in SupCon: positives do not compete.",
        "The mean is over ordered pairs, so a class of 10 weighs 45 times as much as a class of 2.",
        "The push grows with the batch: every negative more adds a term to every denominator.",
        "Where all negatives are far the pull fades, however far the positive still is.",
    )

    tau: float = param(
        0.07,
        r"\tau",
        meaning="temperature: how far ahead in similarity is clearly ahead",
        unit="cosine",
        domain="[0.0001, inf)",
        slider=(0.05, 0.5),
        step=0.01,
        source="0.07 in pytorch-metric-learning",
    )

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        terms: list[Number] = []
        for i in everyone:
            e = {j: exp(dot(points[i], points[j]) / self.tau) for j in everyone if j != i}
            of_negatives = total(e[n] for n in e if labels[n] != labels[i])
            terms.extend(log((e[p] + of_negatives) / e[p]) for p in e if labels[p] == labels[i])
        return total(terms) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        scores = pairs.s / self.tau
        anchor, positive = pairs.positive.nonzero(as_tuple=True)
        of_negatives = torch.where(pairs.negative, scores, -torch.inf)[anchor]  # (pairs, N)
        terms = log_one_and_sum(of_negatives - scores[anchor, positive][:, None])
        return terms.sum() / max(1, len(terms))

    def weigh(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        # Similarity less 1: the shares are the same, and near points differ.
        scores = pairs.d2 * (-0.5 / self.tau)
        negatives = log_sum(scores + pairs.only_negatives)
        behind = torch.sub(negatives.value[:, None], scores, out=scores).add_(pairs.only_positives)
        many = pairs.positives.sum().clamp(min=1)
        value = -logsigmoid(behind.neg()).sum() / many
        missed = behind.sigmoid_()
        return value, negatives.shares.mul_(missed.sum(1, keepdim=True)).sub_(missed).div_(many * self.tau)
