"""The formulas of both losses with the numbers of one sample and of one star put in, as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from dml_viz.explain.proxies.figures._names import of_classes
from dml_viz.explain.proxies.model import Model
from dml_viz.losses import Pairs
from dml_viz.plot.display import Display

TERMS = 3  # of a sum that are written out


def of_sample(model: Model, display: Display) -> str:
    """Proxy-NCA's term of the sample, and the weight of its own proxy."""
    response, own, i = model.nca, model.own, model.settings.sample
    if own < 0:
        return rf"y_{{{i}}}\ \text{{has no proxy:}}\quad \ell_{{{i}}} = 0,\ \ w_{{{i}\cdot}} = 0"
    if len(response.owners) == 1:
        return r"\text{one proxy alone has nothing to be compared with:}\quad L = 0"
    loss, (name,) = model.settings.nca, of_classes(display, model.classes[[own]])
    away = -1 if response.wrong_sign else 1
    s = away * response.s[i]
    distances = loss.scale**2 * (2 - 2 * s)
    counted = [p for p in range(len(s)) if p != own or loss.positive_in_denominator]
    z, y = response.inputs.z[[i]], response.inputs.y[[i]]
    value = float(loss.weigh(Pairs(z, y, away * response.proxies, torch.from_numpy(response.owners)))[0])
    sign = "" if response.wrong_sign else "-"
    # With the sign turned round the code has distances where it should have their negatives.
    shown = loss.scale**2 * (2 - 2 * response.s[i])
    terms = _sum([f"e^{{{sign}{shown[p]:.2f}}}" for p in sorted(counted, key=lambda p: distances[p])])
    weight = response.weights[i, own]
    if loss.smoothing:
        others = loss.smoothing / max(len(s) - 1, 1)
        target = (1 - loss.smoothing - others) * distances[own] + others * distances.sum()
        sums = r"\sum_z t_z D_z + \log\sum_{Z} e^{-D_z}"
        first = rf"\ell_{{{i}}} = {sums} = {target:.2f} + ({value - target:.2f}) = {value:.3f}"
    else:
        first = rf"\ell_{{{i}}} = -\log\frac{{e^{{{sign}{shown[own]:.2f}}}}}{{{terms}}} = {value:.3f}"
    share = _percent(-weight / response.most[0])
    second = rf"w_{{{i},{name}}} = {_number(weight)} = {share}\ \text{{of}}\ \tfrac{{2\sigma^2}}{{N}}"
    return _rows(first, second)


def of_proxy(model: Model, display: Display) -> str:
    """Proxy-Anchor's two terms of the proxy, and the weight of the sample."""
    response, p, i = model.anchor, model.proxy, model.settings.sample
    loss, own, (name,) = model.settings.anchor, response.own[:, p], of_classes(display, model.classes[[p]])
    s = response.s[:, p]
    pulls, pushes = -loss.alpha * (s[own] - loss.delta), loss.alpha * (s[~own] + loss.delta)
    written = [
        rf"\log(1+{_sum([f'e^{{{exponent:.1f}}}' for exponent in sorted(some, reverse=True)])}) = {_log_one_and(some):.3f}"
        for some in (pulls, pushes)
    ]
    weight, kind = response.weights[i, p], 0 if own[i] else 1
    of = (r"\tfrac{\alpha}{|P^+|}", r"\tfrac{\alpha}{|P|}")[kind]
    pair = rf"w_{{{i},{name}}} = {_number(weight)} = {_percent(abs(weight) / response.most[kind])}\ \text{{of}}\ {of}"
    pull, push = (rf"\text{{{what} of {name}: }}\ {term}" for what, term in zip(("pull", "push"), written, strict=True))
    return _rows(pull, push, pair)


def _rows(*rows: str) -> str:
    return r"\begin{gathered}" + r"\\".join(rows) + r"\end{gathered}"


def _sum(terms: Sequence[str]) -> str:
    return "+".join(terms[:TERMS]) + (r"+\cdots" if len(terms) > TERMS else "") if terms else "0"


def _log_one_and(exponents: np.ndarray) -> float:
    return float(np.logaddexp.reduce(np.append(exponents, 0.0)))


def _percent(share: float) -> str:
    return rf"{_number(100 * share)}\,\%"


def _number(value: float) -> str:
    """A number with a power of ten as TeX has it."""
    lead, _, power = f"{value:.3g}".partition("e")
    return rf"{lead}\cdot 10^{{{int(power)}}}" if power else lead
