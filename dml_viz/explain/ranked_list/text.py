"""The sentences and numbers of the Ranked List page that depend on its settings and its points."""

from __future__ import annotations

from collections.abc import Sequence

from dml_viz.explain.ranked_list.model import VARIANTS, Model
from dml_viz.plot.display import Display

TERMS = 2  # of a sum that are written out


def roles(model: Model, display: Display) -> str:
    """Who the query is."""
    return f"the query is {display.who[model.settings.query]}."


def circles_mislead(model: Model) -> str:
    """How the two circles mislead."""
    return (
        "distances to the query are true, those between other points are not."
        if model.settings.of_run
        else "it shows one query; every other point draws two circles of its own, and the loss is the mean over all."
    )


def variants(model: Model) -> list[str]:
    """The names of the three gradients, with the one that is chosen."""
    chosen = model.settings.loss.differentiated
    return [f"**{variant.capitalize()}**" + (" (chosen)" if variant == chosen else "") for variant in VARIANTS]


def variants_mislead(model: Model) -> str:
    """How the arrows of the three gradients mislead."""
    own = "These are of the query's own term, N times its part in the loss." if model.settings.arrows == "query" else ""
    return (
        "the three share one scale, on which the longest arrow always has the same length; "
        f"only the tangent part is drawn, as the net never receives the rest. {own}"
    )


def in_numbers(model: Model) -> str:
    """The query's own term with its numbers put in, and the mean of all."""
    one, loss, i = model.one, model.settings.loss, model.settings.query
    few, bound = int(one.too_far.sum()), loss.alpha - loss.margin
    pulls = [rf"({_signed(d, bound)})" for d in one.d[one.too_far][::-1][:TERMS].tolist()]
    pushed = zip(one.share[one.too_near].tolist(), one.d[one.too_near].tolist(), strict=True)
    pushes = [rf"{share:.3f}\,({loss.alpha:g}-{d:.3f})" for share, d in list(pushed)[:TERMS]]
    pull = rf"\tfrac1{{{few}}}\big[{_sum(pulls, few)}\big]" if few else "0"
    push = rf"{loss.lam:g}\,\big[{_sum(pushes, int(one.too_near.sum()))}\big]" if pushes else "0"
    term = float(model.pull[i] + loss.lam * model.push[i])
    return rf"L_{{{i}}}={pull}+{push}={term:.3f},\qquad L=\tfrac1{{{len(model.y)}}}\sum_i L_i={model.value:.3f}"


def _signed(d: float, bound: float) -> str:
    return f"{d:.3f}{'-' if bound >= 0 else '+'}{abs(bound):.3g}"


def _sum(terms: Sequence[str], count: int) -> str:
    return "+".join(terms) + (r"+\cdots" if count > len(terms) else "")
