"""Ranked List Loss: two bounds around every query; negatives inside count the more, the nearer they are."""

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses._base import Loss
from dml_viz.losses._logsumexp import log_mask_above_zero, log_sum
from dml_viz.losses._pairs import Pairs, weights_of_distance_slopes
from dml_viz.losses._scalar import Number, constant, exp, numbers, root, squared_distance, total
from dml_viz.params import param


@dataclass(frozen=True)
class RankedList(Loss):
    """Every query draws positives to within alpha - m and keeps negatives beyond alpha, the nearest weighted most.

    The mean is over all queries; a query without a positive too far, or without a negative too near, adds 0 to that term.
    ``differentiated`` changes the gradient, not the value.
    """

    title = "Ranked List"
    sentence = "Every query wants its positives within one distance and its negatives beyond a larger one."
    formula = (
        r"L=\frac1N\sum_i\Big[\frac1{|\mathcal P^*_i|}\sum_{j\in\mathcal P_i^*}\big(d_{ij}-(\alpha-m)\big)"
        r"+\lambda\sum_{j\in\mathcal N_i^*}\tilde w_{ij}(\alpha-d_{ij})\Big],\quad "
        r"\tilde w_{ij}=\frac{e^{T(\alpha-d_{ij})}}{\sum_{\mathcal N_i^*}e^{T(\alpha-d_{ik})}},\quad "
        r"\mathcal P_i^*=\{d_{ij}>\alpha-m\},\ \mathcal N_i^*=\{d_{ij}<\alpha\}"
    )
    weight_formula = (
        r"w_{ij}=-\frac{1}{N\,|\mathcal P_i^*|\,d_{ij}}\ (j\in\mathcal P_i^*),\quad "
        r"+\frac{\lambda\,\tilde w_{ij}}{N\,d_{ij}}\ (j\in\mathcal N_i^*),\quad \text{with weights that move too, times}\ "
        r"1+T\big(\alpha-d_{ij}-\textstyle\sum_k\tilde w_{ik}(\alpha-d_{ik})\big)"
    )
    reference = (
        "Wang, Hua, Kodirov, Hu, Garnier, Robertson: Ranked List Loss for Deep Metric Learning, CVPR 2019, arXiv:1903.03238"
    )
    families = ("pairs", "ranking")
    masked = True
    elsewhere = (
        "Twice pytorch-metric-learning's RankedListLoss with imbalance 1/2 has this value for λ 1, but for 10⁻⁵ that it "
        "adds to a denominator per element of the batch. It differentiates both ends and the weights, and leaves out negatives "
        "at distance 0. A re-identification fork divides by all positives, not by those too far."
    )
    traps = (
        "The authors hold the other ends and the weights constant: the value stays, the gradient is about half as long.",
        "A class that costs nothing has the diameter α − m: no two of its points are farther apart. Notes say radius.",
        "These are distances, not squared ones: α = 1.2 is an angle of 73.7 degrees, and would be 66.4 if it were squared.",
        "The sum over queries is divided by N, those that violate nothing included; notes leave the 1/N unsaid.",
        "A plain exponential of T α overflows in float32 beyond 88, so at T = 80; a softmax does not.",
    )

    alpha: float = param(
        1.2,
        "how far away negatives should be",
        r"\alpha",
        domain="[0, 4] distance",
        slider=(0.8, 1.6, 0.05),
        source="the authors' poster: R@1 on SOP 78.7 / 79.8 / 76.2 at 1.0 / 1.2 / 1.4",
    )
    margin: float = param(
        0.4,
        "how much nearer than negatives positives should be",
        "m",
        domain="[0, 4] distance",
        slider=(0.0, 1.2, 0.05),
        source="the authors' poster: R@1 on SOP 76.1 / 79.0 / 79.8 / 79.2 / 79.1 at 0 / 0.2 / 0.4 / 0.6 / 1.2",
    )
    temperature: float = param(
        10.0,
        "how strongly the nearest negative outweighs the others; 0 weighs all the same",
        "T",
        domain="[0, 150]",
        slider=(0.0, 40.0, 1.0),
        source="the authors' poster: R@1 on SOP 78.8 / 79.1 / 79.8 / 79.3 / 78.6 at 0 / 5 / 10 / 15 / 20",
    )
    lam: float = param(
        1.0,
        "weight of the negatives against the positives",
        r"\lambda",
        domain="[0, 1000]",
        slider=(0.0, 4.0, 0.1),
        label="lambda",
        source="the authors' slides; R@1 for other values is not reported there",
    )
    differentiated: str = param(
        "query only",
        "what moves with the gradient; the rest is held constant",
        r"\nabla",
        label="gradient",
        choices=("query only", "both ends", "both ends and weights"),
        source="Wang et al. 2019 and the authors' poster: the query alone",
    )

    @property
    def variant_text(self) -> str:
        moving = {
            "query only": "the gradient moves the query alone, as the authors have it",
            "both ends": "the gradient moves both ends of a pair and holds the weights constant",
            "both ends and weights": "the gradient is the value's",
        }[self.differentiated]
        return f"Unsquared distances, the mean over all queries; {moving}."

    @property
    def one_sided(self) -> bool:
        return self.differentiated == "query only"

    @property
    def held_constant(self) -> str:
        return {
            "query only": "The other points, which are queries themselves, and the negatives' weights are held constant.",
            "both ends": "The negatives' weights are held constant.",
            "both ends and weights": "",
        }[self.differentiated]

    @property
    def distance_bounds(self) -> tuple[float, float]:
        return self.alpha - self.margin, self.alpha

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        terms: list[Number] = []
        for i in everyone:
            others = [[constant(x) for x in point] if self.one_sided else point for point in points]
            d = {j: root(squared_distance(points[i], others[j])) for j in everyone if j != i}
            too_far = [j for j in d if labels[j] == labels[i] and d[j] > self.alpha - self.margin]
            too_near = [j for j in d if labels[j] != labels[i] and d[j] < self.alpha]
            if too_far:
                terms.append(total(d[j] - (self.alpha - self.margin) for j in too_far) / len(too_far))
            if too_near:
                w = {j: exp(self.temperature * (self.alpha - d[j])) for j in too_near}
                if self.differentiated != "both ends and weights":
                    w = {j: constant(w_j) for j, w_j in w.items()}
                terms.append(self.lam * total(w[j] * (self.alpha - d[j]) for j in too_near) / total(w.values()))
        return total(terms) / len(points)

    def of_pairs(self, pairs: Pairs) -> Tensor:
        d = pairs.d
        too_far = pairs.positive & (d > self.alpha - self.margin)
        too_near = pairs.negative & (d < self.alpha)
        exponents = torch.where(too_near, self.temperature * (self.alpha - d), torch.finfo(d.dtype).min)
        w = exponents.softmax(1) * too_near
        if self.differentiated != "both ends and weights":
            w = w.detach()
        pull = ((d - (self.alpha - self.margin)) * too_far).sum(1) / too_far.sum(1).clamp(min=1)
        push = (w * (self.alpha - d)).sum(1)
        return (pull + self.lam * push).mean()

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        d, bound = pairs.d, self.alpha - self.margin
        over, gaps = (d - bound).clamp_(min=0).mul_(pairs.positive_ones), self.alpha - d
        pull, too_far = over.sum(1), over.sign_()
        count = too_far.sum(1, keepdim=True).clamp_(min=1)
        too_far /= count
        pull /= count[:, 0]
        # Without alpha, a constant that changes no share, the exponents of small distances differ in float32.
        w = log_sum((d * -self.temperature).add_(pairs.only_negatives).add_(log_mask_above_zero(gaps))).shares
        push = (w * gaps).sum(1)
        if self.differentiated == "both ends and weights":
            w *= gaps.sub_(push[:, None]).mul_(self.temperature).add_(1)
        slopes = too_far.sub_(w, alpha=self.lam).div_(len(d))
        return (pull + self.lam * push).mean(), weights_of_distance_slopes(pairs, slopes)
