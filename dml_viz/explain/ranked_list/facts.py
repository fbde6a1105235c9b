"""What circulates about Ranked List, each beside what is measured: on a fixed example, and on the points at hand."""

from __future__ import annotations

import math
from collections.abc import Callable

from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.explain.ranked_list.model import Model, balls
from dml_viz.pitfalls import ERRATA

LOSS = "ranked_list"


def facts(model: Model) -> str:
    """The table, in Markdown."""
    about = {name: kind() for name, kind in ERRATA.items() if LOSS in kind.losses}
    rows = [
        f"| {erratum.circulates} | {erratum.told}{_on_these(HERE[name], model) if name in HERE else ''} |"
        for name, erratum in about.items()
    ]
    return "\n".join(["| In circulation | Here |", "|---|---|", *rows])


def _on_these(said: Callable[[Model], str], model: Model) -> str:
    return f" **On these points** {said(model)}."


def _diameter(model: Model) -> str:
    bound = model.settings.loss.alpha - model.settings.loss.margin
    wide = int(balls(model.z, model.y, 2 * bound).outside.sum())
    return (
        f"{int(model.balls.outside.sum())} of {len(model.y)} are outside their class's ball of that diameter, {wide} outside one "
        f"of that radius, while {int(model.too_far.sum()) // 2} of {int(model.positive.sum()) // 2} positive pairs cost something"
    )


def _ends(model: Model) -> str:
    query, *others = model.of_loss.values()
    both, everything = (ratio_and_cosine(other, query) for other in others)
    if math.isnan(both[0]):
        return "the gradient is 0 each time"
    return f"{both[0]:.2f} times, cosine {both[1]:.3f}; {everything[0]:.2f} times, cosine {everything[1]:.3f}"


def _mean(model: Model) -> str:
    free = int((model.pull + model.settings.loss.lam * model.push == 0).sum())
    return f"the sum is N = {len(model.y)} times the mean, and {free} of the {len(model.y)} queries cost nothing"


def _unsquared(model: Model) -> str:
    negative = model.y[model.settings.query] != model.y
    d = model.d[model.settings.query, negative]
    alpha = model.settings.loss.alpha
    plain, squared = int((d < alpha).sum()), int((d**2 < alpha).sum())
    return f"α = {alpha:g} on d mines {plain} of the query's {len(d)} negatives, on d² it would mine {squared}"


HERE: dict[str, Callable[[Model], str]] = {
    "ranked_list_diameter": _diameter,
    "ranked_list_ends": _ends,
    "ranked_list_mean": _mean,
    "ranked_list_unsquared": _unsquared,
}
