"""Pairs, triplets, tuples

Which pairs a loss touches, with which weight, and the plane of one triplet with its boundary and its gradient.
"""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from dml_viz import pitfalls
from dml_viz.app import replay_progress, url_state
from dml_viz.app.columns import beside
from dml_viz.app.controls import controls
from dml_viz.app.drawn_plane import held_plane
from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.figure import figure
from dml_viz.app.page import page, section
from dml_viz.app.presets import break_it, head, say
from dml_viz.app.scene_editor import Hand, hand
from dml_viz.app.subject_picker import choose_subject
from dml_viz.app.theme import theme
from dml_viz.explain.pairs.breaks import KEY, NO_GRADIENT, NONE, PRESETS, SCENES
from dml_viz.explain.pairs.model import PAIRWISE, ROLES, Settings, worth_showing
from dml_viz.explain.pairs.model import model as model_of
from dml_viz.explain.pairs.numbers import formula
from dml_viz.explain.pairs.view import View, view
from dml_viz.explain.pairs.words import Words, edges, words
from dml_viz.params import knobs, params
from dml_viz.plot.display import Display
from dml_viz.plot.style import CROWD

TITLES = {NONE: "nothing", **{name: kind.title for name, kind in PAIRWISE.items()}}
NAMES = tuple(sorted(PAIRWISE, key=TITLES.__getitem__))
FIRST = "triplet"
PICKED = (3, 4, 7)  # anchor, positive and a semi-hard negative
EDGES = {"batch": "of the batch", "anchor": "of the anchor"}
STYLE = """<style>
.st-key-pairs-formulas { gap: 0.2rem; }
.st-key-pairs-formulas .katex-display { margin: 0; padding: 0.35rem 0; overflow: auto hidden; }
.st-key-pairs-formulas [data-testid="stCaptionContainer"] { text-align: center; }
</style>"""


def show(fig: Encoded, name: str, on_click: Callable[[int], None] | None = None) -> None:
    """Draw a figure of this page; pointing at a point points at it in all of them."""
    figure(fig, key=f"pairs-{name}", alt=fig.alt, theme=theme(), height=fig.height, link=KEY, on_click=on_click)


def select(point: int) -> None:
    """Make a point of a run the anchor."""
    st.session_state[f"{KEY}.row"] = point


def held() -> Hand:
    """The scene in the hand, with the touched pairs of the first loss and its arrows."""
    name = shown_names[0]
    return hand(
        key=KEY, overlay=KEY, default="overlapping", losses={name: losses[name]}, scenes=SCENES, choose=ROLES, picked=PICKED,
        settings={"ofAnchor": edges_of == "anchor", "unit": losses[name].unit,
                  "triplet": knobs(losses[name]) if name == FIRST else None},
    )  # fmt: skip


