"""The sentences of the Proxies page that depend on its settings, on weights, or on the outcome of a gradient flow."""

from __future__ import annotations

import numpy as np

from dml_viz.explain.proxies.model import Model
from dml_viz.explain.proxies.model_flow import Outcome
from dml_viz.losses.soft_triple import SoftTriple
from dml_viz.plot.numbers import number

STOPPED = 0.05  # of the most: a smaller pull has let go
WHY = {
    "pushes": ", and pushes off other stars hold against them",
    "radius": ", but along the radius, which moves nobody",
    "": ", and samples are still on the way",
}


def widths(model: Model) -> str:
    """What to look for among Proxy-NCA's edges."""
    if model.settings.wrong_sign:
        return "orange edges of one width: with the sign turned round own stars push, and strangers' pull."
    if _positive_kept(model):
        return "blue edges that thin out where the own star is the nearest: the positive is kept in the denominator."
    if model.settings.edges in ("picked", "sample"):
        return "the blue edge: as wide whichever sample you pick, near its star or far."
    return "blue edges of one width: near its star or far, every sample is pulled alike."


def views_mislead(model: Model) -> str:
    """How the two views mislead."""
    return (
        "widths and arrows are shares of the most that each loss can give a pair, which is "
        f"{model.nca.most[0]:.3g} for Proxy-NCA and {model.anchor.most[0]:.3g} for Proxy-Anchor: compare fading, "
        "not force. Edges are bent so that neighbours' can be seen, and a pull along the radius moves nobody."
    )


def heading_of_curves(model: Model) -> str:
    """The claim about whose pull fades as the similarity grows."""
    does = "does so too, with the positive kept" if _positive_kept(model) else "never does"
    return f"Proxy-Anchor's pull fades as the similarity grows; Proxy-NCA's {does}"


def curves(model: Model) -> str:
    """What to look for in the curves of the pulls."""
    nca = (
        "the solid curve on the left: with the positive kept it falls once the own star is the nearest."
        if _positive_kept(model)
        else "the flat line on the left: Proxy-NCA's pull does not depend on the similarity."
    )
    return (
        f"{nca} Proxy-Anchor's is a softmax over the samples of a star: given to the hardest, and "
        "taken back once all are nearer than δ asks for."
    )


def heading_of_flows(model: Model) -> str:
    """The claim about each pull from the first step of its flow to the last."""
    nca, anchor = (_change(model.flows[name].outcome) for name in ("nca", "anchor"))
    return f"Set free, Proxy-Anchor's pull {anchor}; Proxy-NCA's {nca}"


def flows(model: Model) -> str:
    """What to look for in the pulls along the steps, and why they go there."""
    return f"the blue lines on the right. {_anchor_flow(model)} {_nca_flow(model)}"


def sums(model: Model) -> str:
    """What to look for in the tables."""
    angle = "; ArcFace's margin breaks this, as it is added to an angle" if _variant(model) == "ArcFace" else ""
    return (
        f"the bars at the right: in a softmax over stars what one gets another loses, and rows sum to 0{angle}. Proxy-Anchor "
        "divides among the samples of a star, and neither its rows nor its columns need sum to 0."
    )


def tables_mislead(model: Model) -> str:
    """How the tables mislead."""
    nca, anchor = (number(model.correlations[name], ".2f", "nothing, being flat,") for name in ("nca", "anchor"))
    return (
        "colours end at the most that each loss can give a pair, so equal colours are not equal weights. With "
        f"{_variant(model)}'s table Proxy-NCA's correlates by {nca}, Proxy-Anchor's by {anchor}; most of that "
        "is in the signs, as all pull their own and push the rest."
    )


def variant_misleads(model: Model) -> str:
    """How the variant's figures mislead."""
    if isinstance(model.settings.variant, SoftTriple):
        return (
            "SoftTriple's regulariser, which draws the centres of a class together, weighs on no sample and is neither in "
            "the edges nor in the arrows."
        )
    return "at a scale of 30 few samples hover between pulled and left alone, and a small scene may show none of them."


def _positive_kept(model: Model) -> bool:
    return model.settings.nca.positive_in_denominator


def _variant(model: Model) -> str:
    return model.settings.variant.name


def _anchor_flow(model: Model) -> str:
    outcome, steps = model.flows["anchor"].outcome, model.settings.steps
    first, last = outcome.pull
    if last <= STOPPED:
        return f"Proxy-Anchor {'has let go from the start' if first <= STOPPED else 'lets go'}{_cosine(outcome)}."
    if not outcome.pulling:
        return f"Proxy-Anchor has not let go of all after {steps} steps{_cosine(outcome)}."
    proxies = f"{outcome.pulling} of {outcome.proxies} star{'s' * (outcome.proxies != 1)}"
    return (
        f"After {steps} steps {proxies} of Proxy-Anchor still pull{'s' * (outcome.pulling == 1)} with more than half of the "
        f"most{WHY[outcome.stopped_by]}{_cosine(outcome)}."
    )


def _nca_flow(model: Model) -> str:
    outcome = model.flows["nca"].outcome
    if _positive_kept(model):
        text = f"With the positive kept Proxy-NCA's {_change(outcome)}{_cosine(outcome)}."
    else:
        text = f"Proxy-NCA's is the same at every step, as its positive is not in the denominator{_cosine(outcome)}."
    return f"{text} With the sign error its stars make for the far side." if model.settings.wrong_sign else text


def _change(outcome: Outcome) -> str:
    first, last = (f"{share:.0%}".replace("-0%", "0%").replace("-", "−") for share in outcome.pull)
    if first == last:
        return f"stays at {last}"
    return f"{'rises' if outcome.pull[1] > outcome.pull[0] else 'falls'} from {first} to {last}"


def _cosine(outcome: Outcome) -> str:
    if np.isnan(outcome.cosine).any():
        return ""
    first, last = (f"{cosine:.2f}".replace("-0.00", "0.00").replace("-", "−") for cosine in outcome.cosine)
    return f" (mean cosine {first} to {last})" if first != last else f" (mean cosine {last})"
