"""Proxy-Anchor: learnt proxies as anchors, each compared with the whole batch."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses._base import Loss
from dml_viz.losses._learnt_tensor import PROXIES
from dml_viz.losses._logsumexp import log_one_and_sum, log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, dot, exp, log, numbers, root, total
from dml_viz.params import param


@dataclass(frozen=True)
class ProxyAnchor(Loss):
    """One learnt proxy per class pulls the samples of its class and pushes all others, the hardest of them most.

    ``proxies`` (C, d) may have any length; they are normalised inside the loss. The pull is averaged over the classes
    present in the batch, the push over all C.
    """

    title = "Proxy-Anchor"
    sentence = "Every class has a learnt proxy that pulls its own samples and pushes all others, the hardest of them most."
    formula = (
        r"L = \frac{1}{|P^+|}\sum_{p\in P^+}\log\Big(1+\sum_{x\in X_p^+}e^{-\alpha(s(x,p)-\delta)}\Big)"
        r"+\frac{1}{|P|}\sum_{p\in P}\log\Big(1+\sum_{x\in X_p^-}e^{\alpha(s(x,p)+\delta)}\Big)"
    )
    weight_formula = (
        r"w_{xp} = -\frac{\alpha}{|P^+|}\frac{e^{-\alpha(s-\delta)}}{1+\sum_{X_p^+}e^{-\alpha(s-\delta)}}\ (x\in X_p^+),\quad "
        r"+\frac{\alpha}{|P|}\frac{e^{\alpha(s+\delta)}}{1+\sum_{X_p^-}e^{\alpha(s+\delta)}}\ (x\in X_p^-)"
    )
    reference = "Kim, Kim, Cho, Kwak: Proxy Anchor Loss for Deep Metric Learning, CVPR 2020, arXiv:2003.13911"
    families = ("proxies",)
    variant_text = (
        "Cosine similarity to normalised proxies; the pull averaged over classes present in the batch, the push over all."
    )
    learnable = (PROXIES,)
    elsewhere = "pytorch-metric-learning's ProxyAnchorLoss (its margin is δ) computes the same."
    traps = (
        "The first mean is over the classes present in the batch, not over samples and not over all classes.",
        "Plain exponentials overflow in float32 beyond α (1 + δ) = 88; here they are log-sum-exps, which do not.",
        "Proxies start anywhere and need a larger learning rate than the net: 100 times in the official code.",
        "A proxy's softmax runs over samples, not over classes: two proxies do not compete for a sample.",
    )

    alpha: float = param(
        32.0,
        "how strongly the hardest sample outweighs the others",
        r"\alpha",
        domain="(0, 1000]",
        slider=(1.0, 64.0, 1.0),
        source="Kim et al. 2020, section 4.2",
    )
    delta: float = param(
        0.1, "margin", r"\delta", domain="[0, 2] cosine", slider=(0.0, 0.5, 0.01), source="Kim et al. 2020, section 4.2"
    )

    def initial_tensors(self, classes: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        # Kaiming's normal distribution, as in the official code; the loss depends on the directions alone.
        return {"proxies": torch.randn(classes, dim, generator=generator) * math.sqrt(2 / classes)}

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        samples, proxies, labels = numbers(z), numbers(learnt["proxies"]), y.tolist()
        pulls: list[Number] = []
        pushes: list[Number] = []
        for c, proxy in enumerate(proxies):
            length = root(dot(proxy, proxy))
            s = [dot(x, proxy) / length for x in samples]
            if c in labels:
                positives = (s_x for s_x, label in zip(s, labels, strict=True) if label == c)
                pulls.append(log(1 + total(exp(-self.alpha * (s_x - self.delta)) for s_x in positives)))
            others = (s_x for s_x, label in zip(s, labels, strict=True) if label != c)
            pushes.append(log(1 + total(exp(self.alpha * (s_x + self.delta)) for s_x in others)))
        return total(pulls) / len(pulls) + total(pushes) / len(pushes)

    def of_pairs(self, pairs: Pairs) -> Tensor:
        (pull, push), present = self._exponents(pairs)
        return log_one_and_sum(pull, 0).sum() / present + log_one_and_sum(push, 0).mean()

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        exponents, present = self._exponents(pairs)
        (pulled, pushed), (pull, push) = log_sum(exponents, 1, plus_one=True)
        weights = push.div_(push.shape[1]).sub_(pull.div_(present)).mul_(self.alpha)
        return pulled.sum() / present + pushed.mean(), weights

    def _exponents(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """Exponents (2, N, C) of pull and of push, -inf for pairs that are not in the sum, and the number of classes present."""
        pull = pairs.only_positives - (pairs.s - self.delta).mul_(self.alpha)
        push = pairs.only_negatives + (pairs.s + self.delta).mul_(self.alpha)
        return torch.stack((pull, push)), pairs.positive_ones.amax(0).sum()
