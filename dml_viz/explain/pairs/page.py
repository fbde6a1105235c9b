"""The article of the page Pairs, triplets, tuples: its sections, in their order."""

from dataclasses import replace

import streamlit as st

from dml_viz import pitfalls
from dml_viz.app import glossary
from dml_viz.app.article import Drawing, Expander, PitfallTable, Row, Section
from dml_viz.app.controls import PageControls
from dml_viz.app.explainer import Explainer
from dml_viz.explain.pairs import ROOM
from dml_viz.explain.pairs.model import AXES, COSINES, PAIRWISE, Losses
from dml_viz.explain.pairs.text import FIRST
from dml_viz.losses.triplet import Triplet
from dml_viz.room.markdown import with_breaks
from dml_viz.room.words import text_of

# For each section: what to look for, and how it misleads.
WORDS = {
    "weights": (
        "pairs on the line at 0, which have no gradient. At one similarity, different heights mean that a pair's weight depends "
        "on other pairs.",
        "heights compare pairs of one loss, not two losses. A pair is one mark, with its two orders added.",
    ),
    "plane": (
        "places without an arrow, where no triplet has a gradient. Open rings are triplets of the anchor without a gradient.",
        "the plane is of a small batch: sₚ is the similarity within a class, sₙ between classes. In a larger batch, other points "
        "can move its lines. It is blank where no unit vectors have these similarities. Long arrows are shortened.",
    ),
    "cut": (
        "where the lower curve is 0: there this negative is not pushed. A gap between the two lower curves: the loss holds "
        "something constant in its gradient. Shaded: a step raises the printed value.",
        "it is one line through the plane, at this triplet's sₚ. At a kink of the value its slope is that of one side.",
    ),
    "shares": (
        "how much of each bar is filled. For triplet loss: how many triplets each mining leaves with a gradient.",
        "counts are not weights: one pair may have most of the gradient. A weight below a thousandth of the largest counts as 0.",
    ),
    "growth": (
        "the gap between open and filled marks: pairs and triplets without a gradient.",
        "both axes are logarithmic, so a constant share is a constant gap. Smaller batches are random subsets of this one.",
    ),
}


def loss_title(losses: Losses, k: int = 0) -> str:
    """The title of the k-th loss of the page."""
    return type(losses.models[k].settings.loss).title


def claim(name: str, losses: Losses) -> str:
    """The claim of a section."""
    count = losses.first.counts
    return {
        "weights": "How hard each pair is pulled or pushed, by its similarity",
        "plane": "One triplet is a point in a plane, and arrows show where the gradient moves it",
        "cut": "Along one line of the plane: the printed value, and the gradient in use",
        "shares": f"{loss_title(losses)} gives a gradient to {count.active_pairs:,} of {count.pairs:,} pairs and "
        f"{count.active_triplets:,} of {count.triplets:,} triplets"
        + ("" if isinstance(losses.first.settings.loss, Triplet) else ", by one of their pairs"),
        "growth": "Pairs grow with N², triplets with N³; the loss decides how many have a gradient",
    }[name]


def weights_on_hover(drawing: Drawing) -> None:
    """Draw, behind a click, the pairs of a scene with every weight on hover."""
    if drawing.editor:
        # The browser computes no weights of losses that change rows first.
        transformed = drawing.model.first.response.has_transformed_rows
        with st.expander("The same pairs with every weight, on hover", expanded=transformed):
            drawing.figures(["edges-0"])


def section_of_each_loss(name: str, losses: Losses) -> Section:
    """A section with one figure for each loss."""
    places = range(len(losses.models))
    return Section(
        claim(name, losses),
        *(f"{name}-{k}" for k in places),
        look_for=WORDS[name][0],
        misleads=WORDS[name][1],
        headings=(lambda _: [f"**{loss_title(losses, k)}**" for k in places]) if len(places) > 1 else None,
    )


def draw_weights_or_second_loss(drawing: Drawing) -> None:
    """Draw the weights of the only loss beside the points, or the points under the second loss."""
    losses: Losses = drawing.model
    if len(losses.models) > 1:
        Section(f"{loss_title(losses, 1)}: pairs with a gradient", "edges-1")(drawing)
    else:
        section_of_each_loss("weights", losses)(drawing)


