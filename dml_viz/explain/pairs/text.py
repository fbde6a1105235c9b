"""The sentences of the page of pairs that depend on its losses and its points: claims, what to look for, what misleads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dml_viz.explain.pairs.model import ROLES, Model
from dml_viz.explain.pairs.model_beside import Losses
from dml_viz.losses.triplet import Triplet
from dml_viz.plot.display import Display


class Words(NamedTuple):
    """The words of one section, as `section` takes them."""

    claim: str
    look_for: str
    misleads: str


def roles(losses: Losses, display: Display) -> str:
    """Who plays which role."""
    pairs = zip(ROLES, losses.triplet, strict=True)
    return ", ".join(f"the {role} is {display.who[point]}" for role, point in pairs if point >= 0) + "."


def edges(title: str) -> Words:
    """The words of the points with their pairs."""
    return Words(
        f"{title} acts through the pairs it touches",
        "pairs without an edge: they teach nothing. A dashed edge asks the opposite of its kind: a positive pushed apart, or a "
        "negative pulled together.",
        "the widest edge and the longest arrow always have the same size, so a batch that is nearly done looks as busy as a new "
        "one: read their numbers. Weights below a thousandth of the largest have no edge.",
    )


def words(models: Sequence[Model]) -> dict[str, Words]:
    """The words of the other sections, by the figure that they show, of one loss or of two side by side."""
    model = models[0]
    count, title = model.count, type(model.settings.loss).title
    return {
        "weights": Words(
            "How hard each pair is pulled or pushed, by its similarity",
            "pairs on the line, which have no gradient, and pairs of one similarity at several heights: there a pair's weight "
            "hangs on other pairs too.",
            "heights compare within one loss, not between two; and a pair is a mark once, its two orders added up.",
        ),
        "plane": Words(
            "One triplet is a point in a plane, and the gradient drives it down and to the right",
            f"{_of_each(models, _arrows)} {_of_each(models, _rings)}",
            f"{_of_each(models, lambda model: model.plane.batch_in_words)} {_of_each(models, _in_the_batch)} Long arrows are cut "
            "to the size of their place.",
        ),
        "cut": _cut(models),
        "shares": Words(
            f"{title} gives {count.active_pairs:,} of {count.pairs:,} pairs a gradient, and {count.active_triplets:,} of "
            f"{count.triplets:,} triplets",
            "how much of each bar is filled; for triplet loss, what each mining leaves with a gradient.",
            "it counts, and does not weigh: one pair may have most of the gradient. Only exact hinges have weights of 0; of all "
            "others those below a thousandth of the largest are not counted.",
        ),
        "growth": Words(
            "Pairs grow with N², triplets with N³, and those that teach fall behind",
            "the gap between open and filled marks, which is wasted work, and how it widens as points join the batch.",
            "both axes are logarithmic, so a constant share is a constant gap; smaller batches are parts of this one, in one "
            "random order, and what a run trains on gets easier while it trains.",
        ),
    }


def _of_each(models: Sequence[Model], says: Callable[[Model], str]) -> str:
    """The sentence of every model: once where it is the same, else under the titles of their losses."""
    every = [says(model) for model in models]
    if len(set(every)) == 1:
        return every[0]
    return " ".join(f"*{type(model.settings.loss).title}*: {text}" for model, text in zip(models, every, strict=True))


def _arrows(model: Model) -> str:
    plane = model.plane
    if not plane.has_gradient.any():
        return "arrows in vain: at none of the places that were tried is there a gradient."
    if len(plane.still):
        return "the places without arrows: a triplet of the plane that has come there is left as it is."
    return (
        "arrows everywhere: nothing in the plane is ever left as it is, though what is asked may come close to nothing."
    )


def _rings(model: Model) -> str:
    if isinstance(model.settings.loss, Triplet):
        return "Open rings are triplets of the anchor without a gradient: left out by the mining, or satisfied."
    return "Open rings are triplets of the anchor neither of whose pairs is touched."


def _in_the_batch(model: Model) -> str:
    """In how far the plane holds for the batch on show."""
    still, moving = model.at_odds
    if still or moving:
        odds = [
            *([f"{still:,} have a gradient where the plane has none"] if still else []),
            *([f"{moving:,} have no gradient where the plane has one"] if moving else []),
        ]
        return (
            "In the batch on show other points have a say as well: of the anchor's "
            f"{model.around.with_gradient.size:,} triplets, {' and '.join(odds)}."
        )
    if isinstance(model.settings.loss, Triplet) and model.settings.loss.mining != "batch-hard":
        return "A hinge looks at these two similarities alone, so the lines hold in any batch."
    return "In a larger batch other points can have a say as well, and move the lines."


def _cut(models: Sequence[Model]) -> Words:
    """Of the cut; that printed value and gradient part is told where they do."""
    line = (
        "it is one line through the plane, at this triplet's sₚ; at a kink of the value its slope is that of one side."
    )
    if any(model.cut.rising.any() for model in models):
        return Words(
            "What is printed need not be what the gradient descends",
            "shaded stretches: there the step that training takes raises the printed value. Only a loss that holds something "
            "constant can have any.",
            line,
        )
    if not all(model.cut.follows for model in models):
        return Words(
            "The gradient in use is not the slope of the printed value",
            "the gap between the two lower curves: the loss holds something constant when it takes its gradient. Along this "
            "line both still go the same way.",
            line,
        )
    ends = all((model.cut.used == 0).any() for model in models)
    return Words(
        "Along one line of the plane: the value, and how hard the negative is pushed",
        "where the lower curve is 0: there this negative is not pushed."
        if ends
        else "how high the lower curve is: the higher, the harder this negative is pushed away.",
        line,
    )
