"""Gradients side by side

One batch, any losses: the arrow that each gives to every point, next to each other, and where they lead.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from dml_viz.app import url_state
from dml_viz.app.controls import control
from dml_viz.app.explainer import Drawing, Explainer, Section
from dml_viz.app.figure_store import store
from dml_viz.app.page import section
from dml_viz.app.scene_settings import Side
from dml_viz.explain.gradients import ROOM, panels, table, text_flow
from dml_viz.explain.gradients import text as say
from dml_viz.explain.gradients.components import COMPONENTS
from dml_viz.explain.gradients.controls import KEY, LEARNT, PAPER, QUERY, STEP, STRIDE
from dml_viz.explain.gradients.figures.paper import WIDTH
from dml_viz.explain.gradients.model_batch import learns

MATRIX = 720  # pixels: as wide as the table of cosines gets


def keep(report: Mapping[str, Any]) -> None:
    """Take what a visitor did in the panels."""
    for name, knob in (("query", QUERY), ("step", STEP), ("view", Side())):
        value = report.get("picked" if name == "query" else name)
        if value is not None and not knob.complaint(value):
            st.session_state[f"{KEY}.{name}"] = value
            # The sentences are of the point of the page's settings, which the article alone does not ask for again.
            if name == "query":
                st.session_state[f"{KEY}.clicked"] = True


def side_by_side(drawing: Drawing) -> None:
    """The panels of all losses."""
    if drawing.editor is None:
        for name, knob in (("query", QUERY), ("view", Side())):
            url_state.keep(f"{KEY}.{name}", url_state.setting(f"{KEY}.{name}", knob), knob.default)
    view = st.session_state.get(f"{KEY}.view", drawing.settings.view)
    panels.draw(COMPONENTS["panels"](drawing.model, drawing.display), drawing.display.theme, keep, view=view)


def alike(drawing: Drawing) -> None:
    """How alike the gradients are, and their lengths as a table."""
    lacks = say.alike_lacks(drawing.model)
    with section(
        say.alike_claim(drawing.model),
        look_for="" if lacks else "blocks of blue: losses whose gradients are of one kind here. Orange pairs undo each "
        "other's work.",
        misleads="" if lacks else "a cosine is of this batch and these knobs alone, and weighs a point by how long its "
        "arrows are.",
    ):  # fmt: skip
        if lacks:
            st.info(lacks)
        else:
            with st.container(width=MATRIX, key="gradients-alike"):
                drawing.figure("cosines")
    table.table(drawing.model, drawing.display.classes)


def flows(drawing: Drawing) -> None:
    """Where the points go."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        stride = control(STRIDE, f"{KEY}.stride")
        learnt = url_state.choice(
            f"{KEY}.learnt", "What a loss has learnt", LEARNT, LEARNT[0], note="Proxies flow as the points do, or are held.",
        )  # fmt: skip
    step = url_state.setting(f"{KEY}.step", STEP)
    url_state.keep(f"{KEY}.step", step, STEP.default)
    # The controls are in the article, whose fragment runs without those beside it.
    settings = replace(drawing.settings, stride=stride, learnt_fixed=learnt == LEARNT[1], step=step)
    model = store().model(ROOM, drawing.embeddings, settings)
    found, editor = model.flows, drawing.editor
    with section(
        text_flow.flow_claim(model, found),
        look_for=text_flow.flow_look_for(model, found),
        misleads=text_flow.flow_misleads(model, found, settings.learnt_fixed),
    ):
        waits = drawing.chosen.moving() or bool(editor and editor.moving)
        view = st.session_state.get(f"{KEY}.view", settings.view)
        panels.draw(COMPONENTS["flow"](model, drawing.display), drawing.display.theme, keep, waits=waits, view=view)
    if reasons := text_flow.rises(model, found, settings.learnt_fixed):
        with st.expander(f"Where a value does not fall as its gradient promises: {len(reasons)} of {len(found)}"):
            st.markdown("\n".join(f"- {reason}" for reason in reasons))


def on_paper(drawing: Drawing) -> None:
    """All panels as one figure, where it is wanted."""
    if control(PAPER, f"{KEY}.paper"):
        view = st.session_state.get(f"{KEY}.view", Side().default)
        seen = replace(drawing, settings=replace(drawing.settings, view=view))
        with section(
            "The panels as one figure, two columns of a paper wide",
            look_for="the menu of the figure, which takes it home as vectors.",
            misleads="as the panels above; below each are its |g| along the sphere and the share of pairs that it touches.",
        ), st.container(width=WIDTH):  # fmt: skip
            seen.figure("paper")
    url_state.write()


Explainer(
    ROOM,
    "The same points under every loss: an arrow is where a loss sends a point. Losses agree on the goal, and neither on the way "
    "nor on who has to move.",
    (
        Section(
            say.arrows_claim, scene=True, below=side_by_side, look_for=say.arrows_look_for, misleads=say.arrows_mislead,
        ),
        alike,
        flows,
        on_paper,
    ),
    caption=lambda model, _: learns(model),
    size="{size} points in {dim} dimensions.",
    in_side=True,
).run()  # fmt: skip
