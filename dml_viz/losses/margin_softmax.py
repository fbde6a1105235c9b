"""NormFace, AM-softmax and ArcFace: a softmax over cosines, with a margin for the own class."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.sphere import root
from dml_viz.losses import _scalar
from dml_viz.losses._base import Loss
from dml_viz.losses._learnt_tensor import PROXIES
from dml_viz.losses._logsumexp import cross_entropy
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, constant, dot, exp, log, numbers, squared_distance, total
from dml_viz.params import param


@dataclass(frozen=True)
class MarginSoftmax(Loss):
    """Softmax cross-entropy of scaled cosines to normalised class weights, with a margin that lowers the own class's cosine.

    ``proxies`` (C, d) are the class weights and may have any length. AM-softmax (CosFace) subtracts the margin from the cosine,
    ArcFace adds it to the angle; beyond 180 degrees less the margin ArcFace's cosine falls as cos - m sin m.
    """

    title = "NormFace, AM-softmax, ArcFace"
    sentence = "A classifier by cosines alone, whose own class must win by a margin; its weights are proxies of the classes."
    formula = (
        r"L = -\frac1N\sum_i\log\frac{e^{s\,\psi(\theta_{y_i})}}{e^{s\,\psi(\theta_{y_i})}+\sum_{c\ne y_i}e^{s\cos\theta_c}},"
        r"\quad \psi = \cos\theta\ |\ \cos\theta-m\ |\ \cos(\theta+m)"
    )
    weight_formula = r"w_{ic} = \frac sN q_{ic}\ (c\ne y_i),\quad w_{iy_i} = \frac sN(q_{iy_i}-1),\quad q = \text{softmax}"
    rewritten = (
        ("form", "NormFace", r"\cos\theta\ |\ \cos\theta-m\ |\ \cos(\theta+m)", r"\cos\theta"),
        ("form", "AM-softmax", r"\cos\theta\ |\ \cos\theta-m\ |\ \cos(\theta+m)", r"\cos\theta-m"),
        ("form", "ArcFace", "(q_{iy_i}-1)", r"(q_{iy_i}-1)\frac{\sin(\theta+m)}{\sin\theta}\ (\theta\le\pi-m)"),
        ("form", "ArcFace", r"\cos\theta\ |\ \cos\theta-m\ |\ \cos(\theta+m)", r"\cos(\theta+m)"),
    )
    reference = (
        "NormFace: Wang et al., ACM MM 2017, arXiv:1704.06369; AM-softmax: Wang et al., 2018, "
        "arXiv:1801.05599; CosFace: Wang et al., CVPR 2018, arXiv:1801.09414; ArcFace: Deng et al., CVPR 2019, "
        "arXiv:1801.07698"
    )
    families = ("classification", "proxies")
    learnable = (PROXIES,)
    elsewhere = (
        "pytorch-metric-learning's NormalizedSoftmaxLoss (temperature 1 / s), CosFaceLoss and ArcFaceLoss (margin in degrees) "
        "compute the same, the latter two with s = 64. Where a sample lies on its proxy, ArcFaceLoss has no finite gradient."
    )
    traps = (
        "The arccosine has no derivative at 0 and 180 degrees; here a sample on its proxy, or opposite, is at rest.",
        "Too small a scale keeps the loss high. With equally many samples of C classes and no margin, its mean is at least "
        "log(1 + (C − 1) exp(−s C / (C − 1))); a margin raises that.",
        "Too large a scale with few classes saturates: samples that win by a little have no gradient left.",
        "A margin m on the own cosine and −m on the others is one margin 2m: a softmax does not feel a common shift.",
        "Proxies compete for each sample, so the weights of a sample sum to 0, but for ArcFace; in Proxy-Anchor samples compete.",
        "The margin is for training: at test time the plain cosines are compared.",
    )

    form: str = param(
        "AM-softmax",
        "what becomes of the own cosine",
        r"\psi",
        choices=("NormFace", "AM-softmax", "ArcFace"),
        source="NormFace 2017; AM-softmax and CosFace 2018; ArcFace 2019",
    )
    scale: float = param(
        30.0,
        "what cosines are multiplied by before the softmax",
        "s",
        domain="(0, 1000]",
        slider=(1.0, 64.0, 1.0),
        source="30 in AM-softmax 2018; 64 in CosFace and ArcFace",
    )
    margin: float = param(
        0.35,
        "what AM-softmax takes from the own cosine",
        "m",
        domain="[0, 2] cosine",
        slider=(0.0, 0.5, 0.01),
        source="AM-softmax 2018; CosFace 2018",
        only=("form", ("AM-softmax",)),
    )
    angle: float = param(
        28.6,
        "what ArcFace adds to the own angle",
        "m",
        domain="[0, 90] degrees",
        slider=(0.0, 45.8, 0.1),
        source="0.5 radian in ArcFace 2019; 28.6 degrees in pytorch-metric-learning",
        only=("form", ("ArcFace",)),
    )

    @property
    def variant_text(self) -> str:
        margin = {
            "NormFace": "no margin",
            "AM-softmax": f"the own cosine less {self.margin:g} (AM-softmax, CosFace)",
            "ArcFace": f"the own angle plus {self.angle:g} degrees (ArcFace), falling on beyond {180 - self.angle:g} degrees",
        }[self.form]
        return f"Softmax over cosines times {self.scale:g}; {margin}; the mean over samples."

    def initial_tensors(self, classes: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        # Norms near 1: only directions change the loss, but the longer a proxy is, the more slowly it turns.
        return {"proxies": torch.randn(classes, dim, generator=generator) / math.sqrt(dim)}

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        samples, labels = numbers(z), y.tolist()
        proxies = [[p / _scalar.root(dot(row, row)) for p in row] for row in numbers(learnt["proxies"])]
        losses: list[Number] = []
        for x, label in zip(samples, labels, strict=True):
            d2 = [squared_distance(x, p) for p in proxies]
            cosine = [1 - square / 2 for square in d2]
            logits = [self.scale * c for c in cosine]
            if self.form == "AM-softmax":
                logits[label] = self.scale * (cosine[label] - self.margin)
            if self.form == "ArcFace":
                m = math.radians(self.angle)
                # The sine from the chord, because near 0 degrees the cosine rounds to 1.
                sine = _scalar.root(d2[label] * (1 - d2[label] / 4))
                near = cosine[label] >= -math.cos(m)
                cosine_of_sum = cosine[label] * math.cos(m) - sine * math.sin(m)
                logits[label] = self.scale * (cosine_of_sum if near else cosine[label] - m * math.sin(m))
            largest = max(constant(logit) for logit in logits)
            losses.append(log(total(exp(logit - largest) for logit in logits)) + largest - logits[label])
        return total(losses) / len(losses)

    def of_pairs(self, pairs: Pairs) -> Tensor:
        logits = self.scale * torch.where(pairs.same, self._target_cosine(pairs.d2)[0], pairs.s)  # (N, C)
        return torch.nn.functional.cross_entropy(logits, pairs.y.long())

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        logits, slope = pairs.d2 * (-self.scale / 2), None  # less the scale, a constant that no softmax depends on
        if self.form != "NormFace":
            labels = pairs.y.long()[:, None]
            cosine, slope = self._target_cosine(pairs.d2.gather(1, labels))
            logits.scatter_(1, labels, cosine.sub_(1).mul_(self.scale))
        return cross_entropy(logits, pairs.y, self.scale, slope)

    def _target_cosine(self, d2: Tensor) -> tuple[Tensor, Tensor | None]:
        """The own class's cosine with its margin and its slope by the plain cosine, None for 1, of squared distances d2."""
        cosine = torch.rsub(d2, 1, alpha=0.5)
        if self.form != "ArcFace":
            return cosine - (self.margin if self.form == "AM-softmax" else 0), None
        m = math.radians(self.angle)
        # The sine from squared distances, because at small angles the cosine rounds to 1.
        sine = root(d2 * torch.rsub(d2, 1, alpha=0.25))
        near = cosine >= -math.cos(m)
        # At a sine of 0, for a sample on its proxy, the fraction is 0.
        slope = math.cos(m) + math.sin(m) * (cosine / torch.threshold(sine, 0, torch.inf))
        beyond = cosine - m * math.sin(m)
        return torch.where(near, cosine * math.cos(m) - sine * math.sin(m), beyond), torch.where(near, slope, 1)