def four_planes(drawing: Drawing) -> None:
    """Draw four losses over the same two similarities."""
    axes = PageControls().choice(f"{ROOM.key}.axes", "Axes", AXES, COSINES)
    losses = [model.settings.loss for model in drawing.model.models]
    if any(isinstance(loss, Triplet) and not loss.squared for loss in losses):  # whose pull depends on how near the points are
        even, steps, pulls = "AM-softmax", "steps", "AM-softmax pulls as hard as it pushes"
    else:
        even, steps, pulls = (
            "AM-softmax and the triplet loss",
            "step",
            "AM-softmax and the triplet loss pull as hard as they push",
        )
    Section(
        f"In cosines {even} {steps} at 45°, the circle loss towards one point",
        "planes",
        look_for=f"the turn of the arrows. {pulls}. The circle loss pulls the harder, the farther the positive is. In "
        "degrees, arrows end at 0° and 180°: there no small turn changes a cosine.",
        misleads="arrows below a tenth of the usual length are left out, and each panel has a scale of its own. Three points are "
        "the batch of the losses of pairs; AM-softmax has one sample, its proxy and one other. Losses that the page shows have "
        "its knobs, others their defaults.",
    )(drawing.under(replace(drawing.offer.settings, axes=axes)))


def lower_sections(drawing: Drawing) -> None:
    """Draw the formulas in numbers and the other figures, in two columns for one loss, one below the other for two."""
    losses: Losses = drawing.model
    two = len(losses.models) > 1
    if two:
        section_of_each_loss("weights", losses)(drawing)
    with st.container(key="pairs-formulas"):
        for formulas in FIRST.formulas[: len(losses.models)]:
            for line in formulas.lines(losses, drawing.display):
                st.latex(with_breaks(line))
            glossary.say(text_of(formulas.remark, losses), "caption")
    for names in (("plane", "cut"), ("shares", "growth")):
        sections = [section_of_each_loss(name, losses) for name in names]
        for block in sections if two else (Row(*sections),):
            block(drawing)
    costs = Section(
        "A step with proxies costs N·C; one with all triplets need not cost N³",
        "cost",
        look_for="the slopes, which are powers of N. In closed form all triplets cost a few times as much as all pairs. The "
        "dotted line is FastAP's published backward.",
        misleads="it is the loss alone, without the net, on one core of this server, measured when this was first opened since "
        "it started. Points are random, in 64 dimensions and 16 classes.",
    )
    Expander("What a step costs, measured here", (costs,))(drawing)
    depends = Section(
        "A pair's weight may depend on its own similarity, on other negatives, and on positives",
        "similarities",
        look_for="rows with more than one number. Contrastive loss sees the pair alone; Multi-Similarity weighs a negative by "
        "others, and mines it by a positive: drag the negative to where it is just mined.",
        misleads="each similarity is moved by 0.3 alone, or until the points nearly touch, which no points could do. Of many "
        "points, two negatives, the nearest, and two positives, the farthest, are moved. Numbers are shares of each loss's "
        "largest weight, and means over active pairs count as well.",
    )
    Expander("On which similarities the weight of anchor and negative depends", (depends,))(drawing)
    Expander("Circle, AM-softmax, Multi-Similarity and triplet in one plane", (four_planes,))(drawing)
    # The pitfalls of the losses of the page, or of all losses of pairs if these have none.
    files = tuple(type(loss).__module__.rpartition(".")[2] for loss in losses.settings.losses)
    PitfallTable(files if pitfalls.about(files) else tuple(PAIRWISE))(drawing)


PAGE = Explainer(
    ROOM,
    "Every loss of pairs acts through its **pairs**: each is pulled together or pushed apart by its weight dL/ds. Losses differ "
    "in which pairs have a weight, and in how large it is.",
    (Row(Section.of(FIRST, "edges-0", below=weights_on_hover), draw_weights_or_second_loss), lower_sections),
    pictured=lambda losses: losses.triplet[:1],
)
