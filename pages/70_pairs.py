"""Pairs, triplets, tuples

Which pairs a loss touches, with which weight, and the plane of one triplet with its boundary and its gradient.
"""

import streamlit as st

from dml_viz import pitfalls
from dml_viz.app.explainer import Claims, Drawing, Explainer, Row, Section
from dml_viz.explain.pairs import ROOM
from dml_viz.explain.pairs import text as say
from dml_viz.explain.pairs.model import PAIRWISE
from dml_viz.explain.pairs.model_beside import Losses, PageSettings
from dml_viz.explain.pairs.numbers import formula, in_numbers, remark


def title(losses: Losses, place: int = 0) -> str:
    """What a loss of the page is called."""
    return type(losses.models[place].settings.loss).title


def touched(settings: PageSettings) -> str:
    """The claim about the first loss, which is made before there are points."""
    return say.edges(type(settings.losses[0]).title).claim


def weights_on_hover(drawing: Drawing) -> None:
    """Behind a click, the pairs of a dragged scene with every weight."""
    if drawing.editor:
        # The browser knows no weights of a loss that makes other rows of its points.
        hidden = drawing.model.first.response.of_points
        with st.expander("The same pairs with every weight, on hover", expanded=not hidden):
            drawing.figure("edges-0")


def part(name: str, losses: Losses) -> Section:
    """A section with one figure for each loss."""
    words, places = say.words(losses.models)[name], range(len(losses.models))
    return Section(
        words.claim, *(f"{name}-{place}" for place in places), look_for=words.look_for, misleads=words.misleads,
        headings=(lambda _: [f"**{title(losses, place)}**" for place in places]) if len(places) > 1 else None,
    )  # fmt: skip


def second_part(drawing: Drawing) -> None:
    """Beside the points the weights of one loss, or the points under the other one."""
    losses: Losses = drawing.model
    two = len(losses.models) > 1
    drawing.block(Section(f"{title(losses, 1)} acts through these", "edges-1") if two else part("weights", losses))


def numbers(drawing: Drawing) -> None:
    """The formula of each loss, with this triplet's numbers."""
    with st.container(key="pairs-formulas"):
        for model in drawing.model.models:
            for line in filter(None, (formula(model.settings.loss), *in_numbers(model))):
                st.latex(line)
            if words := remark(model):
                st.caption(words)


def rest(drawing: Drawing) -> None:
    """The other figures, those of one loss in two columns, of two each below the other."""
    losses: Losses = drawing.model
    two = len(losses.models) > 1
    if two:
        drawing.block(part("weights", losses))
    numbers(drawing)
    for names in (("plane", "cut"), ("shares", "growth")):
        sections = [part(name, losses) for name in names]
        for block in sections if two else (Row(*sections),):
            drawing.block(block)


def claimed(losses: Losses) -> tuple[str, ...]:
    """The losses whose pitfalls are shown: those of the page, or all losses of pairs where these have none."""
    names = tuple(type(loss).__module__.rpartition(".")[2] for loss in losses.settings.losses)
    return names if pitfalls.about(names) else tuple(PAIRWISE)


def claims(drawing: Drawing) -> None:
    """The common claims about the losses."""
    drawing.block(Claims(claimed(drawing.model)))


Explainer(
    ROOM,
    "However a loss is written, it acts through **pairs**: each is pulled together or pushed apart, by its weight dL/ds. Losses "
    "differ in which pairs they touch, and how hard.",
    (
        Row(
            Section(
                touched, "edges-0", scene=True, below=weights_on_hover,
                look_for=lambda losses: say.edges(title(losses)).look_for,
                misleads=lambda losses: say.edges(title(losses)).misleads,
            ),
            second_part,
        ),
        rest,
        claims,
    ),
    caption=say.roles,
    pictured=lambda losses: losses.triplet[:1],
).run()  # fmt: skip
