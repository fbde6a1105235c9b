"""The sentences and numbers of the Ranked List page that depend on its settings and its points."""

import math
from collections.abc import Sequence

import numpy as np

from dml_viz.embedding.sphere import ratio_and_cosine
from dml_viz.explain.ranked_list.model import VARIANTS, Model, balls
from dml_viz.plot.canvas import counted, number
from dml_viz.room.words import FirstFigure, Formulas

TERMS = 2  # terms of a sum that are written out


def gradient_names(model: Model) -> list[str]:
    """The names of the three gradients, with a word at the chosen one."""
    variant_in_use = model.settings.loss.differentiated
    return [f"**{variant.capitalize()}**" + (" (chosen)" if variant == variant_in_use else "") for variant in VARIANTS]


def formula_in_numbers(model: Model) -> str:
    """The query's own term with its numbers, and the mean of all terms."""
    ranking, loss, i = model.ranking, model.settings.loss, model.settings.query
    few, bound = int(ranking.too_far.sum()), loss.alpha - loss.margin
    minus = f"{'-' if bound >= 0 else '+'}{abs(bound):.3g}"
    pulls = [f"({d:.3f}{minus})" for d in ranking.d[ranking.too_far][::-1][:TERMS].tolist()]
    pushed = zip(ranking.share[ranking.too_near].tolist(), ranking.d[ranking.too_near].tolist(), strict=True)
    pushes = [rf"{share:.3f}\,({loss.alpha:g}-{d:.3f})" for share, d in list(pushed)[:TERMS]]
    pull = rf"\tfrac1{{{few}}}\big[{_sum(pulls, few)}\big]" if few else "0"
    push = rf"{loss.lam:g}\,\big[{_sum(pushes, int(ranking.too_near.sum()))}\big]" if pushes else "0"
    term = float(model.query_terms[i])
    return rf"L_{{{i}}}={pull}+{push}={term:.3f},\qquad L=\tfrac1{{{len(model.y)}}}\sum_i L_i={model.value:.3f}"


def algorithm_steps(model: Model) -> str:
    """The five steps of the algorithm as a list in Markdown, with the query's numbers."""
    ranking, loss, i = model.ranking, model.settings.loss, model.settings.query
    far, near, bound = int(ranking.too_far.sum()), int(ranking.too_near.sum()), loss.alpha - loss.margin
    largest = float(ranking.share.max(initial=0))
    pulls, pushes = float(model.mean_positive_loss[i]), float(model.mean_negative_loss[i])
    steps = (
        f"**Rank** the {counted(len(ranking.d), 'other point')} by distance to query #{i}: "
        f"{float(ranking.d[0]):.3f} to {float(ranking.d[-1]):.3f}, {int(ranking.relevant.sum())} of them positives.",
        f"**Mine** the {counted(far, 'positive')} beyond α − m = {number(bound)} and "
        f"the {counted(near, 'negative')} within α = {loss.alpha:g}.",
        "**Weight** mined positives alike"
        + (f" ({1 / far:.3f} each)" if far else "")
        + f", negatives by exp(T(α − d)) with T = {loss.temperature:g}"
        + (f": the largest share is {largest:.3f}." if near else "."),
        f"**Sum** what they cost: {pulls:.3f} + λ · {pushes:.3f}, with λ = {loss.lam:g}, is {float(model.query_terms[i]):.3f}. "
        f"The loss is the mean over all queries, {model.value:.3f}.",
        f"**Move**: the gradient at the query has length {float(np.linalg.norm(model.response.tangent[i])):.3g} along the "
        "sphere.",
    )
    return "\n".join(f"{place}. {step}" for place, step in enumerate(steps, 1))


def _sum(terms: Sequence[str], count: int) -> str:
    return "+".join(terms) + (r"+\cdots" if count > len(terms) else "")


def pitfall_sentences(model: Model) -> dict[str, str]:
    """Sentences on the page's points, by the name of the pitfall that they illustrate."""
    loss, size = model.settings.loss, len(model.y)
    wide = int(balls(model.z, model.y, 2 * (loss.alpha - loss.margin)).outside.sum())
    query, *others = model.arrows_of_loss.values()
    both, everything = (ratio_and_cosine(other, query) for other in others)
    d = model.d[model.settings.query, model.y[model.settings.query] != model.y]
    mined, of_squares = int((d < loss.alpha).sum()), int((d**2 < loss.alpha).sum())
    return {
        "ranked_list.diameter": f"{int(model.balls.outside.sum())} of {size} are outside their class's ball of that diameter, "
        f"{wide} outside one of that radius, while {int(model.too_far.sum()) // 2} of {int(model.positive.sum()) // 2} positive "
        "pairs cost something",
        "ranked_list.ends": "the gradient is 0 each time"
        if math.isnan(both[0])
        else f"{both[0]:.2f} times, cosine {both[1]:.3f}; {everything[0]:.2f} times, cosine {everything[1]:.3f}",
        "ranked_list.mean": f"the sum is N = {size} times the mean, and {int((model.query_terms == 0).sum())} of the {size} "
        "queries cost nothing",
        "ranked_list.unsquared": f"α = {loss.alpha:g} on d mines {mined} of the query's {len(d)} negatives, on d² it would "
        f"mine {of_squares}",
    }


FIRST = FirstFigure(
    "Two circles decide which points the query mines",
    "the ringed points: positives outside the inner circle and negatives inside the outer one. Only their distances count in the "
    "query's cost. In the shaded shell those of both kinds do: positives are pulled in, negatives pushed out.",
    "it shows one query. Every other point draws two circles of its own, and the loss is the mean over all queries. Distances "
    "between two other points may be distorted.",
    (
        Formulas(
            lambda model, _: [model.settings.loss.variant_formula, formula_in_numbers(model)],
            lambda model: (
                "The second line has the query's own term first, then the loss of the batch: the mean over all "
                f"queries. {model.settings.loss.variant_text}"
            ),
        ),
    ),
    lambda model, display: f"the query is {display.who[model.settings.query]}.",
)
