"""Points that follow the gradient of a loss, step by step, with no net between them and the loss."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import torch

from dml_viz.analysis import LossInputs, LossResponse
from dml_viz.embedding.metrics import retrieval
from dml_viz.explain.gradients.model_panels import RAW, mean_length
from dml_viz.losses import Loss
from dml_viz.plot.canvas import number

STILL = 0.02  # of its largest pace: a slower flow is at rest
PERFECT = 1 - 1e-9  # mean average precision of perfect rankings, up to rounding
LAST = 8  # the last steps, in which a flow gets somewhere or not
TO_AND_FRO = 0.25  # of the path's length in these: a flow that gets less far goes to and fro
NOISE = 1e-9  # of a value: a smaller rise is a rounding error
TINY = 1e-5  # radians: the step with which value and gradient are compared
DISAGREE = 0.02  # of the predicted fall: with a larger difference the gradient is not the value's


@dataclass(frozen=True, eq=False)
class Flow:
    """A flow of T steps: points (T+1, N, d), proxies (T+1, M, d) if any, and numbers (T+1,) of each step.

    ``value`` is the loss, ``map`` mean average precision, ``within`` and ``between`` are mean distances of positive and negative
    pairs, NaN without any. From step ``stalled`` on it is at rest; ``to_and_fro`` says that it moves without getting anywhere.
    After steps ``rises`` the value is higher than before; ``why`` says why. From step ``lost`` on numbers are not finite, and the
    state before stays; 0 if all are.
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
    lost: int = 0

    @property
    def end(self) -> Literal["moves", "arrived", "stuck", "rests"]:
        """How the flow ends: it "moves", has "arrived" (every point ranked right), is "stuck", or "rests" without a positive."""
        if self.stalled is None:
            return "moves"
        if math.isnan(self.map[-1]):
            return "rests"
        return "arrived" if self.map[-1] > PERFECT else "stuck"


def step_rates(lengths: Sequence[np.ndarray], stride: float, scale: str) -> list[float]:
    """The factor of each loss's gradient in a step, from the lengths (N,) of its arrows at the start.

    Unit mean: the points that a loss moves turn by ``stride`` (radians) on average in its first step. Raw: one factor for all,
    by which the points of the loss with the longest arrows turn so.
    """
    means = [mean_length(arrows) for arrows in lengths]
    return [stride / (max(means) if scale == RAW else mean) if mean else 0.0 for mean in means]


@dataclass(frozen=True)
class _Start:
    """The input of a loss at the start of a flow, equal to any other with equal numbers."""

    content_key: str
    inputs: LossInputs = field(compare=False)


def flow(start: LossResponse, rate: float, steps: int, *, learnt_fixed: bool = False) -> Flow:
    """Take ``steps`` steps of ``rate`` down the gradient; learnt tensors move too unless ``learnt_fixed``.

    A flow is cached: a knob of another loss, or another way to draw, does not compute it again.
    """
    inputs = start.inputs
    same = replace(inputs.embeddings, y=inputs.y, learnt=inputs.learnt).content_key
    return _flow(start.loss, _Start(same, inputs), rate, steps, learnt_fixed)


@lru_cache(maxsize=64)
def _flow(loss: Loss, cached_start: _Start, rate: float, steps: int, learnt_fixed: bool) -> Flow:
    start = LossResponse(loss, cached_start.inputs)
    y, rows, learnt, proxies, values = start.inputs.y, [], [], [], []
    # Each state is reduced to small numbers in turn: all their tables of pairs together would fill the memory.
    for state in start.flow(steps, rate, 0.0 if learnt_fixed else rate):
        if not _is_finite(state):
            break
        rows.append(state.inputs.z)
        learnt.append(state.inputs.learnt)
        values.append(state.value)
        if state.inputs.proxies is not None:
            proxies.append(state.inputs.proxies.numpy())
    again = range(steps + 1 - len(values))
    lost = len(values) if len(again) else 0
    rows, learnt, values, proxies = ([*each, *(each[-1] for _ in again if each)] for each in (rows, learnt, values, proxies))
    points, value = torch.stack(rows).numpy(), np.array(values)
    rises = tuple((np.flatnonzero(np.diff(value) > NOISE * np.abs(value).max(initial=1)) + 1).tolist())
    why = _why(start.with_rows(rows[rises[0] - 1], learnt[rises[0] - 1]), learnt_fixed) if rises else ""
    maps, moved = np.array([retrieval(z, y).map for z in points]), np.stack(proxies) if proxies else None
    pace = (None, False) if lost else _pace(points)
    return Flow(points, moved, value, maps, *_distances(points, y.numpy()), *pace, rises, why, lost)


def _is_finite(state: LossResponse) -> bool:
    """Whether the value, the points and the learnt tensors of a state are finite."""
    tensors = (state.inputs.z, *state.inputs.learnt.values())
    return all(bool(np.isfinite(each.numpy()).all()) for each in tensors) and math.isfinite(state.value)


def agreement_with_slope(response: LossResponse, *, learnt_fixed: bool = False) -> float:
    """The fall of the value in a tiny step down the gradient, as a share of the fall for the value's own gradient.

    1 for the value's own gradient, less or even below 0 if a changing quantity is treated as constant; NaN without a gradient.
    """
    promised = float((response.tangent**2).sum())
    if not learnt_fixed:
        promised += sum(float(gradient.square().sum()) for gradient in response.gradients.learnt.values())
    longest = mean_length(np.linalg.norm(response.tangent, axis=1))
    if not longest:
        return math.nan
    rate = TINY / longest
    after = response.after_step(rate, 0.0 if learnt_fixed else rate)
    return (response.value - after.value) / (rate * promised)


def _distances(points: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean distances (T+1,) of positive and of negative pairs."""
    i, j = np.triu_indices(len(y), 1)
    same = y[i] == y[j]
    d = np.array([torch.pdist(rows).numpy() for rows in torch.from_numpy(points)])
    within, between = (d[:, kind].mean(1) if kind.any() else np.full(len(d), np.nan) for kind in (same, ~same))
    return within, between


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


def _why(before: LossResponse, learnt_fixed: bool) -> str:
    """Why the value rises in a step from ``before``, judged by a tiny step."""
    share = agreement_with_slope(before, learnt_fixed=learnt_fixed)
    cause = before.loss.held_constant.rstrip(".")
    if abs(share - 1) < DISAGREE:
        cause = "the step is too long here, or crosses a jump of the value"
    if not cause:
        cause = "the value has a jump or a corner near these points"
    return f"{cause[:1].upper()}{cause[1:]}. A tiny step {effect_of_step(share)}."


def effect_of_step(share: float) -> str:
    """What a tiny step down the gradient does to the value, which moves by a ``share`` of what the gradient promises."""
    if abs(share - 1) < DISAGREE:
        return f"lowers the value by {number(100 * share, '.3g')} % of what the gradient promises"
    if share < 0:
        return f"raises the value, by {number(-share, '.2g')} times what the gradient promises to lower it by"
    return f"lowers the value {number(share, '.2g')} times as much as the gradient promises"
