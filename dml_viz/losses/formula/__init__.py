"""A loss that its user writes: a formula over the similarities of an anchor's pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import torch
from torch import Tensor

from dml_viz.losses._base import Loss
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._scalar import Number, numbers, squared_distance, total
from dml_viz.losses.formula._grammar import KINDS, NAMES, FormulaError, Node, parsed
from dml_viz.losses.formula._latex import latex_of
from dml_viz.losses.formula._program import Program, program_of, slots_for_each_point, value_at
from dml_viz.losses.formula._values import Anchors, refuse_undefined
from dml_viz.params import knobs, param

BEYOND = "softplus(lse_n(gamma ([s_n]_+^2 - m^2)) + lse_p(gamma ((1 - s_p)^2 - m^2)))"
# Degrees by class of the batch on which a formula is tried: similarities of both kinds are spread over −1 to 1.
TRIED = ((0, 2, 60, 100, 185), (7, 9, 70, 120, 187))

KNOBS = MappingProxyType({"m": 0.25, "gamma": 32.0})
OVER = {"": "anchors", "p": "positive pairs", "n": "negative pairs", "a": "pairs", "np": "triplets"}

__all__ = ["KNOBS", "NAMES", "Formula", "FormulaError", "parsed", "parsed_and_checked"]


def parsed_and_checked(text: str) -> Node:
    """The formula written as ``text``; `FormulaError` for other texts, and for a formula without a value or a slope somewhere."""
    formula = parsed(text)
    try:
        refuse_undefined(formula, _tried(), KNOBS)
    except (RuntimeError, ArithmeticError) as error:
        raise FormulaError(0, "the formula cannot be computed on a batch; write it with fewer sums in one another") from error
    return formula


@lru_cache(maxsize=1)
def _tried() -> Pairs:
    angles = torch.tensor(TRIED, dtype=torch.float64).deg2rad()
    rows = torch.stack((angles.cos(), angles.sin()), -1).flatten(0, 1)
    return Pairs(rows, torch.arange(len(TRIED)).repeat_interleave(len(TRIED[0])))


@dataclass(frozen=True)
class Formula(Loss):
    """The mean of a formula over all anchors, or over the pairs or triplets over which the formula does not sum itself.

    The formula is written in an anchor's similarities to positives (s_p) and negatives (s_n), or to all others (s, with y = 1 for
    a positive). An anchor counts if it has every kind of pair that the formula names.
    """

    title = "Your formula"
    sentence = "A loss that you write yourself, over the similarities of positive and negative pairs."
    formula = r"L=f(s_p,s_n)"
    reference = "A formula of your own"
    families = ("pairs",)
    elsewhere = "No library has it: it is read from the text that you give."
    by_user = True

    text: str = param(
        BEYOND,
        "the formula, over s_p and s_n or over s and y",
        "f",
        label="formula",
        reads=parsed_and_checked,
        source="with Circle's shape up to 90 degrees, and nothing beyond",
    )
    m: float = param(
        KNOBS["m"],
        "the number m of the formula",
        "m",
        domain="[-4, 4]",
        slider=(0.0, 2.0, 0.01),
        source="Circle's for faces and persons",
    )
    gamma: float = param(
        KNOBS["gamma"],
        "the number gamma of the formula",
        r"\gamma",
        domain="(0, 1000]",
        slider=(1.0, 128.0, 1.0),
        source="the least of those usual for softmax losses",
    )

    @property
    def tree(self) -> Node:
        """The formula as a tree."""
        return parsed(self.text)

    @property
    def variant_text(self) -> str:
        over = OVER["".join(sorted(self.tree.free_kinds))]
        return f"The mean over all {over}. An anchor counts where it has every kind of pair that the formula names."

    @property
    def variant_formula(self) -> str:
        over = OVER["".join(sorted(self.tree.free_kinds))]
        return rf"L=\underset{{\text{{{over}}}}}{{\operatorname{{mean}}}}\ {latex_of(self.tree)}"

    @property
    def in_browser(self) -> dict[str, object]:
        return {**knobs(self), "program": self.program, "named": self.named, "averaged_kinds": self.averaged_kinds}

    @property
    def program(self) -> Program:
        """The formula as a list of operations."""
        return program_of(self.tree)

    @property
    def named(self) -> tuple[int, ...]:
        """The kinds of pairs that occur in the formula: 0 positive ones, 1 negative ones, 2 both."""
        return tuple(sorted(map(KINDS.index, self.tree.named)))

    @property
    def averaged_kinds(self) -> tuple[int, ...]:
        """The kinds of pairs over which the mean goes."""
        return tuple(sorted(map(KINDS.index, self.tree.free_kinds)))

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        points, labels, everyone = numbers(z), y.tolist(), range(len(y))
        last = len(self.program) - 1
        terms: list[Number] = []
        for i in everyone:
            pairs = [j for j in everyone if j != i]
            d2 = {j: squared_distance(points[i], points[j]) for j in pairs}
            others: list[list[Number]] = [
                [d2[j] for j in pairs if labels[j] == labels[i]],
                [d2[j] for j in pairs if labels[j] != labels[i]],
                [d2[j] for j in pairs],
                [1 if labels[j] == labels[i] else 0 for j in pairs],
            ]
            if any(len(others[kind]) == 0 for kind in self.named):
                continue
            places: list[list[Number]] = [[0, 0, 0, 0]]
            for kind in self.averaged_kinds:
                places = [at for slots in places for at in slots_for_each_point(kind, others, slots)]
            terms.extend([value_at(self.program, last, others, slots, [self.m, self.gamma]) for slots in places])
        return total(terms) / len(terms) if terms else 0.0

    def of_pairs(self, pairs: Pairs) -> Tensor:
        anchors = Anchors(self.tree, pairs)
        value = anchors.total(pairs.d2[anchors.rows], slice(None), self._knobs)
        return value / max(anchors.term_count, 1)

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        # In float64, where exponents reach 700, and a few anchors at a time: triplets are many.
        anchors, d2 = Anchors(self.tree, pairs), pairs.d2.detach().double()
        value, slopes = d2.new_zeros(()), torch.zeros_like(d2)
        for start in range(0, len(anchors.rows), anchors.together):
            some = slice(start, start + anchors.together)
            with torch.enable_grad():
                leaf = d2[anchors.rows[some]].requires_grad_()
                part = anchors.total(leaf, some, self._knobs)
                slope = torch.autograd.grad(part, leaf)[0] if part.requires_grad else 0
            value += part.detach()
            slopes[anchors.rows[some]] = slope
        terms = max(anchors.term_count, 1)
        return (value / terms).to(pairs.d2), slopes.mul_(-2 / terms).to(pairs.d2)

    @property
    def _knobs(self) -> Mapping[str, float]:
        return {"m": self.m, "gamma": self.gamma}
