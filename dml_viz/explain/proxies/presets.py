"""Presets that show two losses of proxies at their clearest or break them, each with the sentence that says what happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dml_viz.app.room import Preset
from dml_viz.embedding.scene import preset
from dml_viz.explain.proxies.model import Model
from dml_viz.explain.proxies.model_response import proxy_response
from dml_viz.explain.proxies.scenes import ARRIVED, FIRST, FOUR, KEY, TURNED, with_proxies

PLAIN: Mapping[str, Any] = {
    "subject": "scene", f"{KEY}.dim": 2, f"{KEY}.at": "", f"{KEY}.wrong_sign": False, f"{KEY}.truncated": False,
    "nca.scale": 1.0, "nca.smoothing": 0.0, "nca.positive_in_denominator": False, "anchor.alpha": 32.0, "anchor.delta": 0.1,
}  # fmt: skip


def _preset(label: str, says: Callable[[Model], str], scene: str, **settings: Any) -> Preset:
    names = {name.replace("__", "."): value for name, value in settings.items()}
    return Preset(label, {**PLAIN, f"{KEY}.scene": scene, **names}, says)


def _at_means(scene: str) -> str:
    return with_proxies(preset(scene), "class means").write()


def _never_fades(model: Model) -> str:
    nca, anchor = model.nca, model.anchor
    return (
        f"Every sample has arrived, its mean cosine to its own star is {nca.own_cosine:.3f}. Proxy-NCA still pulls each of them "
        f"with 2σ²/N = {nca.most[0]:.3g}, which is {nca.pull:.0%} of all it has, here as anywhere. Proxy-Anchor's pulls together "
        f"are {-anchor.weights[anchor.own].sum():.2g} of the {anchor.strength:g} there can be: it has let go."
    )


def _kept_in(model: Model) -> str:
    return (
        f"With the positive in the denominator Proxy-NCA is a softmax over all stars, and a sample's pull is what its own star "
        f"lacks of it: all pulls together are {model.nca.pull:.1%} of the most, and the loss, {model.nca.value:.2g}, ends at 0."
    )


def _sign_error(model: Model) -> str:
    nca = model.nca
    right = proxy_response(nca.loss, nca.inputs.z, nca.inputs.y, -nca.proxies)
    apart = np.abs(nca.tangent - right.tangent).max()
    return (
        f"The sign of every distance is turned round, and nothing is lost: the stars stand opposite their classes (mean cosine "
        f"{nca.own_cosine:.2f}), and the gradients at the samples differ from those of the right sign, with stars at the means, "
        f"by at most {apart:.1g}. It shows only if you draw it."
    )


def _too_few(model: Model) -> str:
    without = model.rows.numpy() >= model.covered
    pushed = int((model.anchor.weights[without] > 0).any(1).sum())
    return (
        f"{model.covered} proxies for {len(model.proxies)} classes: the {without.sum()} samples of the others have no target, "
        f"and {model.nca.idle} of {len(model.y)} have exactly no gradient under Proxy-NCA. Proxy-Anchor pulls them "
        f"nowhere either; it pushes {pushed} of them off the stars there are."
    )


def _hardest(model: Model) -> str:
    shares = -model.anchor.weights[:, 0] / model.anchor.most[0]
    hardest = int(shares.argmax())
    others = np.delete(shares[model.anchor.own[:, 0]], 0 if not model.anchor.own[0, 0] else hardest)
    even = -model.nca.weights[model.nca.own[:, 0], 0] / model.nca.most[0]
    return (
        f"With α = {model.settings.anchor.alpha:g} one sample, #{hardest}, has {shares[hardest]:.1%} of its star's pull, and the "
        f"{len(others)} others of its class at most {others.max():.1g}: were its label wrong, the star would follow that label "
        f"alone. Proxy-NCA pulls all {len(even)} alike, {even.min():.0%} of the most each."
    )


def _no_floor(model: Model) -> str:
    nca = model.nca
    return (
        f"Proxy-NCA is {nca.value:.1f}, and nothing keeps it from falling: without the positive in its denominator it is no "
        f"cross-entropy. Nothing here is left to learn, yet the pulls are {nca.pull:.0%} of the most."
    )


def _overflow(model: Model) -> str:
    anchor, loss = model.anchor, model.settings.anchor
    leaf = anchor.inputs.z.float().requires_grad_()
    s = leaf @ anchor.proxies.float().T
    own = torch.from_numpy(anchor.own)
    value = _plain(-loss.alpha * (s - loss.delta), own) + _plain(loss.alpha * (s + loss.delta), ~own)
    slopes = torch.autograd.grad(value, leaf)[0]
    largest = loss.alpha * (anchor.s[~anchor.own].max() + loss.delta)
    return (
        f"The largest exponent is α(s + δ) = {largest:.1f}, and float32 ends at 88.7: written with plain exponentials the loss "
        f"is {float(value.detach()):g} and {int(slopes.isnan().any(1).sum())} of {len(s)} samples get NaN for a gradient. From a "
        f"log-sum-exp, as here, it is {anchor.value:.1f}."
    )


def _plain(exponents: Tensor, counted: Tensor) -> Tensor:
    return (1 + torch.where(counted, exponents.exp(), 0).sum(0)).log().mean()


def _other_classes(model: Model) -> str:
    others = model.nca.weights[~model.nca.own]
    return (
        f"With ε = {model.settings.nca.smoothing:g} of the target on strangers, {(others < 0).sum()} of {len(others)} pairs of "
        f"a sample and another class's star pull instead of pushing: a star that is far enough off is to come nearer."
    )


def _collapse(model: Model) -> str:
    longest = max(np.linalg.norm(response.tangent, axis=1).max() for response in (model.nca, model.anchor))
    return (
        f"Samples and stars are all one point. Proxy-NCA is log(C − 1) = {model.nca.value:.3f}, Proxy-Anchor "
        f"{model.anchor.value:.1f}, and the longest gradient of either is {longest:.1g}: there is no direction to part in. "
        "Put the stars elsewhere to begin."
    )


LESSON = _preset("Proxy-NCA's pull never fades, Proxy-Anchor's does", _never_fades, ARRIVED)
PRESETS = (
    LESSON,
    _preset("Positive kept", _kept_in, ARRIVED, nca__scale=3.0, nca__positive_in_denominator=True),
    _preset("Sign error", _sign_error, TURNED, proxies__wrong_sign=True),
    _preset("Too few proxies", _too_few, FOUR, proxies__truncated=True),
    _preset("Only the hardest", _hardest, FIRST, anchor__alpha=64.0),
    _preset("No floor", _no_floor, ARRIVED, nca__scale=8.0),
    _preset(
        "NaN territory", _overflow, "one hard negative", proxies__at=_at_means("one hard negative"), anchor__alpha=64.0,
        anchor__delta=0.5,
    ),
    _preset("Smoothing", _other_classes, ARRIVED, nca__scale=3.0, nca__smoothing=0.3),
    _preset("Collapse", _collapse, "collapsed", proxies__at=_at_means("collapsed")),
)  # fmt: skip
