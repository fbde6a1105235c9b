"""Points that follow the gradient of a loss, step by step, with no net between them and the loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from dml_viz.analysis import LossResponse
from dml_viz.embedding.metrics import retrieval
from dml_viz.explain.gradients.model_scaling import RAW, mean_length

STILL = 0.02  # of its first pace: a flow that is slower is at rest
PERFECT = 1 - 1e-9  # mean average precision from which every point is ranked right
LAST = 8  # steps over which a flow that goes nowhere is told from one that goes on
TO_AND_FRO = 0.25  # of the way gone in these: a flow that gets less far goes to and fro
NOISE = 1e-9  # of a value: a smaller rise is rounding
TINY = 1e-5  # radians: the step with which value and gradient are compared
AGREE = 0.98  # of what the gradient promises: a value that falls by less has another gradient
WILD = 100.0  # times what the gradient promises
PIECES = 32  # of a step, to tell a jump from a slope
HALVINGS = 20  # of the piece with the largest rise


@dataclass(frozen=True, eq=False)
class Flow:
    """What a flow of T steps went through: points (T+1, N, d), proxies (T+1, M, d) if any, and per step (T+1,) what is told.

    ``value`` is the loss, ``map`` mean average precision, ``within`` and ``between`` the mean distances of pairs of one class
    and of two, NaN where there is no such pair. ``stalled`` is the step from which on it stands still, None while it moves;
    ``to_and_fro`` tells that it moves and gets nowhere. ``rises`` are the steps after which the value is higher than before,
    and ``why`` says in a sentence why there are some.
    """

    points: np.ndarray
    proxies: np.ndarray | None
    value: np.ndarray
    map: np.ndarray
    within: np.ndarray
    between: np.ndarray
    stalled: int | None
    to_and_fro: bool
    rises: tuple[int, ...]
    why: str

    @property
    def end(self) -> str:
        """How it ends: it "moves", or is at rest: "arrived" with every point ranked right, "stuck" without.

        Where no point can be ranked, for want of positives, it just "rests".
        """
        if self.stalled is None:
            return "moves"
        if math.isnan(self.map[-1]):
            return "rests"
        return "arrived" if self.map[-1] > PERFECT else "stuck"

    @property
    def highest(self) -> float:
        """The largest rise of the value in a step."""
        return float(np.diff(self.value).max(initial=0))


def rates(lengths: Sequence[np.ndarray], stride: float, scale: str) -> list[float]:
    """By what each loss's gradient is multiplied in a step, given the lengths (N,) of its arrows at the start.

    Unit mean: the points that a loss moves turn by ``stride`` (radians) on average in its first step. Raw: one rate for all,
    by which those of the loss with the longest arrows do.
    """
    means = [mean_length(own) for own in lengths]
    if scale == RAW:
        return [stride / max(means) if mean else 0.0 for mean in means]
    return [stride / mean if mean else 0.0 for mean in means]


def flow(start: LossResponse, rate: float, steps: int, *, learnt_fixed: bool = False) -> Flow:
    """Go ``steps`` steps of ``rate`` down the gradient; learnt tensors go as well unless ``learnt_fixed``."""
    y, rows, learnt, proxies, values = start.inputs.y, [], [], [], []
    # What is small is taken of each state in turn: together their tables of pairs would fill the memory.
    for state in start.flow(steps, rate, 0.0 if learnt_fixed else rate):
        rows.append(state.inputs.z)
        learnt.append(state.inputs.learnt)
        values.append(state.value)
        if state.inputs.proxies is not None:
            proxies.append(state.inputs.proxies.numpy())
    points, value = torch.stack(rows).numpy(), np.array(values)
    rises = tuple((np.flatnonzero(np.diff(value) > NOISE * np.abs(value).max(initial=1)) + 1).tolist())
    stalled, to_and_fro = _pace(points)
    within, between = _distances(points, y.numpy())
    return Flow(
        points, np.stack(proxies) if proxies else None, value, np.array([retrieval(z, y).map for z in points]),
        within, between, stalled, to_and_fro, rises,
        _why(start.moved(rows[rises[0] - 1], learnt[rises[0] - 1]), rate, learnt_fixed) if rises else "",
    )  # fmt: skip


def agreement(response: LossResponse, *, learnt_fixed: bool = False) -> float:
    """By how much the value falls in a tiny step down the gradient, as a share of what a gradient of the value promises.

    1 for the value's own gradient, less and even below 0 where something that moves is held constant; NaN without a gradient.
    """
    promised = float((response.tangent**2).sum())
    if not learnt_fixed:
        promised += sum(float(gradient.square().sum()) for gradient in response.gradients.learnt.values())
    longest = mean_length(np.linalg.norm(response.tangent, axis=1))
    if not longest:
        return math.nan
    rate = TINY / longest
    after = response.stepped(rate, 0.0 if learnt_fixed else rate)
    return (response.value - after.value) / (rate * promised)


def _distances(points: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean distances (T+1,) of pairs of one class and of two classes."""
    i, j = np.triu_indices(len(y), 1)
    same = y[i] == y[j]
    means = []
    for of in (same, ~same):
        apart = (
            np.array([np.linalg.norm(rows[i[of]] - rows[j[of]], axis=1).mean() for rows in points])
            if of.any()
            else None
        )
        means.append(np.full(len(points), np.nan) if apart is None else apart)
    return means[0], means[1]


