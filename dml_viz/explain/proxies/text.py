"""The sentences of the Proxies page on its first figures."""

from dml_viz.explain.proxies.formulas import anchor_terms_of_proxy, nca_term_of_sample
from dml_viz.explain.proxies.model import SHARE, Model, Settings
from dml_viz.plot.canvas import counted
from dml_viz.room.words import FirstFigure, Formulas


def origin_of_proxies(model: Model) -> str:
    """Where the proxies come from, and how many the losses have where these are not all that are drawn."""
    if not model.settings.truncated:
        return model.settings.note
    few = model.proxy_class_count
    known = "that of the first class" if few == 1 else f"those of the first {few} classes"
    return f"{model.settings.note} The losses have {known} alone; the left picture draws all."


def mistakes_in_words(settings: Settings) -> tuple[str, ...]:
    """The mistakes to try that are made in the losses."""
    made = {"Proxy-NCA with the sign error": settings.wrong_sign, f"proxies for {SHARE:g} C classes": settings.truncated}
    return tuple(words for words, is_made in made.items() if is_made)


def look_for_widths(model: Model) -> str:
    """What to look for among Proxy-NCA's edges, in the chosen form."""
    if model.proxy_class_count < 2:
        return "edges that are missing: a softmax over a single proxy pulls nothing."
    if model.settings.wrong_sign and not model.settings.nca.positive_in_denominator and not model.settings.nca.smoothing:
        return "orange edges of one width: with the sign error, a sample's own proxy pushes it and the others pull it."
    if model.settings.wrong_sign or model.settings.nca.smoothing:
        same, weights = model.nca.same_class, model.nca.weights
        why = (
            "the sign error turns pulls into pushes" if model.settings.wrong_sign else "smoothing makes others part of the target"
        )
        return (
            f"the signs, since {why}: {int((weights[same] < 0).sum())} of {int(same.sum())} edges to a sample's own proxy are "
            f"pulls, in blue, and {int((weights[~same] < 0).sum())} of {int((~same).sum())} edges to others."
        )
    if model.settings.nca.positive_in_denominator:
        return "blue edges that get thin where the own proxy is the nearest."
    if still := model.nca.count_without_gradient:
        without = counted(still, "other sample has", "other samples have")
        return f"blue edges of one width: every sample with a proxy of its class is pulled equally hard; {without} no edge."
    return "blue edges of one width: every sample is pulled equally hard, near its proxy or far."


def views_mislead(model: Model) -> str:
    """How the two views mislead."""
    nca, anchor = model.nca.pull_and_push_bounds[0], model.anchor.pull_and_push_bounds[0]
    return (
        f"widths and arrows are shares of the largest pull that each loss can give to a pair: {nca:.3g} for Proxy-NCA, "
        f"{anchor:.3g} for Proxy-Anchor. So compare how pulls fade, not how strong they are. A pull along the radius moves no "
        "sample."
    )


SECOND = (
    "Proxy-Anchor: a softmax over samples",
    "the widest edges: a proxy pulls its hardest positive and pushes its hardest negative.",
)
FIRST = FirstFigure(
    "Proxy-NCA: a softmax over proxies",
    look_for_widths,
    views_mislead,
    (
        Formulas(
            lambda model, display: [model.settings.nca.variant_formula, nca_term_of_sample(model, display)],
            lambda model: model.settings.nca.variant_text,
        ),
        Formulas(
            lambda model, display: [model.settings.anchor.variant_formula, anchor_terms_of_proxy(model, display)],
            lambda model: model.settings.anchor.variant_text,
        ),
    ),
    lambda model, _: origin_of_proxies(model),
    "{size} samples in {dim} dimensions.",
)
