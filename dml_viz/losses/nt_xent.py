"""NT-Xent: the cross-entropy of one positive against the negatives, at a temperature, which may be learnt."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from dml_viz.losses._base import Loss
from dml_viz.losses._learnt_tensor import LearntTensor, Shape
from dml_viz.losses._logsumexp import log_one_and_sum, log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, dot, exp, log, numbers, scalar, total
from dml_viz.params import param

LARGEST_SCALE = 100.0  # of similarities, in CLIP


@dataclass(frozen=True)
class NTXent(Loss):
    """For every anchor and positive, a softmax over that positive and the anchor's negatives should pick the positive.

    Where ``learn_tau``, the learnt tensor "log_scale" () is the logarithm of 1 / τ.
    """

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
    rewritten = (("learn_tau", True, r"M=\sum_i|\mathcal P_i|", r"M=\sum_i|\mathcal P_i|,\quad \tau=e^{-t'}"),)
    reference = (
        "Sohn: Improved Deep Metric Learning with Multi-class N-pair Loss Objective, NeurIPS 2016, "
        "https://papers.nips.cc/paper/2016/hash/6b180037abbebea991d8b1232f8a8ca9-Abstract.html; the name: "
        "Chen et al.: A Simple Framework for Contrastive Learning of Visual Representations, ICML 2020, "
        "arXiv:2002.05709"
    )
    families = ("tuples", "unsupervised")
    masked = True
    learnable = (
        LearntTensor(
            "log_scale",
            Shape.NUMBER,
            "by the logarithm of 1 / τ, clamped so that 1 / τ stays at 100 or below",
            "τ",
            high=math.log(LARGEST_SCALE),
            to_curve=lambda log_scale: log_scale.neg().exp(),
            switch="learn_tau",
        ),
    )
    elsewhere = (
        "pytorch-metric-learning's NTXentLoss (its temperature is τ) computes the same; SimCLR has one positive per anchor, its "
        "other view. InfoNCE is another name for it. CLIP's, OpenCLIP's ClipLoss, has images as anchors of texts and texts of "
        "images, here the rows of one batch."
    )
    traps = (
        "An anchor's other positives are not in the denominator, as they are in SupCon: positives do not compete.",
        "The mean is over ordered pairs, so a class of 10 weighs 45 times as much as a class of 2.",
        "The push grows with the batch: every negative more adds a term to every denominator.",
        "Where all negatives are far the pull fades, however far the positive still is.",
        "A learnt temperature falls once positives are ahead, since certainty lowers the loss; CLIP's clamp ends that at 0.01.",
    )

    tau: float = param(
        0.07,
        "temperature: how far ahead in similarity is clearly ahead; where it is learnt, its start",
        r"\tau",
        domain="[0.0001, inf) cosine",
        slider=(0.05, 0.5, 0.01),
        source="0.07 in pytorch-metric-learning and CLIP",
    )
    learn_tau: bool = param(False, "learn the temperature, as CLIP does", r"t'", source="Radford et al. 2021, arXiv:2103.00020")

    @property
    def variant_text(self) -> str:
        learnt = " CLIP's temperature: the logarithm of 1 / τ is learnt, and 1 / τ clamped at 100." if self.learn_tau else ""
        return (
            "Cosine similarity; one positive at a time against the anchor's negatives; the mean over ordered positive "
            f"pairs.{learnt}"
        )

    def initial_tensors(self, classes: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        return {"log_scale": torch.tensor(math.log(min(1 / self.tau, LARGEST_SCALE)))} if self.learn_tau else {}

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        terms: list[Number] = []
        tau = exp(-scalar(learnt["log_scale"])) if self.learn_tau else self.tau
        for i in everyone:
            e = {j: exp(dot(points[i], points[j]) / tau) for j in everyone if j != i}
            of_negatives = total(e[n] for n in e if labels[n] != labels[i])
            terms.extend(log((e[p] + of_negatives) / e[p]) for p in e if labels[p] == labels[i])
        return total(terms) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        scores = pairs.s / self._temperature(pairs)
        anchor, positive = pairs.positive.nonzero(as_tuple=True)
        of_negatives = torch.where(pairs.negative, scores, -torch.inf)[anchor]  # (pairs, N)
        terms = log_one_and_sum(of_negatives - scores[anchor, positive][:, None])
        return terms.sum() / max(1, len(terms))

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        tau = self._temperature(pairs)
        # Similarity less 1: the shares are the same, and near points differ.
        scores = pairs.d2 * (-0.5 / tau)
        negatives = log_sum(scores + pairs.only_negatives)
        behind = torch.sub(negatives.value[:, None], scores, out=scores).add_(pairs.only_positives)
        many = pairs.positive_counts.sum().clamp(min=1)
        value = -logsigmoid(behind.neg()).sum() / many
        missed = behind.sigmoid_()
        return value, negatives.shares.mul_(missed.sum(1, keepdim=True)).sub_(missed).div_(many * tau)

    def learnt_slopes(self, pairs: Pairs, weights: Tensor) -> dict[str, Tensor]:
        # The weights of an anchor add up to 0, so similarity may be taken less 1.
        return {"log_scale": (weights * pairs.d2).sum() * -0.5} if self.learn_tau else {}

    def _temperature(self, pairs: Pairs) -> Tensor | float:
        return pairs.learnt["log_scale"].neg().exp() if self.learn_tau else self.tau