def _pace(points: np.ndarray) -> tuple[int | None, bool]:
    moved = np.linalg.norm(np.diff(points, axis=0), axis=2)  # (T, N)
    pace = moved.mean(1)
    going = np.flatnonzero(pace > max(STILL * pace.max(initial=0), NOISE))
    if not len(going):
        return 0, False
    if going[-1] + 1 < len(pace):
        return int(going[-1]) + 1, False
    last = min(LAST, len(pace))
    net = np.linalg.norm(points[-1] - points[-1 - last], axis=1).mean()
    return None, bool(net < TO_AND_FRO * moved[-last:].sum(0).mean())


def _why(before: LossResponse, rate: float, learnt_fixed: bool) -> str:
    """Why the value rises in a step down from ``before``."""
    value = _along_the_step(before, rate, learnt_fixed)
    share = agreement(before, learnt_fixed=learnt_fixed)
    if not abs(share) < WILD:
        return "a pole or a corner is near, where no gradient says what a step does"
    if share < AGREE and (constant := before.loss.constant):
        reason = constant[:1].lower() + constant[1:].rstrip(".")
        return f"{reason}; a tiny step lowers the value {_number(share)} times as much as its own gradient would"
    if jump := _jump(value):
        return f"the value jumps, at first by {_number(jump)}: a term drops out of the mean, or out of what is mined"
    if share < AGREE:
        return f"a kink: a tiny step lowers the value {_number(share)} times as much as the gradient promises"
    shorter = _shorter(value)
    return f"the step is too long for where the points have come to; one 1/{shorter} as long goes down"


def _jump(value: Callable[[float], float]) -> float:
    """By how much the value, by the share of a step, jumps up within it; 0 where it is continuous."""
    marks = np.linspace(0, 1, PIECES + 1)
    values = [value(mark) for mark in marks.tolist()]
    k = int(np.diff(values).argmax())
    (low, high), (below, above) = marks[k : k + 2].tolist(), values[k : k + 2]
    whole = above - below
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        half = value(middle)
        if half - below > above - half:
            high, above = middle, half
        else:
            low, below = middle, half
    return above - below if whole > 0 and above - below > whole / 2 else 0.0


def _shorter(value: Callable[[float], float]) -> int:
    """How many times shorter a step has to be for the value to fall."""
    start = value(0.0)
    return next((2**k for k in range(1, HALVINGS) if value(0.5**k) < start), 2**HALVINGS)


def _along_the_step(before: LossResponse, rate: float, learnt_fixed: bool) -> Callable[[float], float]:
    """The value after any share of a step."""
    return lambda share: before.stepped(share * rate, 0.0 if learnt_fixed else share * rate).value


def _number(value: float) -> str:
    return f"{value:.2g}".replace("-", "−")
