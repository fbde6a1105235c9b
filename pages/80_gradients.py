"""Gradients side by side

One batch, any losses: the arrow that each gives to every point, next to each other, and where they lead.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dml_viz.app import url_state
from dml_viz.app.columns import beside
from dml_viz.app.controls import control
from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.figure import figure
from dml_viz.app.page import page, section
from dml_viz.app.presets import break_it, head, say
from dml_viz.app.scene_editor import Hand, hand
from dml_viz.app.scene_settings import Side
from dml_viz.app.subject_picker import choose_subject
from dml_viz.app.theme import theme
from dml_viz.explain.gradients import choice, flow
from dml_viz.explain.gradients import flow_words as flow_words
from dml_viz.explain.gradients import words as words
from dml_viz.explain.gradients.breaks import BREAKS, PAPER, SAID, WRITERS
from dml_viz.explain.gradients.choice import KEY
from dml_viz.explain.gradients.figures.cosines import cosines_figure
from dml_viz.explain.gradients.figures.panels import WIDTH, panels_figure
from dml_viz.explain.gradients.model import Settings
from dml_viz.explain.gradients.model import model as model_of
from dml_viz.explain.gradients.model_scaling import LONGEST, SCALES, factors
from dml_viz.explain.gradients.panels import Display, followed, panels
from dml_viz.explain.gradients.subject import BATCHES, batch, learns
from dml_viz.explain.gradients.table import table
from dml_viz.explain.gradients.view import AMBIENT, fitting, panels_of, points_of
from dml_viz.params import Domain, Param

SCENE = "one hard negative"
HARD = 4  # the point that lies in the middle of another class
PARTS, MARKS = ("tangent", AMBIENT), ("per point", "per pair", "one point")
LEARNT = ("flow", "held")
QUERY = Param("query", 0, "", "point", domain=Domain(0, 499, False, False))
STEP = Param("step", 0, "", "step along the gradient", domain=Domain(0, flow.STEPS, False, False))
STRIDE = Param(
    "stride", 0.05, "", "by how much a loss turns the points that it moves in its first step, on average", "rad",
    domain=Domain(0.001, 0.5, False, False), slider=(0.002, 0.2), log=True, label="first step",
)  # fmt: skip
MATRIX = 720  # pixels: as wide as the table of cosines gets
REFRESH = 0.5  # seconds between looks at a run that trains
STYLE = """<style>
.st-key-gradients-alike { container-type: inline-size; }
@container (max-width: 480px) { .st-key-gradients-alike .heatmap-label { display: none; } }
@media (min-width: 641px) {
  .st-key-gradients-rail { position: sticky; top: 4rem; max-height: calc(100vh - 4.5rem); overflow: hidden auto; }
  [data-testid="stColumn"]:has(.st-key-gradients-rail) > div { height: 100%; }
}
.st-key-gradients-rail { gap: 0.5rem; padding-right: 0.5rem; }
.st-key-gradients-switches { gap: 0.5rem 1.25rem; }
.st-key-gradients-switches [data-testid="stButtonGroup"] { display: flex; align-items: center; gap: 0.6rem; }
.st-key-gradients-switches [data-testid="stButtonGroup"] label { margin: 0; white-space: nowrap; }
</style>"""


def show(fig: Encoded, name: str) -> None:
    """Draw a figure of this page."""
    figure(fig, key=f"gradients-{name}", alt=fig.alt, theme=theme(), height=fig.height)


def held() -> Hand:
    """The scene in the hand, with the arrows of the loss whose knobs are shown; all panels follow it."""
    return hand(
        key=KEY, overlay=KEY, default=SCENE, stars=True, picked=(HARD,), height=340,
        settings=followed(losses, display, st.session_state.get(f"{KEY}.loss", "")),
    )  # fmt: skip


def heard(said: Mapping[str, Any]) -> None:
    """Take what a visitor did in the panels."""
    for name, knob in (("query", QUERY), ("step", STEP), ("view", Side())):
        value = said.get("picked" if name == "query" else name)
        if value is not None and not knob.complaint(value):
            st.session_state[f"{KEY}.{name}"] = value


with page(
    "Gradients side by side",
    "The same points under every loss: an arrow is where a loss sends a point. Losses agree on the goal, and neither on the way "
    "nor on who has to move.",
):
    st.html(STYLE)
    with head():
        chosen = choose_subject(hand=held)
        break_it(tuple(BREAKS), see=WRITERS)
    with st.container(horizontal=True, vertical_alignment="center", key="gradients-switches"):
        names = choice.choose()
        display = Display(
            url_state.choice(
                f"{KEY}.scale", "Length", SCALES, SCALES[0],
                note="Each loss by its own mean over the points that it moves, or all by one factor. Directions stay.",
            ),
            url_state.choice(
                f"{KEY}.part", "Part", PARTS, PARTS[0],
                note="The part along the sphere, which a net that normalises feels, or all of it, with its radial share.",
            ),
            url_state.choice(
                f"{KEY}.draw", "Draw", MARKS, MARKS[0],
                note="An arrow for each point, the heaviest pairs (pull solid, push dashed), or one point's arrow and its pairs.",
            ),
        )  # fmt: skip
        size = BATCHES[-1]
        if chosen.live:
            size = url_state.choice(
                f"{KEY}.batch", "Batch", BATCHES, "128",
                note="How many of the points the losses see, of each class as many as of any other.",
            )  # fmt: skip
    if chosen.hand:
        left, shown = st.columns([5, 11], gap="medium")
        rail = left.container(key="gradients-rail")
    else:
        rail, shown = beside()
    with rail:
        place = st.container()
        losses = choice.knobs(names)
    moving = chosen.moving()

    @st.fragment(run_every=REFRESH if moving else None)
    def pictures() -> None:
        """All figures, of the subject as it is now."""
        # The run has come to a stop.
        if moving and not chosen.moving():
            st.rerun()
        in_hand, plane, view = None, None, Side().default
        if chosen.hand:
            with place:
                in_hand = held()
        if not losses:
            st.info("No loss is chosen: take one or more under “Losses”, or all at one click.")
            url_state.write()
            return
        if in_hand:
            subject, query, class_names = in_hand.subject, in_hand.picked[0], in_hand.names
            model = model_of(subject, Settings(tuple(losses.values())))
        else:
            assert chosen.live
            found = batch(chosen.subject(), size)
            subject, plane, class_names = found.subject, found.plane, chosen.names
            trained = chosen.live.subject.train_classes if chosen.live.subject else ()
            model = model_of(subject, Settings(tuple(losses.values()), chosen.live.run.loss, tuple(trained)))
            view = url_state.setting(f"{KEY}.view", Side())
            query = min(url_state.setting(f"{KEY}.query", QUERY), len(subject.y) - 1)
            url_state.keep(f"{KEY}.view", view, Side().default)
            url_state.keep(f"{KEY}.query", query, QUERY.default)
        waits = moving or bool(in_hand and in_hand.moving)
        fit = fitting(model, plane)
        points, drawn = points_of(model, class_names, plane, fit), panels_of(model, display.part, plane, fit)
        scales = factors([panel.lengths for panel in drawn], display.scale)
        said = st.container()
        with section(
            words.arrows_claim(model),
            look_for=words.arrows_look_for(model, query),
            misleads=words.arrows_mislead(model, points, drawn, scales, display.scale, display.part),
        ):
            panels(
                points, drawn, display, key=f"{KEY}-panels", picked=query, view=view, in_hand=in_hand is not None, on_told=heard,
            )  # fmt: skip
        with said:
            where = f"{len(subject.y)} points in {subject.z.shape[1]} dimensions."
            st.caption(f"{subject.provenance.rstrip('.')}. {where} {learns(losses, model)}")
            say(KEY, SAID, model)

        like = model.likeness
        titles = [model.titles[names[k]] for k in like.order]
        lacks = words.alike_lacks(model)
        with section(
            words.alike_claim(like, titles),
            look_for=""
            if lacks
            else "blocks of blue: losses whose gradients are of one kind here. Orange pairs undo each other's work.",
            misleads=""
            if lacks
            else "a cosine is of this batch and these knobs alone, and weighs a point by how long its arrows are.",
        ):
            if lacks:
                st.info(lacks)
            else:
                with st.container(width=MATRIX, key="gradients-alike"):
                    show(Encoded.of(cosines_figure(titles, like.cosines, like.merges, theme=theme())), "cosines")
        table(model, class_names)

        with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
            stride = control(STRIDE, f"{KEY}.stride")
            learnt = url_state.choice(
                f"{KEY}.learnt",
                "What a loss has learnt",
                LEARNT,
                LEARNT[0],
                note="Proxies flow as the points do, or are held.",
            )
        step = url_state.setting(f"{KEY}.step", STEP)
        url_state.keep(f"{KEY}.step", step, STEP.default)
        pace = flow.Pace(stride, display.scale, learnt == LEARNT[1])
        flows = flow.flows(model, pace)
        with section(
            flow_words.flow_claim(model, flows),
            look_for=flow_words.flow_look_for(model, flows),
            misleads=flow_words.flow_misleads(model, flows, pace.learnt_fixed),
        ):
            flow.player(
                points, model, flows, plane, key=f"{KEY}-flow", step=step, view=view, in_hand=in_hand is not None,
                waits=waits, on_told=heard,
            )  # fmt: skip
        if reasons := flow_words.rises(model, flows, pace.learnt_fixed):
            with st.expander(f"Where a value does not fall as its gradient promises: {len(reasons)} of {len(losses)}"):
                st.markdown("\n".join(f"- {reason}" for reason in reasons))

        wanted = control(PAPER, f"{KEY}.paper")
        if wanted:
            with section(
                "The panels as one figure, two columns of a paper wide",
                look_for="the menu of the figure, which takes it home as vectors.",
                misleads="as the panels above; below each are its |g| along the sphere and the share of pairs that it touches.",
            ):
                fig = panels_figure(
                    points, drawn, scales, longest=LONGEST, edges=display.draw == "per pair",
                    lanes_wanted=display.part != AMBIENT, view=st.session_state[f"{KEY}.view"], theme=theme(),
                )  # fmt: skip
                with st.container(width=WIDTH):
                    show(Encoded.of(fig), "paper")
        url_state.write()

    with shown:
        pictures()
