"""The page Reference, drawn: the search, the overview of all losses, and one card."""

from functools import cache
from html import escape
from urllib.parse import quote

import streamlit as st

from dml_viz.app import glossary, url_state
from dml_viz.app.page import page
from dml_viz.explain.reference.card import draw_card, response_on_one_scene
from dml_viz.explain.reference.controls import ALL, CARD, OVERVIEW, clear_search, draw_search, open_card
from dml_viz.losses import LOSSES
from dml_viz.params import Param, numerals, params
from dml_viz.plot.style import NEGATIVE, POSITIVE, on_paper
from dml_viz.plot.weight_curve import weight_sketch, weight_words
from dml_viz.room.markdown import cited, to_the_letter
from dml_viz.training.methods import METHODS
from dml_viz.training.methods._base import Method


def draw_overview(names: tuple[str, ...]) -> None:
    """Draw the cards of these losses."""
    positive, negative = (
        f'<span style="color: light-dark({on_paper(colour, "light", words=True)}, {on_paper(colour, "dark", words=True)})">'
        f"{sign} pairs</span>"
        for colour, sign in ((POSITIVE, "● positive"), (NEGATIVE, "✕ negative"))
    )
    st.html(
        f"<small>How a loss weighs each pair of one scene: {positive} and {negative}, pushed apart above the line, pulled "
        "together below it, by dL/ds.</small>"
    )
    with st.container(key="reference-cards"):
        for name in names:
            with st.container(border=True, key=f"reference-card-{name}"):
                st.button(LOSSES[name].title, key=f"open.{name}", type="tertiary", on_click=open_card, args=(name,))
                st.html(_face(name))
    glossary.say(
        "**How these pictures mislead:** heights are each card's own: they compare the pairs of one loss, not two losses. All "
        "losses have their defaults; open a card to turn its knobs.",
        "caption",
    )


@cache
def _face(name: str) -> str:
    """A compact card: families, sentence and sketch."""
    kind, small = LOSSES[name], response_on_one_scene(LOSSES[name]())
    # As an image, since Streamlit takes drawings out of HTML.
    sketch = quote(weight_sketch(small.pair_similarities, small.pair_weights, small.is_positive), safe="")
    words = weight_words(small.pair_similarities, small.pair_weights, small.is_positive)
    return (
        f'<div class="reference-face"><small>{escape(" · ".join(kind.families))}</small>'
        f'<img src="data:image/svg+xml,{sketch}" alt="{escape(words)}">{escape(kind.sentence)}</div>'
    )


def draw_methods() -> None:
    """Draw the table: what each method does, its paper, how near it is to the paper, and its knobs."""
    glossary.say("Methods: what a training step may do besides its loss", "subheader", anchor=False)
    head = "| method | does | paper | here | knobs |\n|---|---|---|---|---|"
    with st.container(key="reference-methods"):
        glossary.say("\n".join([head, *(_row(name, kind) for name, kind in METHODS.items() if kind.reference)]))


def _row(name: str, kind: type[Method]) -> str:
    knobs = " ".join(
        f"**{knob.label_text.capitalize()}** ({numerals(str(knob.default))}): {to_the_letter(knob.meaning)}."
        for knob in params(kind)
    )
    texts = (to_the_letter(kind.sentence), f"{cited(kind.reference)}.", f"{to_the_letter(kind.faithful)}.")
    return f"| [{kind.title}](beyond_one_loss?method={name}) | {' | '.join(texts)} | {knobs} |"


def run() -> None:
    """Draw the page."""
    with page(
        "Reference",
        "Every loss here is a stated variant of its paper's formula, a few knobs and **one weight for every pair of "
        "points**. What libraries call by its name may be another variant.",
    ):
        query = draw_search()
        name = url_state.setting(CARD, Param(CARD, OVERVIEW, "", "card", choices=(OVERVIEW, *LOSSES)))
        url_state.write_setting(CARD, name, OVERVIEW)
        if name != OVERVIEW:
            draw_card(name, query.found)
        elif query.found:
            draw_overview(query.found)
            if not query.words and query.family == ALL:
                draw_methods()
        else:
            st.info(f"There is no {to_the_letter(str(query))}.")
            st.button("Clear search and filter", on_click=clear_search)
