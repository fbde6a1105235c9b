"""The page Batches, drawn."""

from functools import partial

import streamlit as st

from dml_viz.app import glossary, provenance_log, tab
from dml_viz.app.controls import PageControls
from dml_viz.app.figure import of_room
from dml_viz.app.frame import link
from dml_viz.app.page import page, section
from dml_viz.app.prediction_card import asker_of
from dml_viz.explain.batches import ROOM
from dml_viz.explain.batches import text as say
from dml_viz.explain.batches.model_samplers import FILLINGS
from dml_viz.room.room import NO_POINTS, figure_name
from dml_viz.room.source import Subject


def select_filling(way: int) -> None:
    """Select the way to fill a batch whose line was clicked."""
    tab.control(f"{ROOM.key}.way").set(tuple(FILLINGS)[way])


def run() -> None:
    """Draw the page."""
    with page(ROOM.title, say.CLAIM, asker_of(ROOM, ROOM.predictions)):
        # Controls lie above the figures that they move.
        above = st.container(horizontal=True, vertical_alignment="bottom", key="switches")
        left_and_right = st.container()
        with st.container(width=480):
            settings = ROOM.settings(PageControls(above), Subject())
        provenance_log.note_losses_of_room(ROOM, settings)
        model, draw = ROOM.model(NO_POINTS, settings), partial(of_room, ROOM, settings=settings)
        left, right = left_and_right.columns(2, gap="medium")
        with section(
            say.split_claim(model),
            left,
            look_for="the bars that stay at 1: these losses are means over single samples, so that pieces lose nothing.",
            misleads="machines that gather each other's embeddings before the loss, as trainers of CLIP and SupCon do, lose "
            "nothing. The pieces are random, and a class may have no pair left in one. The rings are gradients at the "
            "weights of a small net, the bars at the embeddings.",
            key=figure_name(ROOM, "split"),
        ):
            draw("split")
        with section(
            say.memory_claim(model),
            right,
            look_for="the distance between the lines. In chunks, the net’s activations are those of one chunk; "
            "the tables of all pairs remain.",
            misleads="it is the growth of one process’s peak in one step, measured once; another machine differs by some "
            "megabytes.",
        ):
            draw("memory")
            glossary.say(say.CACHING)
            with st.expander("Larger batches"):
                glossary.say(say.LARGER)
                st.code(say.COMMAND, "bash", wrap_lines=True)
                st.code(say.PYTHON)
            link("train", say.TRAIN, label="Train with 1,024 images in chunks of 64", icon=":material/model_training:")
        left, right = st.columns(2, gap="medium")
        with section(
            say.fillings_claim(model),
            left,
            look_for=say.fillings_look_for(model),
            misleads="more active triplets are no better training: the hardest ones may be wrongly labelled. *Sweep* "
            "and *Race* compare what samplers lead to.",
        ):
            draw("hardness", on_click=select_filling)
            link("race", say.RACE, label="Race random batches against few categories", icon=":material/flag:")
            link("sweep", say.CATEGORIES, label="Sweep slices by clusters against slices by categories", icon=":material/tune:")
        with section(
            say.batch_claim(model),
            right,
            look_for="frames of few colours: icons of one set, or shapes of one family, look alike.",
            misleads="it is one batch of many; the curves beside are means over 30.",
        ):
            draw("contents")
