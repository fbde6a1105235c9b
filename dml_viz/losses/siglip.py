"""SigLIP: every pair is a decision of its own, same class or not, with a learnt scale and a learnt bias."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from dml_viz.losses._base import Loss
from dml_viz.losses._learnt_tensor import LearntTensor, Shape
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, dot, exp, log_of_sum, numbers, scalar, total
from dml_viz.params import param


@dataclass(frozen=True)
class SigLIP(Loss):
    """A logistic regression on the similarity of every pair, whose scale and bias are learnt with the embedding.

    Where ``learn``, the learnt tensors are "log_scale" (), the logarithm t' of the scale t, and "bias" (), the bias b.
    """

    title = "SigLIP"
    sentence = "Each pair decides for itself whether its rows are of one class: a sigmoid of its similarity, scaled and shifted."
    formula = (
        r"L = \frac1N\sum_i\sum_{j\ne i}-\log\sigma\big(y_{ij}(t\,s_{ij}+b)\big),\quad "
        r"y_{ij}=+1\ \text{for one class},\ -1\ \text{for two}"
    )
    weight_formula = (
        r"w_{ip} = -\frac tN\,\sigma(-t\,s_{ip}-b),\quad w_{in} = +\frac tN\,\sigma(t\,s_{in}+b),\quad "
        r"\frac{\partial L}{\partial t'}=\sum_{i,j}w_{ij}s_{ij},\quad \frac{\partial L}{\partial b}=\frac1t\sum_{i,j}w_{ij}"
    )
    rewritten = (("learn", True, r"\text{for two}", r"\text{for two},\quad t=e^{t'}"),)
    reference = "Zhai, Mustafa, Kolesnikov, Beyer: Sigmoid Loss for Language Image Pre-Training, ICCV 2023, arXiv:2303.15343"
    families = ("pairs",)
    masked = True
    learnable = (
        LearntTensor("log_scale", Shape.NUMBER, "by its logarithm, without a clamp", "t", to_curve=torch.exp, switch="learn"),
        LearntTensor("bias", Shape.NUMBER, "as it is, without a clamp", "b", switch="learn"),
    )
    elsewhere = (
        "big_vision and OpenCLIP's SigLipLoss pair each image with its own text and with the others', one positive per row. Here "
        "rows of one kind are paired by their labels, and never with themselves. pytorch-metric-learning has no such loss."
    )
    traps = (
        "The paper's formula has −t s + b in the exponent, its code t s + b in the sigmoid: b changes its sign, and −10 is that "
        "of the code.",
        "There are many more negatives than positives: at a bias of −10 every pair starts as a likely negative, without one the "
        "first steps push everything apart.",
        "No pair competes with another, as in a softmax: its weight depends on its own similarity alone.",
        "torch's softplus is linear from 20 on, and its gradient exactly 1 there; the logarithm of the sigmoid is exact.",
    )

    scale: float = param(
        10.0,
        "scale of similarities; where it is learnt, its start",
        "t",
        domain="[0.001, 1000]",
        slider=(1.0, 100.0),
        log=True,
        source="10 in the paper",
    )
    bias: float = param(
        -10.0,
        "bias; where it is learnt, its start",
        "b",
        domain="[-1000, 1000]",
        slider=(-20.0, 10.0, 0.5),
        source="−10 in the paper",
    )
    learn: bool = param(True, "learn scale and bias, as the paper does", r"t',b", source="Zhai et al. 2023")

    @property
    def variant_text(self) -> str:
        learnt = "scale and bias are learnt, the scale by its logarithm" if self.learn else "scale and bias stay as they are"
        return f"Cosine similarity within one batch, with labels: each other row of a row's class is a positive; {learnt}."

    def initial_tensors(self, classes: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        return {"log_scale": torch.tensor(math.log(self.scale)), "bias": torch.tensor(self.bias)} if self.learn else {}

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        scale = exp(scalar(learnt["log_scale"])) if self.learn else self.scale
        bias = scalar(learnt["bias"]) if self.learn else self.bias
        terms: list[Number] = []
        for i in everyone:
            for j in everyone:
                if j != i:
                    logit = scale * dot(points[i], points[j]) + bias
                    terms.append(log_of_sum([0.0, -logit if labels[j] == labels[i] else logit]))
        return total(terms) / len(y)

    def of_pairs(self, pairs: Pairs) -> Tensor:
        scale, bias = self._scale_and_bias(pairs)
        logits = pairs.s * scale + bias
        of_pair = logsigmoid(torch.where(pairs.positive, logits, -logits))
        return -(of_pair * (pairs.positive_ones + pairs.negative_ones)).sum() / len(pairs.y)

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        scale, bias = self._scale_and_bias(pairs)
        sign = pairs.negative_ones - pairs.positive_ones  # 0 for a row with itself
        wrong = (pairs.s * scale).add_(bias).mul_(sign)
        value = -(logsigmoid(-wrong) * sign.abs()).sum() / len(pairs.y)
        return value, wrong.sigmoid_().mul_(sign).mul_(scale / len(pairs.y))

    def learnt_slopes(self, pairs: Pairs, weights: Tensor) -> dict[str, Tensor]:
        scale, _ = self._scale_and_bias(pairs)
        return {"log_scale": (weights * pairs.s).sum(), "bias": weights.sum() / scale} if self.learn else {}

    def _scale_and_bias(self, pairs: Pairs) -> tuple[Tensor | float, Tensor | float]:
        return (pairs.learnt["log_scale"].exp(), pairs.learnt["bias"]) if self.learn else (self.scale, self.bias)