with page(
    "Pairs, triplets, tuples",
    "However a loss is written, it acts through **pairs**: each is pulled together or pushed apart, by its weight dL/ds. Losses "
    "differ in which pairs they touch, and how hard.",
):
    st.html(STYLE)
    with head():
        chosen = choose_subject(hand=held)
        break_it(tuple(preset for preset in PRESETS if preset is not NO_GRADIENT), see=NO_GRADIENT)
    rail, shown = beside()
    with rail:
        first = url_state.choice(f"{KEY}.loss", "Loss", NAMES, FIRST, named=TITLES, menu=True)
        others = (NONE, *(name for name in NAMES if name != first))
        second = url_state.choice(f"{KEY}.second", "Beside it", others, NONE, named=TITLES, menu=True)
        shown_names = (first,) if second == NONE else (first, second)
        losses = {}
        for name in shown_names:
            if len(shown_names) > 1 and params(PAIRWISE[name]):
                st.markdown(f"**{TITLES[name]}**")
            losses[name] = controls(PAIRWISE[name], f"loss.{name}")
        last = len(chosen.subject().y) - 1 if chosen.hand is None else 0
        whose = "anchor" if last >= CROWD else "batch"
        url_state.follow(f"{KEY}.edges", whose)
        edges_of = url_state.choice(f"{KEY}.edges", "Edges", tuple(EDGES), whose, named=EDGES)
        if chosen.hand is None:
            row = url_state.number(f"{KEY}.row", "Anchor", 0, last, 0, note="A click on a point makes it the anchor.")
    moving = chosen.moving()

    def part(name: str, words: Words, views: dict[str, View]) -> None:
        """A section with one figure for each loss."""
        with section(words.claim, look_for=words.look_for, misleads=words.misleads):
            columns = st.columns(len(views), gap="medium")
            for place, (loss_name, seen) in enumerate(views.items()):
                with columns[place]:
                    if len(views) > 1:
                        st.markdown(f"**{TITLES[loss_name]}**")
                    show(seen.figures[name], f"{name}-{place}")

    @st.fragment(run_every=replay_progress.REFRESH if moving else None)
    def pictures() -> None:
        """All figures, of the subject as it is now."""
        # A click chose another anchor, or the run has come to a stop.
        if (chosen.hand is None and st.session_state[f"{KEY}.row"] != row) or (moving and not chosen.moving()):
            st.rerun()
        said = st.container()
        left, right = st.columns(2, gap="medium")
        told_of_edges = edges(TITLES[first])
        with left, section(told_of_edges.claim, look_for=told_of_edges.look_for, misleads=told_of_edges.misleads):
            in_hand = held() if chosen.hand else None
            subject = in_hand.subject if in_hand else chosen.subject()
            names = in_hand.names if in_hand else chosen.names
            picked = in_hand.picked if in_hand else (row, *worth_showing(subject, losses[first], row))
            embeddings = replace(subject, plane=held_plane(KEY, subject.z.numpy()))
            anchor, positive, negative = picked
            looks = {
                name: model_of(embeddings, Settings(loss, anchor, positive, negative, edges_of))
                for name, loss in losses.items()
            }
            display = Display(theme(), tuple(names), tuple(subject.y.tolist()), in_hand is None)
            who = display.who
            views = {name: view(model, display) for name, model in looks.items()}
            model, seen = looks[first], views[first]
            if in_hand is None:
                show(seen.figures["edges"], "edges-0", on_click=select)
            else:
                # The browser knows no weights of a loss that makes other rows of its points.
                with st.expander("The same pairs with every weight, on hover", expanded=not model.response.of_points):
                    show(seen.figures["edges"], "edges-0")
        with left if in_hand else said, st.container(horizontal=True, vertical_alignment="center"):
            if chosen.images is not None:
                st.image(chosen.images[picked[0]], width=48)
            roles = ", ".join(f"the {role} is {who[k]}" for role, k in zip(ROLES, picked, strict=True) if k >= 0)
            st.caption(
                f"{subject.provenance.rstrip('.')}. {len(who)} points in {subject.z.shape[1]} dimensions; {roles}."
            )
        with said:
            say(KEY, PRESETS, model)
        told_of = words(tuple(looks.values()))
        with right:
            if second == NONE:
                part("weights", told_of["weights"], views)
            else:
                with section(f"{TITLES[second]} acts through these"):
                    show(views[second].figures["edges"], "edges-1", on_click=select if in_hand is None else None)
        if second != NONE:
            part("weights", told_of["weights"], views)
        with st.container(key="pairs-formulas"):
            for name, loss in losses.items():
                st.latex(formula(loss))
                for numbers in filter(None, views[name].in_numbers):
                    st.latex(numbers)
                if views[name].remark:
                    st.caption(views[name].remark)

        for row_of in (("plane", "cut"), ("shares", "growth")):
            places = st.columns(2, gap="medium") if second == NONE else [st.container() for _ in row_of]
            for name, place in zip(row_of, places, strict=True):
                with place:
                    part(name, told_of[name], views)
        claimed = shown_names if pitfalls.about(shown_names) else tuple(PAIRWISE)
        about = " and ".join(TITLES[name] for name in shown_names) if claimed is shown_names else "losses of pairs"
        with section(
            f"What circulates about {about}, measured",
            misleads=pitfalls.misleads(claimed),
        ):  # fmt: skip
            st.markdown(pitfalls.table(claimed))

    with shown:
        pictures()
