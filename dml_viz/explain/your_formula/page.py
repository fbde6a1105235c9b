"""The article of the page Your formula: its sections, in their order."""

import streamlit as st

from dml_viz.app import glossary
from dml_viz.app.article import Drawing, Expander, Formula, Row, Section
from dml_viz.app.explainer import Explainer
from dml_viz.app.frame import link
from dml_viz.explain.your_formula import ROOM
from dml_viz.explain.your_formula import text as say


def draw_page_links(drawing: Drawing) -> None:
    """Draw links to the other pages that can use the formula."""
    glossary.say("The same formula on other pages", "subheader", anchor=False)
    with st.container(horizontal=True):
        for label, path, settings in say.page_links(drawing.model):
            link(path, settings, label=label)


def draw_grammar(drawing: Drawing) -> None:
    """Draw what a formula may contain."""
    del drawing
    glossary.say(say.HOLDS)


PAGE = Explainer(
    ROOM,
    "A loss of pairs is a **formula** of the similarities of positive and negative pairs. Write your own: its gradient follows, "
    "and with it the plane, the arrows, the flow and a run of training.",
    (
        Row(
            Section.of(say.FIRST, "edges"),
            Section(
                "One triplet is a point in a plane, and arrows show where the gradient moves it",
                "plane",
                look_for="arrows that do not point down and to the right, and places without one.",
                misleads="the plane is of a small batch: sₚ is the similarity within a class, sₙ between classes. It is blank "
                "where no unit vectors have these similarities.",
            ),
        ),
        *map(Formula, say.FIRST.formulas),
        Expander("What a formula may contain", (draw_grammar,)),
        Row(
            Section(
                "Along one line of the plane: the value, and the gradient in use",
                "cut",
                look_for="a gap between the two lower curves: `const` holds something constant. Shaded: a step raises the value.",
                misleads="it is one line through the plane, at this triplet’s sₚ.",
            ),
            Section(
                "How hard each pair is pulled or pushed, by its similarity",
                "weights",
                look_for="one height at one similarity: then a pair’s weight depends on that pair alone.",
                misleads="heights compare pairs of one loss, not two losses.",
            ),
        ),
        Row(
            Section(
                say.claim,
                "likeness",
                look_for="1.000: on these points that loss, at its defaults, gives the same directions.",
                misleads="it is of these points; elsewhere two losses can differ. Losses with proxies are left out.",
            ),
            Section(
                "Without a net, the points follow the gradient themselves",
                "flow",
                look_for="points that stop before their class is together, and points that pass through another class.",
                misleads="a net moves all points at once and cannot place each as it likes.",
            ),
        ),
        draw_page_links,
    ),
    say.FIRST,
)
