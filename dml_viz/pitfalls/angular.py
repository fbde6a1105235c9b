"""Pitfalls of the angular loss: unsquared distances, a dropped constant, printed gradients, rotations and scale."""

import math

import torch
from scipy.optimize import brentq
from torch import Tensor

from dml_viz.embedding.sphere import normalise, tangent
from dml_viz.losses import Loss, log_one_and_sum
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet
from dml_viz.pitfalls._base import Numbers, pitfall
from dml_viz.pitfalls._training import directions, example

MARGIN = 0.2
BETWEEN = (0.01, math.pi / 2)  # where angles are looked for
LABELS = torch.tensor([0, 0, 1])  # of anchor, positive and negative
OTHER = [1, 0, 2]  # the order in which the positive is the anchor


def unsquared_violation(a: Tensor, p: Tensor, n: Tensor, alpha: float) -> Tensor:
    """The hinge's argument in the circulating code, for triplets (..., d): plain norms with the factor of squared ones."""
    return (a - p).norm(dim=-1) - 4 * math.tan(alpha) ** 2 * (n - (a + p) / 2).norm(dim=-1)


def squared_violation(a: Tensor, p: Tensor, n: Tensor, alpha: float) -> Tensor:
    """The hinge's argument in the paper, for triplets (..., d)."""
    return (a - p).square().sum(-1) - 4 * math.tan(alpha) ** 2 * (n - (a + p) / 2).square().sum(-1)


@pitfall(
    "Angular loss: the constant that was dropped",
    claim="The N-pair form is derived by “∝”, as if dropping the constant $2-6\\tan^2\\alpha$ only changed a factor.",
    text="The constant is {constant:.0f} at {alpha:.0f}° and {other_constant:.0f} at {other:.0f}°, and it is inside "
    "the logarithm. At {alpha:.0f}° the mean loss is {whole:.3f} with it and {dropped:.3f} without, the mean "
    "gradient weight {whole_weight:.3f} and {dropped_weight:.3f}. From class to class the loss with it is "
    "{least:.3f} to {most:.3f} of the loss without, so the two are not proportional. Dropping the constant is what makes "
    "the loss train.",
)
def constant() -> Numbers:
    """The constant at two angles, and value and weight of the N-pair form with it and without."""
    classes = 8
    z, y = example(2 * classes, 8, classes, spread=0.3)
    whole, dropped = (Angular(form="N-pair", constant_kept=choice) for choice in (True, False))
    of_alpha, other = _constant(whole.alpha), 30.0
    share = _terms(z, whole.alpha, of_alpha) / _terms(z, whole.alpha, 0)

    def weight(loss: Angular) -> float:
        """The mean over classes of the sum of e^f / (1 + sum e^f), which every pull and push is multiplied by."""
        pair = loss.weights(z, y).pair
        assert pair is not None
        pulls = pair.diagonal(classes)  # from each anchor to its positive
        return float(-pulls.sum()) / (2 * (1 + math.tan(math.radians(loss.alpha)) ** 2))

    return {
        "alpha": whole.alpha,
        "constant": of_alpha,
        "other": other,
        "other_constant": abs(_constant(other)),
        "whole": whole.value(z, y),
        "dropped": dropped.value(z, y),
        "whole_weight": weight(whole),
        "dropped_weight": weight(dropped),
        "least": share.min(),
        "most": share.max(),
    }


def _terms(z: Tensor, alpha: float, added: float) -> Tensor:
    """The N-pair form's term of every class (C,), for rows z (2 C, d), first all anchors, then their positives."""
    t = math.tan(math.radians(alpha)) ** 2
    a, p = z.chunk(2)
    f = 4 * t * (a + p) @ p.T - 2 * (1 + t) * (a * p).sum(1, keepdim=True) + added
    return log_one_and_sum(f.fill_diagonal_(-torch.inf))


def _constant(alpha: float) -> float:
    return 2 - 6 * math.tan(math.radians(alpha)) ** 2


@pitfall(
    "Angular loss: an angle of 45° that acts at another",
    claim="Code in circulation takes plain norms where the formula squares them, and keeps $4\\tan^2\\alpha$. It also calls "
    "torch.tan with a plain number, which stops it at once.",
    text="With plain norms the angle at the negative is bounded not by $\\alpha$ but by $\\tan n' = 2\\tan^2\\alpha$: "
    "{first:.0f}° acts at {first_acts:.1f}°, {second:.0f}° at {second_acts:.1f}°, {third:.0f}° at "
    "{third_acts:.1f}°. The two agree only at {equal:.2f}°. Of random triplets of unit vectors in "
    "{dimensions:.0f} dimensions the formula finds {first_formula:.1%} active at {first:.0f}° and "
    "{third_formula:.0%} at {third:.0f}°, the code {first_code:.0%} and {third_code:.1%}: it hardly ever trains.",
    misleads="Random triplets are farther from any boundary the more dimensions there are; on the circle many more are active.",
)
def unsquared() -> Numbers:
    """Angles at which the code's hinge turns on for three nominal ones, and the share of triplets active in each form."""
    dimensions = 8
    a, p, n = directions(3 * 5000, dimensions).chunk(3)
    equal = brentq(lambda alpha: _acting_angle(alpha) - alpha, 0.1, 1.4)
    numbers: Numbers = {"dimensions": dimensions, "equal": math.degrees(equal)}
    for name, degrees in (("first", 45), ("second", 40), ("third", 36)):
        alpha = math.radians(degrees)
        numbers |= {name: degrees, f"{name}_acts": math.degrees(_acting_angle(alpha))}
        if name != "second":
            for form, violation in (("formula", squared_violation), ("code", unsquared_violation)):
                numbers[f"{name}_{form}"] = float((violation(a, p, n, alpha) > 0).double().mean())
    return numbers


