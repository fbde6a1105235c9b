"""Angular loss: a bound on the angle at the negative instead of a margin between distances."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.matmul import inner_products
from dml_viz.embedding.sphere import wide
from dml_viz.losses._base import Loss
from dml_viz.losses._logsumexp import log_one_and_sum, log_sum
from dml_viz.losses._pairs import Pairs, classmates_and_sizes
from dml_viz.losses._scalar import Number, dot, exp, hinge, log, numbers, squared_distance, total
from dml_viz.params import param

_HINGE = (
    r"L_{\text{hinge}} = \frac{1}{|\mathcal T|}\sum_{(a,p,n)\in\mathcal T}"
    r"\big[\|x_a-x_p\|^2-4\tan^2\!\alpha\,\|x_n-x_c\|^2\big]_+,\quad x_c=\tfrac{x_a+x_p}{2};"
)
_LOGISTIC = (
    r"L = \frac{1}{|P|}\sum_{(a,p)\in P}\log\Big(1+\sum_{n}e^{f_{apn}}\Big),\quad "
    r"f_{apn} = 4\tan^2\!\alpha\,(x_a+x_p)^\top x_n-2(1+\tan^2\!\alpha)\,x_a^\top x_p"
)


@dataclass(frozen=True)
class Angular(Loss):
    """The angle at the negative, in the triangle with anchor and positive, should be at most alpha.

    The bound is on the angle that half of the pair, from its middle x_c to one end, has as seen from the negative:
    |x_a - x_p| / 2 should be at most tan(alpha) |x_n - x_c|. With form "hinge" every triplet counts. "logistic": every ordered
    positive pair, against all negatives. "N-pair": one pair per class, its first two rows in the batch, against the positives
    of the other classes' pairs.
    """

    title = "Angular"
    sentence = "A negative should see every positive pair at a small angle, so it is pushed away from the pair's middle."
    formula = f"{_HINGE}\\qquad {_LOGISTIC}"
    weight_formula = (
        r"w_{ap} = -2(1+t)\sum_n q_{apn},\quad w_{an} = 8t\sum_p q_{apn}\ (\text{N-pair: } 4t\,q_{apn}),\quad "
        r"q_{apn} = \frac{1}{|P|}\frac{e^{f_{apn}}}{1+\sum_k e^{f_{apk}}}\ \text{or}\ "
        r"\frac{1}{|\mathcal T|}[\text{active}],\quad t=\tan^2\!\alpha"
    )
    rewritten = (
        ("form", "hinge", f"\\qquad {_LOGISTIC}", ""),
        *(("form", form, f"{_HINGE}\\qquad ", "") for form in ("logistic", "N-pair")),
        ("constant_kept", True, r"\,x_a^\top x_p", r"\,x_a^\top x_p+2-6\tan^2\!\alpha"),
    )
    reference = "Wang, Zhou, Wen, Liu, Lin: Deep Metric Learning with Angular Loss, ICCV 2017, arXiv:1708.01682"
    families = ("triplets", "tuples")
    masked = True
    ordered = True
    elsewhere = (
        "pytorch-metric-learning's AngularLoss (alpha = 40) computes the logistic form of unit rows; it normalises anchors and "
        "positives but not negatives, so raw rows give another number. Third-party code adds N-pair's loss to twice this one, "
        "as the paper does; Beyond one loss trains that sum."
    )
    traps = (
        "The hinge is almost always off where there are more than a few dimensions, so it hardly trains; the logistic form does.",
        "A smaller α is a stricter bound but a weaker push: the push on the negative is multiplied by 4 tan² α.",
        "The logistic form drops a constant, 2 − 6 tan² α, inside the logarithm. So it is no multiple of the form that "
        "keeps it, and at 45 degrees dropping it makes the loss train.",
        "Code that puts unsquared distances into the formula acts at another angle, tan = 2 tan² α: 63.4 degrees for 45.",
        "The bound itself is free of scale, the value is not: rows three times as long give nine times the hinge.",
        "The gradients in print, which add up to 0 over a triplet, hold only while its hinge is above 0.",
    )

    alpha: float = param(
        45.0,
        "largest angle allowed at the negative",
        r"\alpha",
        domain="(0, 80] degrees",
        slider=(25.0, 60.0, 1.0),
        source="common code for Wang et al. 2017; pytorch-metric-learning has 40",
    )
    form: str = param(
        "logistic",
        "a smooth bound for all positive pairs or for one pair per class, or a hinge for all triplets",
        "L",
        choices=("logistic", "N-pair", "hinge"),
        source="Wang et al. 2017, section 3; all pairs in pytorch-metric-learning",
    )
    constant_kept: bool = param(
        False, "keep in the exponent what the hinge has besides f", r"2-6\tan^2\!\alpha", source="Wang et al. 2017 drop it"
    )

    @property
    def variant_text(self) -> str:
        if self.form == "hinge":
            note = "with its constant" if self.constant_kept else "which has its constant whatever the switch says"
            return f"The hinge of every triplet, {note}; the mean over all triplets."
        which = {
            "logistic": "for every ordered positive pair with all its negatives; the mean over pairs",
            "N-pair": "for the first two rows of each class, against the other classes' second rows; the mean over pairs",
        }[self.form]
        return f"The logistic form {which}; the constant {'kept' if self.constant_kept else 'dropped'} in the exponent."

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        t = math.tan(math.radians(self.alpha)) ** 2
        positive_pairs = [(a, p) for a in everyone for p in everyone if labels[a] == labels[p] and a != p]
        candidates = list(everyone)
        if self.form == "N-pair":
            classes = [[i for i in everyone if labels[i] == label] for label in dict.fromkeys(labels)]
            positive_pairs = [(rows[0], rows[1]) for rows in classes if len(rows) > 1]
            candidates = [p for _, p in positive_pairs]
        compared = squared_distance if self.form == "hinge" else dot
        of = [[compared(x, other) for other in points] for x in points]
        terms: list[Number] = []
        for a, p in positive_pairs:
            negatives = [n for n in candidates if labels[n] != labels[a]]
            if self.form == "hinge":
                # Four times the squared distance from x_n to the middle of the pair, by the parallelogram law.
                around = [2 * (of[a][n] + of[p][n]) - of[a][p] for n in negatives]
                terms += [hinge(of[a][p] - t * four) for four in around]
            else:
                pull = 2 * (1 + t) * of[a][p] - (2 - 6 * t if self.constant_kept else 0)
                terms.append(log(1 + total(exp(4 * t * (of[a][n] + of[p][n]) - pull) for n in negatives)))
        return total(terms) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        t, d2, s = self._t, pairs.d2, pairs.s
        if self.form == "hinge":
            triplets = pairs.positive[:, :, None] & pairs.negative[:, None, :]  # (N, P, N)
            violation = (1 + t) * d2[:, :, None] - 2 * t * (d2[:, None, :] + d2[None, :, :])
            return violation.relu()[triplets].sum() / triplets.sum().clamp(min=1)
        if self.form == "N-pair":
            anchors, positives, negative = _one_pair_per_class(pairs.y)
        else:
            (anchors, positives), negative = pairs.positive.nonzero(as_tuple=True), pairs.negative
        push = torch.where(negative, 4 * t * s, -torch.inf)
        exponents = push[anchors] + push[positives] + self._pull(s[anchors, positives])[:, None]  # (pairs, N)
        return log_one_and_sum(exponents, 1).sum() / max(len(anchors), 1)

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        if self.form == "hinge":
            return self._of_triplets(pairs)
        return self._of_classes(pairs) if self.form == "N-pair" else self._of_all_pairs(pairs)

    @property
    def _t(self) -> float:
        return math.tan(math.radians(self.alpha)) ** 2

    def _pull(self, s: Tensor) -> Tensor:
        """The summand of a positive pair of similarity s in its exponents; the shape of s."""
        return (-2 * (1 + self._t) * s).add_(2 - 6 * self._t if self.constant_kept else 0)

    def _of_all_pairs(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """Value and weights of the logistic form; its sums over negatives are inner products of rows of exponentials."""
        t, s = self._t, pairs.s
        # In float64 where a product of two terms may underflow: e^(-16 t) may be the largest term of a sum.
        if 16 * t > -math.log(torch.finfo(s.dtype).tiny) - 1:
            s = wide(s)
        terms = (4 * t * s).add_(pairs.only_negatives.to(s))
        largest = terms.amax(1, keepdim=True).clamp_(min=torch.finfo(s.dtype).min / 4)
        terms.sub_(largest).exp_()
        sums = inner_products(terms, terms)
        exponents = self._pull(s).add_(sums.log()).add_(largest).add_(largest.T)
        positive, count = pairs.positive_ones.to(s), pairs.positive_counts.sum().clamp(min=1).to(s)
        value = torch.nn.functional.softplus(exponents, threshold=40).mul_(positive).sum() / count
        weight = exponents.sigmoid_().mul_(positive).div_(count)
        shares = torch.div(weight, sums.clamp_(min=torch.finfo(s.dtype).tiny), out=sums)
        weights = inner_products(shares, terms.T).mul_(terms).mul_(8 * t).sub_(weight, alpha=2 * (1 + t))
        return value.to(pairs.z), weights.to(pairs.z)

    def _of_classes(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """Value and weights of the N-pair form."""
        t, s, weights = self._t, pairs.s, torch.zeros_like(pairs.s)
        anchors, positives, _ = pairs.layout.of(_one_pair_per_class)
        if not len(anchors):
            return s.new_zeros(()), weights
        push = s[:, positives].mul_(4 * t)
        exponents = (push[anchors] + push[positives]).add_(self._pull(s[anchors, positives])[:, None])
        logs = log_sum(exponents.fill_diagonal_(-torch.inf), plus_one=True)
        shares = logs.shares / len(anchors)
        for rows in (anchors, positives):
            weights[rows[:, None], positives] = 4 * t * shares
        weights[anchors, positives] = -2 * (1 + t) * shares.sum(1)
        return logs.value.mean(), weights

    def _of_triplets(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """Value and weights of the hinge form, computed for one positive of every row at a time.

        The hinge (1 + t) d_ap^2 - 2 t (d_an^2 + d_pn^2) is the same with anchor and positive exchanged, so each pair comes once.
        """
        t, d2 = self._t, pairs.d2
        itself, columns, once = pairs.layout.of(_each_pair_once)
        within = torch.where(once, d2.gather(1, columns).mul_(1 + t), -torch.inf)  # (N, P / 2)
        beyond = (2 * t * d2).sub_(pairs.only_negatives)
        of_pairs, of_negatives = torch.zeros_like(within), torch.zeros_like(d2)
        back = torch.empty_like(itself)
        for rank, mates in enumerate(columns.unbind(1)):
            active = beyond.index_select(0, mates).add_(beyond)
            # As numbers: torch adds up bools several times more slowly.
            torch.gt(within[:, rank, None], active, out=active)
            torch.sum(active, 1, out=of_pairs[:, rank])
            of_negatives += active
            of_negatives += active.index_select(0, back.index_copy_(0, mates, itself))
        triplets = (pairs.positive_counts * pairs.negative_counts).sum().clamp(min=1)
        of_positives = torch.zeros_like(d2).scatter_add_(1, columns, of_pairs)
        weights = of_negatives.mul_(4 * t).sub_(of_positives.add_(of_positives.T.clone()), alpha=1 + t).mul_(2 / triplets)
        # The hinges are linear in the squared distances, so their sum is that of distances times slopes.
        return (weights * d2).sum().div_(-2).clamp_(min=0), weights


def _one_pair_per_class(y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Anchors (P,) and positives (P,), the first two rows of each class, and the mask (N, N) of negatives among the positives."""
    same = y[:, None] == y
    rank = same.tril(-1).sum(1, dtype=torch.int32)
    anchors, positives = (same & (rank[:, None] == 0) & (rank == 1)).nonzero(as_tuple=True)
    return anchors, positives, ~same & (rank == 1)


def _each_pair_once(y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The rows (N,), half of the classmates of each (N, P / 2), and a mask (N, P / 2) in which each pair is true once."""
    columns, size = classmates_and_sizes(y)
    columns, itself = columns[:, : int(size.max()) // 2], torch.arange(len(y))
    twice = 2 * torch.arange(1, columns.shape[1] + 1)
    # Half way round a class of an even number, a pair comes from both of its ends.
    return itself, columns, (twice < size[:, None]) | ((twice == size[:, None]) & (itself[:, None] < columns))
