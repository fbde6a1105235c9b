"""The knobs of a form in a search: where it starts, and how far it goes."""

import numpy as np
from scipy.stats import qmc

from dml_viz.explain.name_that_loss.model_forms import Form
from dml_viz.params import Param

STARTS = 12  # starting values between the ends of the sliders


def values_by_knob(form: Form, values: np.ndarray) -> dict[str, float]:
    """The ``values`` of the form's knobs by name."""
    return {knob.name: float(value) for knob, value in zip(form.knobs, values, strict=True)}


def starts(form: Form) -> list[np.ndarray]:
    """Starting values: the defaults, those of training, and others spread over the sliders."""
    if not form.knobs:
        return [np.zeros(0)]
    defaults = [np.array([float(knob.default) for knob in form.knobs])]
    if any(knob.training is not None for knob in form.knobs):
        defaults.append(np.array([float(knob.default if knob.training is None else knob.training) for knob in form.knobs]))
    low, high = np.array([knob.slider or (knob.default, knob.default) for knob in form.knobs], float).T
    whole = np.array([knob.kind is int for knob in form.knobs])
    if whole.any():  # such as a number of proxies, which allows only some values
        defaults.append(np.where(whole, low, defaults[0]))
    spread = qmc.Halton(len(form.knobs), scramble=False).random(STARTS + 1)[1:]
    return [*defaults, *(low + spread * (high - low))]


def bounds(knob: Param) -> tuple[float, float]:
    """The bounds of a knob in fits: its domain, cut to ten times its slider."""
    domain, (low, high) = knob.domain, knob.slider or (knob.default, knob.default)
    wide = 10 * max(abs(low), abs(high), 1e-3)
    edge = 1e-6 * wide
    return max(domain.low + edge * domain.open_low, -wide), min(domain.high - edge * domain.open_high, wide)