def _acting_angle(alpha: float) -> float:
    """The angle at the negative from which on the code's hinge is active, the negative straight above the pair's centre."""
    a, p = torch.tensor([[-1.0, 0.0], [1.0, 0.0]], dtype=torch.float64)

    def violation(angle: float) -> float:
        n = torch.tensor([0.0, 1 / math.tan(angle)], dtype=torch.float64)
        return float(unsquared_violation(a, p, n, alpha))

    return float(brentq(violation, *BETWEEN))


@pitfall(
    "Triplet and angular loss: the printed gradients",
    also=("triplet",),
    claim="Notes in circulation print the gradients at anchor, positive and negative without a condition.",
    text="Signs and coefficients are correct: they differ from the losses' own by at most {triplet_error:.1g} (triplet) "
    "and {angular_error:.1g} (angular). Each three add up to zero (to {sum:.1g}). But they hold only while the "
    "hinge is active. On a triplet that is satisfied the printed ones still have lengths {triplet_idle:.2f} and "
    "{angular_idle:.2f}, where the loss has {true_idle:.0f}.",
)
def printed_gradients() -> Numbers:
    """The error of printed gradients on an active triplet, their sum, and their lengths on a satisfied triplet."""
    active, _ = example(3, 5, 1)
    satisfied = normalise(active[[0, 0, 0]] * torch.tensor([[1.0], [1.0], [-1.0]]) + 0.1 * active)
    triplet, angular = Triplet(mining="all", margin=MARGIN), Angular(form="hinge", alpha=36.0)
    t = math.tan(math.radians(angular.alpha)) ** 2
    # In a batch of three the positive is an anchor too, and the triplet loss is the mean over both of its triplets.
    both = (_printed_triplet(active) + _printed_triplet(active[OTHER])[OTHER]) / 2
    printed = {"triplet": (triplet, both), "angular": (angular, _printed_angular(active, t))}
    return {
        **{f"{name}_error": _error(loss, active, rows) for name, (loss, rows) in printed.items()},
        "sum": max(float(rows.sum(0).abs().max()) for _, rows in printed.values()),
        "triplet_idle": _printed_triplet(satisfied).norm(),
        "angular_idle": _printed_angular(satisfied, t).norm(),
        "true_idle": sum(loss.gradient(satisfied, LABELS).norm() for loss in (triplet, angular)),
    }


def _printed_triplet(rows: Tensor) -> Tensor:
    """The three gradients (3, d) of the triplet ``rows`` (3, d), as printed."""
    a, p, n = rows
    return torch.stack((2 * (n - p), 2 * (p - a), 2 * (a - n)))


def _printed_angular(rows: Tensor, t: float) -> Tensor:
    """The three gradients (3, d) of the angular triplet ``rows`` (3, d), as printed; t is tan^2 of the angle."""
    a, p, n = rows
    spread = a + p - 2 * n
    return torch.stack((2 * (a - p) - 2 * t * spread, 2 * (p - a) - 2 * t * spread, 4 * t * spread))


def _error(loss: Loss, rows: Tensor, printed: Tensor) -> float:
    """The largest error in a coordinate of the tangent part of printed gradients (3, d)."""
    return float((tangent(printed, rows) - loss.gradient(rows, LABELS)).abs().max())


@pitfall(
    "What a rotation and a change of scale do",
    also=("triplet",),
    claim="“Triplet loss is not rotation invariant”, “angular loss is scale invariant”.",
    text="Triplet loss is {before:.5f} before a random rotation and {turned:.5f} after it: distances survive rotations. "
    "It is the scale that it does not survive, because its margin is fixed: points {longer:.0f} times as far from "
    "the origin cost {stretched:.3f}. Of the angular loss only the bound is free of scale: {same_side:.0%} of "
    "the triplets are on the same side of it at {times:.0f} times the scale. Its value grows {angular_times:.2f} "
    "times.",
)
def rotation_and_scale() -> Numbers:
    """Both losses of one batch, turned and stretched."""
    z, y = example(24, 3, 6)
    turn, _ = torch.linalg.qr(example(3, 3, 1, seed=1)[0])
    loss = Triplet(mining="all", margin=MARGIN)
    longer, times = 2, 3
    near, far = (squared_violation(*_triplets(scale * z, y), math.radians(45)) for scale in (1, times))
    a, p, n = _triplets(longer * z, y)
    stretched = ((a - p).square().sum(1) - (a - n).square().sum(1) + MARGIN).relu().mean()
    return {
        "before": loss.value(z, y),
        "turned": loss.value(z @ turn, y),
        "longer": longer,
        "stretched": stretched,
        "times": times,
        "same_side": ((near > 0) == (far > 0)).double().mean(),
        "angular_times": far.relu().mean() / near.relu().mean(),
    }


def _triplets(z: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Anchors, positives and negatives (T, d) of all triplets of rows z (N, d) of any length."""
    same = y[:, None] == y
    apart = ~torch.eye(len(y), dtype=torch.bool)
    a, p, n = ((same & apart)[:, :, None] & ~same[:, None, :]).nonzero().unbind(1)
    return z[a], z[p], z[n]
