"""The formula of a loss of pairs, with the numbers of the triplet on show in it."""

from __future__ import annotations

import re

from dml_viz.explain.pairs.model import Model
from dml_viz.explain.pairs.model_triplets import distances
from dml_viz.losses import Loss
from dml_viz.losses.triplet import Triplet
from dml_viz.params import params


def in_numbers(model: Model) -> tuple[str, str]:
    """The triplet, with its hinge where the loss has one; its weights in the batch, the value and the knobs."""
    loss, a, p, n = model.settings.loss, model.settings.anchor, model.settings.positive, model.settings.negative
    triplet, weights = [], []
    if model.complete:
        triplet += [rf"s_{{ap}}={model.s_p:.3f}", rf"s_{{an}}={model.s_n:.3f}"]
        weights += [rf"w_{{ap}}={_number(model.w_p)}", rf"w_{{an}}={_number(model.w_n)}"]
        if isinstance(loss, Triplet):
            d = distances(loss, model.embeddings)
            terms = f"{d[a, p]:.3f}-{d[a, n]:.3f}+{loss.margin:g}"
            skipped = rf"\ \text{{(skipped by {loss.mining} mining)}}" if model.skipped else ""
            triplet.append(rf"[{terms}]_+={max(d[a, p] - d[a, n] + loss.margin, 0):.3f}{skipped}")
    knobs = [
        rf"{knob.symbol}={getattr(loss, knob.name):g}"
        for knob in params(loss)
        if knob.symbol and knob.kind in (int, float)
    ]
    value = rf"L={_number(model.response.value)}"
    return r",\quad ".join([*triplet, *weights]), r",\quad ".join([value, *knobs])


def remark(model: Model) -> str:
    """For a triplet that the mining leaves out, why, and where the weights of its pairs come from."""
    if not isinstance(model.settings.loss, Triplet) or not model.skipped:
        return ""
    own = (
        "What weight its pairs have comes from other triplets."
        if model.w_p or model.w_n
        else "Its pairs have no weight."
    )
    return f"{model.settings.loss.mining.capitalize()} mining skips this triplet: {model.skipped}. {own}"


def formula(loss: Loss) -> str:
    """The formula of ``loss`` in LaTeX, a triplet's with the distance that it compares."""
    if isinstance(loss, Triplet) and loss.squared:
        return re.sub(r"d_\{(\w+)\}", r"d_{\1}^2", loss.formula)
    return type(loss).formula


def _number(value: float) -> str:
    """Three digits, as LaTeX writes them."""
    digits, e, power = f"{value:.3g}".partition("e")
    return rf"{digits}\cdot 10^{{{int(power)}}}" if e else digits
