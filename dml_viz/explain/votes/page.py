"""The page with the votes of a class, drawn."""

import streamlit as st

from dml_viz.app import glossary, provenance_log
from dml_viz.app.controls import PageControls
from dml_viz.app.figure import of_room
from dml_viz.app.page import page, section
from dml_viz.explain.votes import ROOM
from dml_viz.explain.votes import text as say
from dml_viz.explain.votes.example import STUDENTS
from dml_viz.explain.votes.model import without_marks
from dml_viz.room.markdown import escape_except_tex
from dml_viz.room.room import NO_POINTS
from dml_viz.room.source import Subject


def run() -> None:
    """Draw the page."""
    with page(ROOM.title, say.CLAIM):
        settings = ROOM.settings(PageControls(st.container(key="votes-bar")), Subject())
        if settings.simulated:
            glossary.say(say.EXAMPLE.format(students=STUDENTS))
        provenance_log.note_losses_of_room(ROOM, settings)
        model = ROOM.model(NO_POINTS, settings)
        if settings.now and settings.before and not model.is_comparable:
            glossary.say(say.OTHER_QUESTION)
        if question := model.question:
            look_for = say.look_for(model)
            with section(escape_except_tex(without_marks(question.text)), look_for=look_for, misleads=say.MISLEADS):
                of_room(ROOM, "votes", settings, of_file=False)
        glossary.say(say.HOW, "caption")
