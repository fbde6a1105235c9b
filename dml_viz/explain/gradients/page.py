"""The article of the page All losses side by side: its sections, in their order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from dml_viz.app import glossary, tab, url_state
from dml_viz.app.article import Drawing, Section
from dml_viz.app.component_loader import draw_component, withheld
from dml_viz.app.controls import PageControls
from dml_viz.app.explainer import Explainer
from dml_viz.app.page import section
from dml_viz.explain.gradients import ROOM
from dml_viz.explain.gradients import text as say
from dml_viz.explain.gradients.components import COMPONENTS
from dml_viz.explain.gradients.controls import KEY, LEARNT, PAPER, QUERY, STEP, STRIDE
from dml_viz.explain.gradients.figures.paper import WIDTH
from dml_viz.room.scene_settings import SIDE

MATRIX, TABLE = 720, 300  # pixels: the width of the cosines, and the height of the table of lengths


def set_controls(report: Mapping[str, Any]) -> None:
    """Change the settings as a visitor did in the panels."""
    for name, knob in (("query", QUERY), ("step", STEP), ("view", SIDE)):
        value = report.get("picked" if name == "query" else name)
        if value is not None and not knob.error_for(value):
            tab.control(f"{KEY}.{name}").set(value)
            # The sentences are on the point in the page's settings, which a rerun of the article alone does not read again.
            if name == "query":
                tab.CLICKED.of(KEY).set(True)


def side_by_side(drawing: Drawing) -> None:
    """Draw the panels of all losses."""
    if drawing.editor is None:
        for name, knob in (("query", QUERY), ("view", SIDE)):
            url_state.write_setting(f"{KEY}.{name}", url_state.setting(f"{KEY}.{name}", knob), knob.default)
    view = tab.control(f"{KEY}.view", drawing.offer.settings.view).get()
    panels = COMPONENTS["panels"](drawing.model, drawing.display)
    draw_component(panels, f"{KEY}-panels", drawing.display.theme, set_controls, view=view)


def alike(drawing: Drawing) -> None:
    """Draw how similar the gradients are, and their lengths as a table."""
    if withheld(f"{KEY}-cosines"):  # the table has the lengths, too
        return
    model, enough = drawing.model, sum(response.tangent_lengths.any() for response in drawing.model.responses.values()) > 1
    with section(
        say.alike_claim(model),
        look_for="blocks of blue, whose losses have similar gradients. An orange pair of losses moves points in opposite ways."
        if enough
        else "",
        misleads="a cosine belongs to this batch and these knobs, and points with long arrows count most." if enough else "",
    ):
        if enough:
            with st.container(width=MATRIX, key="gradients-alike"):
                drawing.figures(["cosines"])
        else:
            st.info("Choose other losses under “Losses”, or move the points: a cosine needs two gradients.")
    st.markdown("The length of every point's gradient along the sphere")
    names, labels = drawing.display.classes, model.y.tolist()
    rows = {"point": range(len(labels)), "class": [names[label] for label in labels]}
    st.dataframe(
        {**rows, **{model.titles[name]: response.tangent_lengths for name, response in model.responses.items()}},
        hide_index=True,
        height=TABLE,
        column_config={name: st.column_config.Column(pinned=True) for name in rows},
    )
    st.download_button(
        "Table as CSV",
        lambda: model.gradients_as_csv(names),
        "gradients.csv",
        "text/csv",
        key=f"{KEY}.csv",
        on_click="ignore",
        icon=":material/download:",
        help="One row for each point and loss, with its gradient.",
    )


def flows(drawing: Drawing) -> None:
    """Draw where the points go."""
    if withheld(f"{KEY}-flow"):
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        stride = PageControls().control(STRIDE, f"{KEY}.stride")
        learnt = PageControls().choice(
            f"{KEY}.learnt", "What a loss has learnt", LEARNT, LEARNT[0], note="Whether proxies move with the points."
        )
    step = url_state.setting(f"{KEY}.step", STEP)
    url_state.write_setting(f"{KEY}.step", step, STEP.default)
    # The controls are in the article, a fragment that reruns without the page's other controls.
    settings = replace(drawing.offer.settings, stride=stride, learnt_fixed=learnt == LEARNT[1], step=step)
    model = drawing.under(settings).model
    editor = drawing.editor
    with section(say.flow_claim(model), look_for=say.flow_look_for(model), misleads=say.flow_misleads(model)):
        waits = drawing.chosen.moving() or bool(editor and editor.moving)
        view = tab.control(f"{KEY}.view", settings.view).get()
        draw_component(
            COMPONENTS["flow"](model, drawing.display), f"{KEY}-flow", drawing.display.theme, set_controls, waits=waits, view=view
        )
    if reasons := say.on_rising_values(model):
        with st.expander(f"Values that do not fall as their gradients promise: {len(reasons)} of {len(model.flows)}"):
            glossary.say("\n".join(f"- {reason}" for reason in reasons))


def on_paper(drawing: Drawing) -> None:
    """Draw all panels as one figure, if that is switched on."""
    if PageControls().control(PAPER, f"{KEY}.paper"):
        view = tab.control(f"{KEY}.view", SIDE.default).get()
        with (
            section(
                "The panels as one figure, two columns of a paper wide",
                look_for="the menu of the figure, which saves it as vectors.",
                misleads="as the panels above do. Below each panel are |g|, the length of its gradient along the sphere, and the "
                "share of pairs with a weight.",
            ),
            st.container(width=WIDTH),
        ):
            drawing.under(replace(drawing.offer.settings, view=view)).figures(["paper"])


PAGE = Explainer(
    ROOM,
    "The same points under every loss: each **arrow** is a step down the gradient. Losses differ in which points they move, and "
    "where.",
    (Section.of(say.FIRST, below=side_by_side), alike, flows, on_paper),
    in_side=True,
)
