"""Ranked List

Two circles around every query, a shell between them, and the negatives within weighted by how near they are.
"""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from dml_viz.app import replay_progress, url_state
from dml_viz.app.columns import beside
from dml_viz.app.controls import control
from dml_viz.app.drawn_plane import held_plane
from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.figure import figure
from dml_viz.app.page import page, section
from dml_viz.app.presets import break_it, head, say
from dml_viz.app.scene_editor import Hand, hand
from dml_viz.app.subject_picker import choose_subject
from dml_viz.app.theme import theme
from dml_viz.explain.ranked_list.breaks import HARDEST, KEY, PRESETS
from dml_viz.explain.ranked_list.facts import facts
from dml_viz.explain.ranked_list.model import VARIANTS, Settings
from dml_viz.explain.ranked_list.model import model as model_of
from dml_viz.explain.ranked_list.rail import knobs, style
from dml_viz.explain.ranked_list.view import view
from dml_viz.losses.ranked_list import RankedList
from dml_viz.params import Param
from dml_viz.plot.display import Display

ARROWS = {"query": "of this query", "loss": "of the whole loss"}
BALLS = Param(
    "balls",
    False,
    "",
    "where the ball of diameter α − m around each class cuts the circle or sphere",
    label="class balls",
)


def show(fig: Encoded, name: str, on_click: Callable[[int], None] | None = None) -> None:
    """Draw a figure of this page; pointing at a point points at it in all of them."""
    figure(fig, key=f"ranked-{name}", alt=fig.alt, theme=theme(), height=fig.height, link=KEY, on_click=on_click)


def select(point: int) -> None:
    """Make a point of the subject the query."""
    st.session_state[f"{KEY}.query"] = point


def held() -> Hand:
    """The scene in the hand, with the caps, the mined points and the arrows of this loss."""
    settings = {"arrows": arrows_of, "balls": balls}
    return hand(
        key=KEY, overlay=KEY, default="overlapping", losses={KEY: loss}, settings=settings, choose=("query",), picked=(6,)
    )  # fmt: skip


with page(
    "Ranked List",
    "Every query draws two circles. Positives beyond the inner one are **pulled** in, negatives within the outer one are "
    "**pushed** out, the nearest most; all others are left in peace.",
):
    style()
    with head():
        chosen = choose_subject(hand=held)
        break_it(tuple(preset for preset in PRESETS if preset is not HARDEST), see=HARDEST)
    rail, shown = beside()
    with rail:
        loss = knobs()
        if chosen.hand is None:
            last = len(chosen.subject().y) - 1
            note = "The point in the middle; a click on any other takes its place."
            asked = url_state.number(f"{KEY}.query", "Query", 0, last, 0, note=note)
        else:
            balls = control(BALLS, f"{KEY}.balls")
        arrows_of = url_state.choice(f"{KEY}.arrows", "Arrows", tuple(ARROWS), "query", named=ARROWS)
    moving = chosen.moving()

    @st.fragment(run_every=replay_progress.REFRESH if moving else None)
    def pictures() -> None:
        """All figures, of the subject as it is now."""
        # A click chose another query of the run, or the run has come to a stop.
        if (chosen.hand is None and st.session_state[f"{KEY}.query"] != asked) or (moving and not chosen.moving()):
            st.rerun()
        said = st.container()
        left, right = st.columns(2, gap="medium")
        with left, section(
            "Two circles around the query decide who teaches it",
            look_for="the ringed points: positives that have left the inner circle, and negatives that have entered the outer "
            "one. Only they have a gradient; in the shaded shell both kinds do, a positive inwards, a negative outwards.",
            misleads="distances to the query are true, those between other points are not." if chosen.hand is None else
            "it shows one query; every other point draws two circles of its own, and the loss is the mean over all.",
        ):  # fmt: skip
            in_hand = held() if chosen.hand else None
            subject = in_hand.subject if in_hand else chosen.subject()
            names = in_hand.names if in_hand else chosen.names
            query = in_hand.picked[0] if in_hand else asked
            embeddings = replace(subject, plane=held_plane(KEY, subject.z.numpy()))
            model = model_of(embeddings, Settings(loss, query, arrows_of))
            display = Display(theme(), tuple(names), tuple(model.y.tolist()), in_hand is None)
            who, drawn = display.who, view(model, display)
            if in_hand is None:
                show(drawn.figures["map"], "map", on_click=select)
        with left if in_hand else said, st.container(horizontal=True, vertical_alignment="center"):
            if chosen.images is not None:
                st.image(chosen.images[query], width=48)
            st.caption(
                f"{subject.provenance.rstrip('.')}. {len(who)} points in {model.z.shape[1]} dimensions; "
                f"the query is {who[query]}."
            )
        with said:
            say(KEY, PRESETS, model)
        with right, section(
            "T decides how the push is shared out",
            look_for="how steep the grey curve is: that is T. At T = 0 it is flat and all mined negatives share alike.",
            misleads="the shares add up to 1 for one negative at the brink of α as for ten deep within it; the cost tells these "
            "apart, the slopes do not.",
        ):  # fmt: skip
            show(drawn.figures["strip"], "strip")
        with st.container(key="ranked-formulas"):
            st.latex(RankedList.formula)
            st.latex(drawn.in_numbers)

        left, right = st.columns(2, gap="medium")
        with left, section(
            "A bigger T picks the hardest negative",
            look_for="how soon the thick line, the nearest negative, parts from the others: it takes a factor of e for every "
            "1/T by which it is nearer.",
            misleads="a share is not a force: at λ = 0, or for points at one place, the largest share moves nobody.",
        ):  # fmt: skip
            show(drawn.figures["temperature"], "temperature")
        with right, section(
            "A class that costs nothing is at most α − m across",
            look_for="the ringed points outside their class's ball, whose diameter, not radius, is α − m.",
            misleads="a ball is put in the direction of its class's mean, where another place might hold more points; a "
            "class can cost nothing without fitting one, as three points of a sphere, each α − m from the others, do not. Off "
            "the circle, a point inside a disc may lie before or behind its ball.",
        ):  # fmt: skip
            show(drawn.figures["balls"], "balls")

        st.subheader("What is held constant changes the gradient, not the value", anchor=False)
        for variant, column in zip(VARIANTS, st.columns(len(VARIANTS), gap="medium"), strict=True):
            with column:
                st.markdown(f"**{variant.capitalize()}**" + (" (chosen)" if variant == loss.differentiated else ""))
                name = f"arrows-{VARIANTS.index(variant)}"
                show(drawn.figures[name], name)
        st.markdown(
            "**Look for** the other ends: the authors' gradient of one query moves that query alone; the others wait until they "
            "are queries themselves. Differentiated weights can even draw a mined negative nearer."
        )
        st.caption(
            "**How this picture misleads** the three share one scale, on which the longest arrow always has the same length; "
            "only the tangent part is drawn, as the net never receives the rest. "
            + ("These are of the query's own term, N times its part in the loss." if arrows_of == "query" else "")
        )

        with section(
            "The loss is the mean over all queries, those that mine nobody included",
            look_for="the dearest queries at the left; click one to see its circles.",
            misleads="bars of satisfied queries have no height and are easily overlooked, yet they divide the sum.",
        ):
            show(drawn.figures["queries"], "queries", on_click=select)
        with section(
            "What circulates about Ranked List, measured",
            misleads="the plain numbers are of one small fixed example, the last sentence of each row of the points above.",
        ):
            st.markdown(facts(model))

    with shown:
        pictures()
