"""SNR: distances measured in units of the anchor's own variance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from dml_viz.embedding.sphere import RESOLUTION
from dml_viz.losses._base import Loss
from dml_viz.losses._layout import Layout, layout_of
from dml_viz.losses._pairs import Pairs, classmates_and_sizes
from dml_viz.losses._results import Gradients, Weights
from dml_viz.losses._scalar import Number, absolute, centred, dot, hinge, log_of_sum, numbers, squared_distance, total
from dml_viz.losses._snr_distances import SNRDistances, float64_in_few_dimensions, snr_distances
from dml_viz.params import param

FORMS = ("contrastive", "triplet", "lifted", "N-pair")


class Labels(NamedTuple):
    """Masks (N, N) of positive and of negative pairs; the first and the second row (C,) of each class with two or more."""

    positive: Tensor
    negative: Tensor
    firsts: Tensor
    seconds: Tensor


@dataclass(frozen=True)
class SNR(Loss):
    """Contrastive, triplet, lifted or N-pair loss on the SNR distance: the variance of the difference over the anchor's.

    The variances are over the coordinates; the difference is the noise, the anchor is the signal.
    An anchor whose variance is a rounding error adds nothing. Without any pair, triplet or tuple, the regulariser adds nothing.
    With form "N-pair" the first two rows of each class are its anchor and positive, and all others are left out.
    """

    title = "SNR"
    sentence = "Distance is noise over signal: the variance of the difference over that of the anchor."
    formula = (
        r"d_S(i,j) = \frac{\mathrm{var}(x_j-x_i)}{\mathrm{var}(x_i)},\quad "
        r"L = \text{contrastive, triplet, lifted or N-pair on } d_S+\frac{\lambda}{N}\sum_i\Big|\sum_m x_{im}\Big|"
    )
    weight_formula = (
        r"\nabla_{x_j}d_S(i,j) = \frac{2(h_j-h_i)}{\|h_i\|^2},\quad "
        r"\nabla_{x_i}d_S(i,j) = -\frac{2(h_j-h_i)+2\,d_S\,h_i}{\|h_i\|^2},\quad "
        r"w_{ij} = \frac{\partial L}{\partial h_i^\top h_j} = -\frac{2}{\|h_i\|^2}\frac{\partial L}{\partial d_S(i,j)},\quad "
        r"h = x-\mathrm{mean}(x)"
    )
    rewritten = tuple(("form", form, "contrastive, triplet, lifted or N-pair", form) for form in FORMS)
    reference = (
        "Yuan, Deng, Tang, Tang, Chen: Signal-to-Noise Ratio: A Robust Distance Metric for Deep Metric Learning, "
        "CVPR 2019, arXiv:1904.02616"
    )
    families = ("pairs", "triplets", "tuples")
    unit = False
    ordered = True
    axes = True
    elsewhere = (
        "pytorch-metric-learning's losses compute this with SNRDistance(normalize_embeddings=False), margins 0 and m, and "
        "ZeroMeanRegularizer; by default SNRDistance normalises the rows first, which gives another value. "
        "Of one row, or where there is no pair, it returns the regulariser alone; here the value is 0."
    )
    traps = (
        "The distance from i to j is not that from j to i: it is divided by the anchor's variance.",
        "It cannot see a number added to all coordinates of a row, which is why there is a regulariser.",
        "It speaks of coordinates: turning the points changes it.",
        "In two dimensions it sees one number, the difference of the coordinates, and in one none; look at it in three or more.",
        "On unit rows of mean zero it is the squared Euclidean distance.",
    )

    form: str = param(
        "contrastive",
        "which loss is made of the distances",
        "L",
        choices=FORMS,
        source="Yuan et al. 2019, section 4; contrastive in pytorch-metric-learning",
    )
    margin: float = param(
        0.2,
        "how far negatives should be, or how much farther than positives",
        "m",
        domain="[0, 100] ratio of variances",
        slider=(0.05, 2.0, 0.05),
        source="third-party code",
        only=("form", ("contrastive", "triplet", "lifted")),
    )
    zero_mean: float = param(
        0.005,
        "weight of the size of a row's sum",
        r"\lambda",
        domain="[0, 100]",
        slider=(0.0, 0.1, 0.005),
        source="third-party code",
        label="zero-mean weight",
    )

    @property
    def variant_text(self) -> str:
        which = {
            "contrastive": "contrastive: the mean of positive pairs above 0 and of negative pairs within the margin",
            "triplet": "triplet: the mean over triplets above 0",
            "lifted": "lifted structure: half the mean square over ordered positive pairs",
            "N-pair": "N-pair: one pair per class, cross-entropy of minus d_S, the mean over anchors",
        }[self.form]
        return f"Raw rows; {which}."

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        noise, h = RESOLUTION * torch.finfo(z.dtype).eps, [centred(x) for x in points]
        # A variance over coordinates is a squared length over their number, which is the same in signal and noise.
        signal = [dot(x, x) for x in h]
        anchors = [i for i in everyone if signal[i] > noise * dot(points[i], points[i])]
        d = {(i, j): squared_distance(h[i], h[j]) / signal[i] for i in anchors for j in everyone}
        positives = [(i, j) for i, j in d if labels[i] == labels[j] and i != j]
        negatives = {i: [j for j in everyone if labels[j] != labels[i]] for i in anchors}
        m, terms, tuples_in_all = self.margin, list[list[Number]](), 0
        if self.form == "contrastive":
            tuples_in_all = len(anchors) * (len(y) - 1)
            terms.append([d[pair] for pair in positives if d[pair] > 0])
            terms.append([m - d[i, j] for i in anchors for j in negatives[i] if d[i, j] < m])
        if self.form == "triplet":
            violations = [d[a, p] - d[a, n] + m for a, p in positives for n in negatives[a]]
            terms.append([violation for violation in violations if violation > 0])
            tuples_in_all = len(violations)
        if self.form == "lifted":
            pushes = {pair: [m - d[i, k] for i in pair if i in negatives for k in negatives[i]] for pair in positives}
            terms.append([hinge(d[pair] + log_of_sum(push)) ** 2 / 2 for pair, push in pushes.items() if push])
            tuples_in_all = len(terms[0])
        if self.form == "N-pair":
            classes = [[i for i in everyone if labels[i] == label] for label in dict.fromkeys(labels)]
            tuples = [(rows[0], rows[1]) for rows in classes if len(rows) > 1]
            valid = [(a, p) for a, p in tuples if a in negatives]
            terms.append([log_of_sum([0.0, *(d[a, p] - d[a, n] for _, n in tuples if n != p)]) for a, p in valid])
            tuples_in_all = len(valid) * (len(tuples) - 1)
        value = total(total(some) / len(some) for some in terms if some)
        offsets = total(absolute(total(x)) for x in points)
        return value + self.zero_mean * offsets / len(y) if tuples_in_all > 0 else 0.0

    def of_rows(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        snr = snr_distances(z)
        labels = _labels(y)
        value = self._of_distances(snr.d, snr.anchors, labels)
        offsets = float64_in_few_dimensions(z).sum(1).abs().mean()
        return torch.where(self._has_terms(snr.anchors, labels), value + self.zero_mean * offsets, 0).to(z)

    def evaluate(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        snr, value, pair, rest, offsets = self._weighed(pairs.z, pairs.layout)
        gradient = pair @ snr.rows + pair.T @ snr.rows
        return Gradients((value + offsets).to(rest), gradient.to(rest) + rest, {})

    def weights(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Weights:
        snr, _, pair, rest, _ = self._weighed(z.detach(), layout_of(y, z.device))
        return Weights(pair=pair.to(z), rows=snr.rows.to(z), rest=rest)

    def _of_distances(self, d: Tensor, anchors: Tensor, labels: Labels) -> Tensor:
        """The loss without its regulariser from d_S (N, N), differentiable; the plain form."""
        positive, negative = labels.positive & anchors[:, None], labels.negative & anchors[:, None]
        if self.form == "contrastive":
            return _mean_above_zero(d, positive) + _mean_above_zero(self.margin - d, negative)
        if self.form == "triplet":
            triplets = positive[:, :, None] & negative[:, None, :]  # (N, P, N)
            return _mean_above_zero(d[:, :, None] - d[:, None, :] + self.margin, triplets)
        if self.form == "lifted":
            # A finite number far below all terms: what is left out then has gradient 0, and not NaN.
            push = torch.where(negative, self.margin - d, torch.finfo(d.dtype).min / 4).logsumexp(1)
            counted = positive & negative.any(1, keepdim=True)
            terms = torch.where(counted, d + torch.logaddexp(push[:, None], push), 0)
            return terms.relu().square().sum() / (2 * counted.sum().clamp(min=1))
        valid = anchors[labels.firsts]
        table = -d[labels.firsts[:, None], labels.seconds]
        return ((table.logsumexp(1) - table.diagonal()) * valid).sum() / valid.sum().clamp(min=1)

    def _weighed(self, z: Tensor, layout: Layout) -> tuple[SNRDistances, Tensor, Tensor, Tensor, Tensor]:
        """Distances, value and dL/d(h_i . h_j) (N, N) without the regulariser, then the regulariser's gradient (N, d) and value.

        The diagonal of the weights is not 0, because h_i . h_i is in every distance of row i.
        """
        snr = snr_distances(z)
        labels = Labels(*(table.to(snr.d.device) for table in layout.of(_labels)))
        if self.form == "triplet":
            mates = (table.to(snr.d.device) for table in layout.of(classmates_and_sizes))
            value, slopes = self._of_triplets(snr.d, snr.anchors, labels, *mates)
        else:
            with torch.enable_grad():
                leaf = snr.d.requires_grad_()
                value = self._of_distances(leaf, snr.anchors, labels)
                (slopes,) = torch.autograd.grad(value, leaf)
            snr, value = snr._replace(d=leaf.detach()), value.detach()
        slopes /= snr.squares[:, None]
        diagonal = slopes.sum(1) + slopes.sum(0) - (slopes * snr.d).sum(1)
        slopes *= -2
        slopes.diagonal().add_(diagonal)
        offsets = float64_in_few_dimensions(z).sum(1)
        weight = self._has_terms(snr.anchors, labels).to(offsets.dtype) * self.zero_mean
        rest = (weight / len(z) * offsets.sign()).to(z)[:, None].expand_as(z)
        return snr, value, slopes, rest, weight * offsets.abs().mean()

    def _of_triplets(self, d: Tensor, anchors: Tensor, labels: Labels, columns: Tensor, classes: Tensor) -> tuple[Tensor, Tensor]:
        """Value and slopes dL/dd_S (N, N) of the triplet form, computed for one positive of every anchor at a time."""
        steps = torch.arange(1, columns.shape[1] + 1, device=d.device)
        exists = (steps < classes[:, None]) & anchors[:, None]
        within = torch.where(exists, d.gather(1, columns) + self.margin, -torch.inf)  # (N, P)
        beyond = torch.where(labels.negative, d, torch.inf)
        of_positives, of_negatives, active = torch.zeros_like(within), torch.zeros_like(d), torch.empty_like(d)
        for rank, near in enumerate(within.unbind(1)):
            # As numbers: torch adds up bools several times more slowly.
            torch.gt(near[:, None], beyond, out=active)
            torch.sum(active, 1, out=of_positives[:, rank])
            of_negatives += active
        triplets = of_positives.sum()
        slopes = of_negatives.neg_().scatter_add_(1, columns, of_positives).div_(triplets.clamp(min=1))
        # The sum of distances times their slopes, plus one margin for each triplet, is the sum of the hinges.
        return ((slopes * d).sum() + self.margin * triplets.clamp(max=1)).clamp_(min=0), slopes

    def _has_terms(self, anchors: Tensor, labels: Labels) -> Tensor:
        """Whether the batch has any pair, triplet or tuple, with a hinge above 0 or not: a bool tensor ()."""
        if self.form == "contrastive":
            return anchors.any() & (len(anchors) > 1)
        if self.form == "N-pair":
            return anchors[labels.firsts].any() & (len(labels.firsts) > 1)
        return (anchors & labels.positive.any(1) & labels.negative.any(1)).any()


def _labels(y: Tensor) -> Labels:
    same = y[:, None] == y
    rank = same.tril(-1).sum(1, dtype=torch.int32)
    firsts, seconds = (same & (rank[:, None] == 0) & (rank == 1)).nonzero(as_tuple=True)
    return Labels(same.clone().fill_diagonal_(False), ~same, firsts, seconds)


def _mean_above_zero(terms: Tensor, counts: Tensor) -> Tensor:
    above = torch.where(counts, terms, 0).relu_()
    return above.sum() / above.count_nonzero().clamp(min=1)
