"""The section in which all rows of a visitor's files are drawn, and what is found out about them meanwhile."""

from dataclasses import replace

import streamlit as st

from dml_viz.app import frontend, glossary, provenance_log, tab
from dml_viz.app.component_loader import component
from dml_viz.app.figure import offer_of_room
from dml_viz.app.own import files
from dml_viz.app.page import section
from dml_viz.app.theme import theme
from dml_viz.data.own import Scored
from dml_viz.embedding.rows_map import can_map
from dml_viz.explain.your_data import text as say
from dml_viz.explain.your_data.model import Model, Settings
from dml_viz.plot.style import palette
from dml_viz.room.component_data import PointsData
from dml_viz.room.markdown import to_the_letter
from dml_viz.room.room import Room, figure_name
from dml_viz.serve.file_analyses import FileAnalysis, file_analyses

LOOK = 0.5  # seconds from one look at the work to the next


def all_rows(room: Room[Settings, Model], settings: Settings, *, brought: bool) -> None:
    """Draw all rows of the files as points and, if the visitor ``brought`` them, how far the work on them is."""
    scored = settings.files
    if brought:
        for each in scored:
            file_analyses().fill_from_known(each)
    ranked = all(each.file.labelled and (not brought or each.knows_recall) for each in scored)
    mapped = not brought or all(each.knows("map") for each in scored if "map" in each.stages)
    settings = replace(settings, ranked=ranked, mapped=mapped)
    provenance_log.note_scene(files.named(*scored))
    claim = say.claim(scored) if ranked else say.claim_of_rows(scored)
    look_for = say.IN_POINTS if any(each.file.labelled for each in scored) else say.IN_ROWS
    with section(claim, look_for=look_for, misleads=say.misleads(settings)):
        if brought and not all(each.knows() for each in scored):
            stopped = tab.ROWS_STOPPED.get() & {each.content_key for each in scored}
            (_offer_to_go_on if stopped else _work)(scored, tuple(_known(scored)))
        if settings.picture == "map" and not all(can_map(len(each.file.y)) for each in scored):
            glossary.say(say.NO_MAP, "caption")
        offer = offer_of_room(room, settings, scored[0].embeddings)
        key = figure_name(room, "plane")
        data: PointsData = {"source": offer.address("plane"), "theme": theme(), "palette": palette()}
        # The rerun after "stale" offers the points again.
        recipe = provenance_log.recipe_of(key, theme())
        component("points")(key=key, data={**data, "recipe": recipe}, on_stale_change=lambda: None)
    if ranked and not all(each.knows("ranked") for each in scored) and brought:
        glossary.say(say.recall_so_far(scored))


@st.fragment(run_every=LOOK)
def _work(scored: tuple[Scored, ...], before: tuple[str, ...]) -> None:
    """Draw how far the work is, and a button that stops it; the page runs anew when a stage is done."""
    analyses = file_analyses().watch(frontend.session_id(), frontend.visitor(), scored)
    if tuple(_known(scored)) != before or not analyses:
        st.rerun()
    for analysis in analyses:
        if analysis.error:
            st.error(to_the_letter(f"{analysis.error}."))
            continue
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(analysis.share, text=_words(analysis))
    if any(not analysis.error for analysis in analyses) and st.button("Stop the work", icon=":material/stop:", key="rows.stop"):
        file_analyses().leave(frontend.session_id())
        tab.ROWS_STOPPED.set(tab.ROWS_STOPPED.get() | {each.content_key for each in scored})
        st.rerun()


def _offer_to_go_on(scored: tuple[Scored, ...], before: tuple[str, ...]) -> None:
    """Draw a button that goes on with what was stopped."""
    left = [stage for stage in scored[0].stages if stage not in before]
    st.info(say.on_stopped_work(left), icon=":material/pause:")
    if st.button("Go on", icon=":material/play_arrow:", key="rows.go"):
        tab.ROWS_STOPPED.set(tab.ROWS_STOPPED.get() - {each.content_key for each in scored})
        st.rerun()


def _known(scored: tuple[Scored, ...]) -> list[str]:
    for each in scored:
        file_analyses().fill_from_known(each)
    return [stage for stage in scored[0].stages if all(each.knows(stage) for each in scored if stage in each.stages)]


def _words(analysis: FileAnalysis) -> str:
    if analysis.waits:
        return "Waiting for the work on other files"
    return say.WORK[analysis.stage or "nearest"].format(
        rows=f"{len(analysis.scored.file.y):,} rows", done=f"{analysis.share:.0%}"
    )
