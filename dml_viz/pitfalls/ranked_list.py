"""Pitfalls of Ranked List: diameter or radius, distances or squares, sum or mean, and what is differentiated."""

import math

import torch
from torch import Tensor

from dml_viz.embedding.sphere import ratio_and_cosine, tangent
from dml_viz.losses import Pairs
from dml_viz.losses.pairwise_margin import PairwiseMargin
from dml_viz.losses.ranked_list import RankedList
from dml_viz.pitfalls._base import Numbers, pitfall
from dml_viz.pitfalls._training import example

POINTS = 9


@pitfall(
    "Ranked List: radius or diameter",
    claim="Notes in circulation draw each class into a hypersphere of radius α − m.",
    text="The diameter of a class is meant, as on the authors' poster: no two of its points may be farther apart than "
    "$\\alpha - m = {bound:.1f}$. Take {points:.0f} points of one class on an arc that reaches {bound:.1f} to either side of "
    "its middle: they lie up to {apart:.2f} apart and cost {as_radius:.3f}. On an arc {bound:.1f} from end to end they cost "
    "{as_diameter:.0f}. A class that costs nothing need not fit a ball of that diameter, though. Three points {bound:.1f} "
    "apart cost {three:.0f} and need one of {ball:.3f}.",
)
def diameter() -> Numbers:
    """The loss of a class on an arc of radius alpha - m, on an arc of that diameter, and of three points that far apart."""
    loss = RankedList()
    bound = loss.alpha - loss.margin
    half = 2 * math.asin(bound / 2)  # the angle of a chord of that length
    wide, narrow = _arc(2 * half), _arc(half)
    y = torch.zeros(POINTS, dtype=torch.int64)
    # Three directions at equal angles around an axis, their ends just short of the bound.
    side = (1 - 1e-12) * bound / math.sqrt(3)
    around = torch.arange(3, dtype=torch.float64) * (2 * math.pi / 3)
    three = torch.stack((side * around.cos(), side * around.sin(), torch.full((3,), math.sqrt(1 - side**2)).double()), 1)
    return {
        "bound": bound,
        "points": POINTS,
        "apart": (wide[0] - wide[-1]).norm(),
        "as_radius": loss.value(wide, y),
        "as_diameter": loss.value(narrow, y),
        "three": loss.value(three, y[:3]),
        "ball": 2 * float((three[0] - three.mean(0)).norm()),
    }


def _arc(angle: float) -> Tensor:
    """Unit rows (POINTS, 2) evenly over an arc of that angle."""
    # Just short of it: its ends would otherwise be beyond the bound by a rounding error.
    angles = torch.linspace(0, (1 - 1e-12) * angle, POINTS, dtype=torch.float64)
    return torch.stack((angles.cos(), angles.sin()), 1)


@pitfall(
    "Ranked List: what is taken for constant",
    claim="Notes in circulation call everything but the query “constant”, as the authors do, and do not say that it matters. "
    "The library pytorch-metric-learning leaves all of it to autograd.",
    text="The value is {value:.3f} each time, the gradient differs. Moving both ends of a pair makes it {ends_times:.2f} "
    "times as long, with a cosine of {ends_cosine:.3f} to the authors'. Moving the weights as well, as "
    "pytorch-metric-learning does, makes it {all_times:.2f} times as long, with a cosine of {all_cosine:.3f}. The default here "
    "is the authors'; a switch selects the others.",
)
def ends() -> Numbers:
    """The gradient at both ends of a pair, with and without the gradient of the weights, beside that at the query alone."""
    z, y = example(32, 8, 8)
    query = RankedList(differentiated="query only").gradients(z, y)
    numbers: Numbers = {"value": query.value}
    for name, which in (("ends", "both ends"), ("all", "both ends and weights")):
        gradient = RankedList(differentiated=which).gradient(z, y)
        numbers[f"{name}_times"], numbers[f"{name}_cosine"] = ratio_and_cosine(gradient, query.z)
    return numbers


@pitfall(
    "Ranked List: sum or mean, and a gradient of length 1",
    also=("pairwise_margin",),
    claim="In notes in circulation, equation 13 is the loss of one query, and nothing says that the total is the mean over all "
    "N queries. Their equation 10 gives every pair a gradient of length 1.",
    text="Without the 1/N the gradient of a batch of {n:.0f} is {times:.2f} times as long, so the learning rate would "
    "depend on the size of the batch. A pair's own gradient has length {length:.3f} only while the pair violates its "
    "bound, and {idle:.0%} of the pairs here do not. Two points at one place have no direction, and {at_zero:.0f} by definition.",
)
def mean() -> Numbers:
    """The sum over queries beside the mean, and the printed length 1 of a pair's gradient, pair by pair."""
    z, y = example(32, 3, 4)
    times, _ = ratio_and_cosine(_summed(RankedList(), z, y), RankedList().gradient(z, y))
    lengths = torch.tensor([_length(z[[i, j]], y[[i, j]]) for i in range(len(y)) for j in range(i)])
    idle, at_zero = (lengths == 0).double().mean(), _length(z[[0, 0]], y[[0, 1]])
    return {"n": len(y), "times": times, "length": lengths[lengths > 0].mean(), "idle": idle, "at_zero": at_zero}


def _summed(loss: RankedList, z: Tensor, y: Tensor) -> Tensor:
    """The gradient (N, d) of the sum over queries: each query's own, not divided by the number of queries."""
    rows = []
    for x, label in zip(z, y, strict=True):
        away = x - z
        d = away.norm(dim=1)
        units = away / torch.where(d > 0, d, 1)[:, None]
        too_far, too_near = (y == label) & (d > loss.alpha - loss.margin), (y != label) & (d < loss.alpha)
        w = torch.exp(loss.temperature * (loss.alpha - d)) * too_near
        pull, push = too_far / too_far.sum().clamp(min=1), w / w.sum().clamp(min=1)
        rows.append((pull - loss.lam * push) @ units)
    return tangent(torch.stack(rows), z)


def _length(z: Tensor, y: Tensor) -> float:
    """The length of the gradient of one pair (2, d) at its first point, its radial part included."""
    return float(PairwiseMargin().evaluate(Pairs(z, y), {}).z[0].norm())


@pitfall(
    "Ranked List: distance or squared distance",
    also=("pairwise_margin",),
    claim="Equation 1 of notes in circulation sets $d_{ij}^2$ equal to a norm without a square; from equation 8 on they write "
    "distances.",
    text="The distances of this loss are not squared; those of the triplet loss restated beside it are. On distances, "
    "$\\alpha = {alpha:.1f}$ leaves a negative alone from {plain:.1f}° on; read as a bound on squared distances it "
    "would from {squared:.1f}° on.",
)
def unsquared() -> Numbers:
    """The angle from which on a negative is left alone, by the bound on distances and by that on their squares."""
    alpha = RankedList().alpha
    plain, squared = (math.degrees(2 * math.asin(distance / 2)) for distance in (alpha, math.sqrt(alpha)))
    return {"alpha": alpha, "plain": plain, "squared": squared}
