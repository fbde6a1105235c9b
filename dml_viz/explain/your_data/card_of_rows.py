"""The section in which all rows of a visitor's files are drawn, before they are ranked."""

from dataclasses import replace

import streamlit as st

from dml_viz.app import provenance_log
from dml_viz.app.component_loader import component
from dml_viz.app.own import files
from dml_viz.app.page import section
from dml_viz.app.theme import theme
from dml_viz.data.files import FileError
from dml_viz.data.own import rank_bounded
from dml_viz.explain.your_data import text as say
from dml_viz.explain.your_data.model import Model, Settings
from dml_viz.plot.canvas import Display
from dml_viz.plot.style import palette
from dml_viz.room.component_data import PointsData
from dml_viz.room.markdown import to_the_letter
from dml_viz.room.room import Room, figure_name
from dml_viz.serve.figure_store import store


def all_rows(room: Room[Settings, Model], settings: Settings) -> None:
    """Draw all rows of the files as points; then rank those that are not ranked yet, and draw the page anew."""
    labelled = all(scored.file.labelled for scored in settings.files)
    unranked = [scored for scored in settings.files if labelled and not scored.is_ranked]
    settings = replace(settings, ranked=labelled and not unranked)
    provenance_log.note_scene(files.named(*settings.files))
    with section(say.claim_of_rows(settings.files), look_for=say.IN_POINTS, misleads=say.POINTS_MISLEAD):
        offer = store().offer(room, settings.files[0].embeddings, settings, Display(theme()))
        key = figure_name(room, "points")
        data: PointsData = {"source": offer.address("points"), "theme": theme(), "palette": palette()}
        # The rerun after "stale" offers the points again.
        recipe = provenance_log.recipe_of(key, theme())
        component("points")(key=key, data={**data, "recipe": recipe}, on_stale_change=lambda: None)
    for scored in unranked:
        words = f"Ranking {len(scored.file.y):,} rows"
        bar = st.progress(0.0, text=words)
        try:
            with files.turn(bar):
                rank_bounded(scored, lambda share: bar.progress(share, text=f"{words} ({share:.0%})"))  # noqa: B023
        except FileError as error:
            st.error(to_the_letter(f"{error}."))
            st.stop()
    if unranked:
        st.rerun()
