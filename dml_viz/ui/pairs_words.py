"""What the sections of the page of pairs claim, what to look for in their figures, and how these mislead."""

from __future__ import annotations

from typing import NamedTuple

from dml_viz.pairs_anatomy.look import Look


class Words(NamedTuple):
    """The words of one section, as `section` takes them."""

    claim: str
    look_for: str
    misleads: str


def edges(title: str) -> Words:
    """Of the points with their pairs."""
    return Words(
        f"{title} acts through the pairs it touches",
        "pairs without an edge: they teach nothing. A dashed edge asks the opposite of its kind: a positive pushed apart, or a "
        "negative pulled together.",
        "the widest edge and the longest arrow always have the same size, so a batch that is nearly done looks as busy as a new "
        "one: read their numbers. Weights below a thousandth of the largest have no edge.",
    )


def words(look: Look) -> dict[str, Words]:
    """Of the other sections, by the figure of `View` that they show."""
    count, title = look.count, type(look.loss).title
    return {
        "weights": Words(
            "How hard each pair is pulled or pushed, by its similarity",
            "pairs on the line, which have no gradient, and pairs of one similarity at several heights: there a pair's weight "
            "hangs on other pairs too.",
            "heights compare within one loss, not between two; and a pair is a mark once, its two orders added up.",
        ),
        "plane": Words(
            "One triplet is a point in a plane, and the gradient drives it down and to the right",
            "the region without arrows: a triplet that has come there teaches nothing any more. Open rings are triplets of the "
            "anchor without a gradient, left out by the mining or satisfied.",
            f"{look.plane.told} In the batch other points share in a weight, which can move a boundary; long arrows are cut to "
            "the size of their place.",
        ),
        "cut": Words(
            "What is printed need not be what the gradient descends",
            "stretches in colour: there the step that training takes raises the printed value. Only losses that hold something "
            "constant have any.",
            "it is one line through the plane, at this triplet's s_p; and where the value has a kink, its slope is that of one "
            "side.",
        ),
        "shares": Words(
            f"{title} gives {count.touched_pairs:,} of {count.pairs:,} pairs a gradient, and {count.touched_triplets:,} of "
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
