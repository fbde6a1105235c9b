"""A page on what its settings train: the controls, the buttons of the run or race, and its live picture."""

from typing import Any

import streamlit as st

from dml_viz.app.controls import PageControls
from dml_viz.app.live import live, point_in_link
from dml_viz.app.page import page, section_notes
from dml_viz.app.run_buttons import go_button, reset_button
from dml_viz.app.training_session import TrainingSession
from dml_viz.engine.recordings import MAY_DIFFER, recording_of
from dml_viz.room.room import Room
from dml_viz.room.source import Live, Subject


def run(room: Room[Any, Any], claim: str) -> None:
    """Draw the page of ``room``, which has a live picture and no other figure."""
    assert room.live is not None
    with page(room.title, claim):
        picture = room.live(room.settings(PageControls(), Subject()))
        train(picture, "Train", "Back to the very same start.")
        if not session_of(picture).job and (name := recording_of(picture.trained)):
            query = point_in_link(picture.figure, picture.view.point)
            live(recorded=name, key=picture.figure, layout=picture.layout, picture=picture.picture, query=query)
            st.caption(f"This was recorded. **Train** starts your own. {MAY_DIFFER}")
        section_notes(*picture.notes)


def session_of(picture: Live) -> TrainingSession:
    """The session's job of a live picture."""
    view = picture.view
    return TrainingSession(view.name, view.step, view.point, view.slot)


def train(picture: Live, label: str, reset_note: str, words: str = "", *, width: int = 130) -> None:
    """Draw the button ``label`` that trains, ``words`` beside it, and the picture once there is a job."""
    session = session_of(picture)
    job = session.job_for(picture.trained, begin=False)
    with st.container(horizontal=True, vertical_alignment="center", key=f"{picture.figure}-buttons"):
        go_button(session, job, picture.trained, label, ":material/flag:", width=width)
        if job:
            reset_button(session, job, reset_note)
        if words:
            st.markdown(words)
    if job:
        session.show(job, picture.trained, key=picture.figure, layout=picture.layout, picture=picture.picture)
