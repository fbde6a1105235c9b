"""Presets of the proxies page, each with a sentence on what it shows."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dml_viz.embedding.scene import preset
from dml_viz.explain.proxies.model import Model
from dml_viz.explain.proxies.model_bound import least_loss_and_pull
from dml_viz.explain.proxies.model_response import proxy_response
from dml_viz.explain.proxies.scenes import ARRIVED, FIRST, FOUR, KEY, TURNED, with_proxies
from dml_viz.room.room import Preset

HARD = "one hard negative"
ROUNDING = 1e-12  # a smaller difference of gradients is a rounding error
FLOAT32_ENDS = 88.722839  # the logarithm of the largest float32
PLAIN: Mapping[str, Any] = {
    "nca.scale": 1.0,
    "nca.smoothing": 0.0,
    "nca.positive_in_denominator": False,
    "anchor.alpha": 32.0,
    "anchor.delta": 0.1,
}


def _preset(label: str, says: Callable[[Model], str], scene: str, **settings: Any) -> Preset:
    names = {name.replace("__", "."): value for name, value in settings.items()}
    return Preset.of_scene(KEY, label, says, scene, {**PLAIN, **names}, wrong_sign=False, truncated=False)


def _at_means(scene: str) -> str:
    return with_proxies(preset(scene), "class means").write()


def _never_fades(model: Model) -> str:
    nca, anchor = model.nca, model.anchor
    return (
        f"Every sample has arrived: its mean cosine to its own proxy is {nca.mean_own_cosine:.3f}. Proxy-NCA still pulls each "
        f"with 2σ²/N = {nca.pull_and_push_bounds[0]:.3g}, {nca.pull_share:.0%} of its maximum. Proxy-Anchor's pulls add up to "
        f"{-anchor.weights[anchor.same_class].sum():.2g} of at most {anchor.total_weight_bound:g}."
    )


def _positive_kept(model: Model) -> str:
    return (
        "With the positive in the denominator, Proxy-NCA is a softmax over all proxies, and its pull fades. All pulls "
        f"together are {model.nca.pull_share:.1%} of their maximum, and the loss is {model.nca.value:.2g}."
    )


def _no_floor(model: Model) -> str:
    count = model.proxy_class_count
    _, floor, _ = least_loss_and_pull(count, np.array([model.settings.nca.scale]))[:, 0].tolist()
    return (
        f"Proxy-NCA is {model.nca.value:.1f}, below 0, as its denominator leaves the positive out. Its floor for {count} classes "
        f"is {floor:.1f}. Nothing is left to learn here, yet the pulls are {model.nca.pull_share:.0%} of their maximum."
    )


def _sign_error(model: Model) -> str:
    nca = model.nca
    right = proxy_response(nca.loss, nca.inputs.z, nca.inputs.y, -nca.proxies)
    apart = float(np.abs(nca.tangent - right.tangent).max())
    return (
        "With the wrong sign, proxies end opposite their classes, and nothing is lost. Here the mean cosine is "
        f"{nca.mean_own_cosine:.2f}. The gradients are those of the right sign with proxies at the class means: they differ by "
        f"at most {apart if apart > ROUNDING else 0:.1g}."
    )


def _too_few(model: Model) -> str:
    count = model.proxy_class_count
    without = model.own_proxy_indices.numpy() >= count
    return (
        f"{count} proxies for {len(model.proxies)} classes: the {without.sum()} samples of the other classes have no "
        f"proxy. Under Proxy-NCA {model.nca.count_without_gradient} of {len(model.y)} samples have no gradient. Proxy-Anchor "
        f"pushes {int((model.anchor.weights[without] > 0).any(1).sum())} of them away from the proxies of other classes, "
        f"{int(model.anchor.heavy[without].any(1).sum())} of these so hard that an edge is drawn."
    )


def _hardest(model: Model) -> str:
    shares = -model.anchor.weights[model.anchor.same_class[:, 0], 0] / model.anchor.pull_and_push_bounds[0]
    even = -model.nca.weights[model.nca.same_class[:, 0], 0] / model.nca.pull_and_push_bounds[0]
    first, second = np.sort(shares)[:-3:-1]
    return (
        f"With α = {model.settings.anchor.alpha:g} sample #{model.anchor.weights[:, 0].argmin()} has {first:.1%} of its proxy's "
        f"pull, and the others of its class at most {second:.1g}. If its label were wrong, the proxy would follow that label "
        f"alone. Proxy-NCA pulls all {len(even)} equally, with {even.min():.0%} of its maximum."
    )


def _overflow(model: Model) -> str:
    anchor, loss = model.anchor, model.settings.anchor
    s, own = anchor.cosine_similarities, anchor.same_class
    pulls, pushes = -loss.alpha * (s - loss.delta), loss.alpha * (s + loss.delta)
    # In the gradient even a term that is left out is NaN where its exponential is infinite, as it is multiplied by 0.
    lost = ((pulls > FLOAT32_ENDS) | (pushes > FLOAT32_ENDS)).any(1)
    plain = math.inf if (np.where(own, pulls, pushes) > FLOAT32_ENDS).any() else anchor.value
    return (
        f"The largest exponent is α(s + δ) = {pushes[~own].max():.1f}, and float32 ends at {FLOAT32_ENDS:.1f}. With plain "
        f"exponentials the loss is {plain:g}, and {int(lost.sum())} of {len(s)} samples get NaN for a gradient. With a "
        f"log-sum-exp, as here, the loss is {anchor.value:.1f}."
    )


def _other_classes(model: Model) -> str:
    others = model.nca.weights[~model.nca.same_class]
    return (
        f"Smoothing gives other classes ε = {model.settings.nca.smoothing:g} of the target. So {(others < 0).sum()} of "
        f"{len(others)} pairs of a sample and another class's proxy are pulled together."
    )


def _who_moves_whom(model: Model) -> str:
    nca, anchor, triplet = (model.influence[name].share_changed for name in ("nca", "anchor", "triplet"))
    return (
        f"One sample moves a little. Gradients of others that change: {nca:.0%} under Proxy-NCA, {triplet:.0%} under triplets, "
        f"{anchor:.0%} under Proxy-Anchor with α = {model.settings.anchor.alpha:g} and δ = {model.settings.anchor.delta:g}. "
        "The tables are below, in “Whose gradient changes when one sample moves”."
    )


def _collapse(model: Model) -> str:
    longest = max(np.linalg.norm(response.tangent, axis=1).max() for response in (model.nca, model.anchor))
    return (
        f"Samples and proxies are all one point. Proxy-NCA is log(C − 1) = {model.nca.value:.3f}, Proxy-Anchor "
        f"{model.anchor.value:.1f}. The longest gradient is {longest:.1g}, as no direction separates the classes. Place the "
        "proxies elsewhere to begin."
    )


LESSON = _preset("Proxy-NCA's pull never fades, Proxy-Anchor's does", _never_fades, ARRIVED)
PRESETS = (
    LESSON,
    _preset("Positive kept", _positive_kept, ARRIVED, nca__scale=3.0, nca__positive_in_denominator=True),
    _preset("Sign error", _sign_error, TURNED, proxies__wrong_sign=True),
    _preset("Too few proxies", _too_few, FOUR, proxies__truncated=True),
    _preset("Only the hardest", _hardest, FIRST, anchor__alpha=64.0),
    _preset("No floor", _no_floor, ARRIVED, nca__scale=8.0),
    _preset("NaN territory", _overflow, HARD, proxies__at=_at_means(HARD), anchor__alpha=64.0, anchor__delta=0.5),
    _preset("Smoothing", _other_classes, ARRIVED, nca__scale=3.0, nca__smoothing=0.3),
    _preset("Move one sample", _who_moves_whom, HARD, proxies__at=_at_means(HARD), anchor__alpha=4.0, anchor__delta=0.5),
    _preset("Collapse", _collapse, "collapsed", proxies__at=_at_means("collapsed")),
)
