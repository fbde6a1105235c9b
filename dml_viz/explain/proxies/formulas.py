"""The formulas of both losses with the numbers of one sample and of one proxy, as LaTeX."""

from collections.abc import Sequence

import numpy as np
import torch

from dml_viz.explain.proxies.figures._edges import class_names
from dml_viz.explain.proxies.model import Model
from dml_viz.losses import Pairs
from dml_viz.plot.canvas import Display, escaped_for_tex, tex

TERMS, LETTERS = 3, 20  # terms of a sum that are written out, and letters of a name


def nca_term_of_sample(model: Model, display: Display) -> str:
    """Proxy-NCA's term of the sample with its numbers, and the weight of its class's proxy, as LaTeX."""
    response, own_proxy, i = model.nca, model.own_proxy, model.settings.sample
    if own_proxy < 0 or len(response.owners) == 1:
        return rf"\ell_{{{i}}} = 0\quad\text{{(no proxy of its class, or no other proxy)}}"
    loss, name = model.settings.nca, _named(display, model.classes[[own_proxy]])
    # With the wrong sign the code has distances in place of negative distances.
    away, sign = (-1, "") if response.wrong_sign else (1, "-")
    taken, exponents = (loss.scale**2 * (2 - 2 * factor * response.cosine_similarities[i]) for factor in (away, 1))
    z, y = response.inputs.z[[i]], response.inputs.y[[i]]
    value = float(loss.value_and_weights(Pairs(z, y, away * response.proxies, torch.from_numpy(response.owners)))[0])
    if loss.smoothing:
        others = loss.smoothing / max(len(taken) - 1, 1)
        target = (1 - loss.smoothing - others) * taken[own_proxy] + others * taken.sum()
        term = rf"\sum_z t_z D_z + \log\sum_{{Z}} e^{{-D_z}} = {target:.2f} + ({value - target:.2f})"
    else:
        counted = [p for p in range(len(taken)) if p != own_proxy or loss.positive_in_denominator]
        terms = _sum([f"e^{{{sign}{exponents[p]:.2f}}}" for p in sorted(counted, key=lambda p: taken[p])])
        term = rf"-\log\frac{{e^{{{sign}{exponents[own_proxy]:.2f}}}}}{{{terms}}}"
    weight = response.weights[i, own_proxy]
    share = tex(-100 * weight / response.pull_and_push_bounds[0])
    return _rows(
        rf"\ell_{{{i}}} = {term} = {value:.3f}",
        rf"w_{{{i},{name}}} = {tex(weight)} = {share}\,\%\ \text{{of}}\ \tfrac{{2\sigma^2}}{{N}}",
    )


def anchor_terms_of_proxy(model: Model, display: Display) -> str:
    """Proxy-Anchor's two terms of the proxy with their numbers, and the weight of the sample, as LaTeX."""
    response, p, i = model.anchor, model.proxy, model.settings.sample
    loss, members, name = model.settings.anchor, response.same_class[:, p], _named(display, model.classes[[p]])
    s = response.cosine_similarities[:, p]
    rows = []
    for kind, exponents in (("pull", -loss.alpha * (s[members] - loss.delta)), ("push", loss.alpha * (s[~members] + loss.delta))):
        terms = _sum([f"e^{{{exponent:.1f}}}" for exponent in sorted(exponents, reverse=True)])
        value = float(np.logaddexp.reduce(np.append(exponents, 0.0)))
        rows.append(rf"\text{{{kind} of {name}: }}\ \log(1+{terms}) = {value:.3f}")
    weight, side = response.weights[i, p], 0 if members[i] else 1
    factors = (r"\tfrac{\alpha}{|P^+|}", r"\tfrac{\alpha}{|P|}")[side]
    share = tex(100 * abs(weight) / response.pull_and_push_bounds[side])
    return _rows(*rows, rf"w_{{{i},{name}}} = {tex(weight)} = {share}\,\%\ \text{{of}}\ {factors}")


def _named(display: Display, label: np.ndarray) -> str:
    (name,) = class_names(display, label)
    return rf"\textit{{{escaped_for_tex(name if len(name) <= LETTERS else f'{name[:LETTERS]}…')}}}"


def _rows(*rows: str) -> str:
    return r"\begin{gathered}" + r"\\".join(rows) + r"\end{gathered}"


def _sum(terms: Sequence[str]) -> str:
    return "+".join(terms[:TERMS]) + (r"+\cdots" if len(terms) > TERMS else "") if terms else "0"
