"""N-pair: one positive against the positives of all other classes, by inner products of raw rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from dml_viz.embedding.matmul import inner_products
from dml_viz.embedding.sphere import DIFFERENCES_UP_TO, wide
from dml_viz.losses._base import Loss
from dml_viz.losses._layout import layout_of
from dml_viz.losses._logsumexp import log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._results import Gradients, Weights
from dml_viz.losses._scalar import Number, dot, exp, log, numbers, total
from dml_viz.params import param


class Tuples(NamedTuple):
    """The indices ``anchors`` (P,) and ``positives`` (P,) of P pairs, and the number of each pair's batch, ``batches`` (P,).

    ``rows`` (2 P,) are the anchors, then the positives. ``only_others`` (P, P) is 0 for two pairs of one batch, and -inf for a
    pair with itself and for pairs of different batches.
    """

    anchors: Tensor
    positives: Tensor
    batches: Tensor
    rows: Tensor
    only_others: Tensor


@dataclass(frozen=True)
class NPair(Loss):
    """An anchor should have a larger inner product with its positive than with the positive of any other class.

    With pairing "one per class" the first two rows of each class are its anchor and positive; all other rows are left out, and
    so are classes of one row. "two by two": the rows 2r and 2r + 1 of each class are its pair in the r-th of several batches.
    """

    title = "N-pair"
    sentence = "Every anchor tells its positive from one sample of each other class, all at once."
    formula = (
        r"L = \frac1P\sum_i\log\Big(1+\sum_{j\ne i}e^{(f_i^\top f_j^+-f_i^\top f_i^+)/T}\Big)"
        r"+\frac{\lambda}{2P}\sum_i\big(\|f_i\|^2+\|f_i^+\|^2\big)"
    )
    weight_formula = (
        r"\frac{\partial L}{\partial f_i^\top f_j^+} = \frac{1}{PT}\big(\mathrm{softmax}_j(f_i^\top f_j^+/T)-[i=j]\big)"
        r"\quad\text{besides}\quad\frac{\lambda}{P}f"
    )
    rewritten = (("normalise", True, r"\|f_i^+\|^2\big)", r"\|f_i^+\|^2\big),\quad \|f\|=1"),)
    reference = (
        "Sohn: Improved Deep Metric Learning with Multi-class N-pair Loss Objective, NeurIPS 2016, "
        "https://papers.nips.cc/paper/2016/hash/6b180037abbebea991d8b1232f8a8ca9-Abstract.html"
    )
    families = ("tuples",)
    ordered = True
    elsewhere = (
        "pytorch-metric-learning's NPairsLoss is this for one pair per class with T = 1. But it normalises the rows unless its "
        "distance is set not to, and its L2 term is a mean over the whole batch. Other code has λ / 4 for λ / 2."
    )
    traps = (
        "It is the cross-entropy of the table of products of anchors with positives, the right class on its diagonal.",
        "Rows are raw, so without the L2 term the loss falls for ever by growing their norms.",
        "On unit rows with T = 1 it cannot fall below log(1 + (P − 1) / e²): normalise only with a temperature.",
        "One pair per class leaves out every other row of a larger class, without a word.",
    )

    temperature: float = param(
        1.0,
        "what inner products are divided by",
        "T",
        domain="[0.001, 1000]",
        slider=(0.05, 2.0, 0.05),
        source="Sohn 2016 has none, which is 1",
    )
    l2: float = param(
        0.02,
        "weight of the rows' squared norms",
        r"\lambda",
        domain="[0, 1000]",
        slider=(0.0, 0.1, 0.005),
        source="common code has 0.02, 0.005 and 0.002; that of Sohn 2016 was not checked",
        label="L2 weight",
    )
    normalise: bool = param(False, "unit rows", r"\|f\|=1", source="Sohn 2016 does not; pytorch-metric-learning does")
    pairing: str = param(
        "one per class",
        "which rows are anchors and positives",
        "P",
        choices=("one per class", "two by two"),
        source="Sohn 2016, section 3.2; two by two uses the whole of a batch with more than two rows of a class",
    )

    @property
    def variant_text(self) -> str:
        rows = "Unit rows, so that the L2 term is a constant" if self.normalise else "Raw rows with an L2 term"
        which = {
            "one per class": "the first two rows of each class as anchor and positive, as in the paper",
            "two by two": "the rows of each class two by two, each round a batch of its own",
        }[self.pairing]
        return f"{rows}; {which}; the mean over pairs."

    @property
    def unit(self) -> bool:
        return self.normalise

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels = numbers(z), y.tolist()
        classes = [[points[i] for i in range(len(y)) if labels[i] == label] for label in dict.fromkeys(labels)]
        terms: list[Number] = []
        squares: list[Number] = []
        for r in range(len(y) // 2 if self.pairing == "two by two" else 1):
            batch = [(rows[2 * r], rows[2 * r + 1]) for rows in classes if len(rows) > 2 * r + 1]
            for i, (anchor, positive) in enumerate(batch):
                similarity = dot(anchor, positive)
                others = [dot(anchor, other) for j, (_, other) in enumerate(batch) if j != i]
                terms.append(log(1 + total(exp((s - similarity) / self.temperature) for s in others)))
                squares += [dot(anchor, anchor), dot(positive, positive)]
        return total(terms) / len(terms) + self.l2 / 2 * total(squares) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        if not self.normalise:
            raise TypeError("NPair of raw rows is no function of squared distances")
        pairing = _tuples(pairs.y, self.pairing)
        return self._cross_entropy(pairs.s, pairing) + self.l2 * min(len(pairing.anchors), 1)

    def of_rows(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        if self.normalise:
            return self.of_pairs(Pairs(z, y))
        pairing = _tuples(y, self.pairing)
        squares = z[torch.cat((pairing.anchors, pairing.positives))].square().sum()
        return self._cross_entropy(z @ z.T, pairing) + self.l2 / 2 * squares / max(len(pairing.anchors), 1)

    def evaluate(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        pairing = pairs.layout.of(_tuples, self.pairing)
        both, value, slopes = self._table(pairs.z, pairing)
        f, f_plus = both.tensor_split(2)
        ridge = self.l2 / max(len(f), 1)
        slopes.diagonal().sub_(slopes.sum(1))
        moved = torch.cat((torch.addmm(f, slopes, f_plus, beta=ridge), torch.addmm(f_plus, slopes.T, f, beta=ridge)))
        gradient = torch.zeros_like(pairs.z).index_copy_(0, pairing.rows, moved.to(pairs.z))
        if ridge:
            value += ridge / 2 * both.square().sum()
        return Gradients(value.to(gradient), gradient, {})

    def weights(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Weights:
        pairing = layout_of(y, z.device).of(_tuples, self.pairing)
        *_, slopes = self._table(z.detach(), pairing)
        anchors, positives, *_ = pairing
        pair = z.new_zeros(len(z), len(z))
        pair[anchors[:, None], positives] = slopes.to(z)
        pair[anchors, positives] = -slopes.sum(1).to(z)
        if self.normalise:
            return Weights(pair=pair)
        used = torch.cat((anchors, positives))
        rest = torch.zeros_like(pair[:, :1]).index_fill_(0, used, self.l2 / max(len(anchors), 1)) * z.detach()
        return Weights(pair=pair, rest=rest)

    def _cross_entropy(self, s: Tensor, pairing: Tuples) -> Tensor:
        """The mean of log(1 + sum) from all inner products (N, N)."""
        anchors, positives, batches, *_ = pairing
        table = torch.where(batches[:, None] == batches, s[anchors[:, None], positives] / self.temperature, -torch.inf)
        return (table.logsumexp(1) - table.diagonal()).sum() / max(len(anchors), 1)

    def _table(self, z: Tensor, pairing: Tuples) -> tuple[Tensor, Tensor, Tensor]:
        """Anchors f, then positives f+ (2 P, d), the mean of log(1 + sum), and its slopes by f_i . f_j+ for j != i (P, P)."""
        both = z.index_select(0, pairing.rows)
        # In few dimensions rows get so near that their inner products differ by too little in float32.
        if z.shape[1] <= DIFFERENCES_UP_TO:
            both = wide(both)
        f, f_plus = both.tensor_split(2)
        if not len(f):
            return both, both.new_zeros(()), both.new_zeros(0, 0)
        exponents = (inner_products(f, f_plus) - (f * f_plus).sum(1, keepdim=True)).div_(self.temperature)
        logs = log_sum(exponents.add_(pairing.only_others.to(f)), plus_one=True)
        return both, logs.value.mean(), logs.shares.div_(len(f) * self.temperature)


def _tuples(y: Tensor, pairing: str) -> Tuples:
    """The pairs of anchor and positive that ``pairing`` selects, from labels y (N,)."""
    same = y[:, None] == y
    rank = same.tril(-1).sum(1, dtype=torch.int32)
    leads = rank % 2 == 0 if pairing == "two by two" else rank == 0
    anchors, positives = (same & leads[:, None] & (rank == rank[:, None] + 1)).nonzero(as_tuple=True)
    batches = rank[anchors]
    others = (batches[:, None] == batches).fill_diagonal_(False)
    return Tuples(anchors, positives, batches, torch.cat((anchors, positives)), others.double().log())
