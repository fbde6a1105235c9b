"""Presets of the page of one's own loss: published losses and a wrong one, each with a sentence on what it shows."""

from collections.abc import Callable

import numpy as np

from dml_viz.analysis.around_triplet import ROLES
from dml_viz.explain.your_formula.controls import KEY, LOSS
from dml_viz.explain.your_formula.model import Model
from dml_viz.losses.formula import BEYOND
from dml_viz.room.room import Preset

CIRCLE = "softplus(lse_n(gamma const([s_n + m]_+) (s_n - m)) + lse_p(-gamma const([1 + m - s_p]_+) (s_p - 1 + m)))"
BEYOND_AT = -0.2  # a similarity beyond 90 degrees


def _preset(label: str, says: Callable[[Model], str], text: str, m: float = 0.25, gamma: float = 32.0) -> Preset:
    loss = {f"{LOSS}.{name}": value for name, value in (("text", text), ("m", m), ("gamma", gamma))}
    return Preset.of_scene(KEY, label, says, "overlapping", loss, **dict(zip(ROLES, (3, 4, 7), strict=True)))


def _beyond(model: Model) -> str:
    used, circle = (float(np.interp(BEYOND_AT, cut.s_n, cut.used)) for cut in (model.cut, model.circle_loss_cut))
    last = -model.formula.m  # where the weight [s_n + m]_+ of the circle loss ends
    return (
        f"Circle pushes negatives even beyond 90°, down to sₙ = {last:.2f}: at sₙ = {BEYOND_AT} its dL/dsₙ is {circle:.3g}. With "
        f"[sₙ]₊² it is {used:.3g} there: the value is flat beyond 90°, so a negative that is there stays."
    )


def _same(model: Model) -> str:
    first, second, *_ = model.cosines_with_losses.items()
    return f"Its gradient has cosine {first[1]:.6f} with that of {first[0]}; the next is {second[0]} at {second[1]:.3f}."


def _wrong(model: Model) -> str:
    before, after = model.map_before_and_after
    return (
        f"s_p and s_n have changed places, so positives are pushed and negatives pulled. Following this gradient, mAP goes from "
        f"{before:.3f} to {after:.3f}: the loss falls, and retrieval is lost."
    )


BEYOND_90 = _preset("Nothing beyond 90 degrees", _beyond, BEYOND)
PRESETS = (
    BEYOND_90,
    _preset("Circle", _same, CIRCLE, 0.4, 80.0),
    _preset("Triplet", _same, "[d_p^2 - d_n^2 + m]_+", 0.2),
    _preset("Contrastive", _same, "y d^2 / 2 + (1 - y) [m - d]_+^2 / 2", 1.0),
    _preset("NT-Xent", _same, "log(1 + sum_n(exp(gamma (s_n - s_p))))", gamma=1 / 0.07),
    _preset("SupCon", _same, "lse_a(gamma s) - gamma mean_p(s_p)", gamma=10.0),
    _preset("The wrong sign", _wrong, "[s_p - s_n + m]_+"),
)
