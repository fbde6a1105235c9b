"""The page Lesson, drawn."""

import streamlit as st

from dml_viz.app import frame, glossary, share
from dml_viz.app.lessons import bar
from dml_viz.app.page import page
from dml_viz.room import lesson_text
from dml_viz.room.markdown import escape_except_tex

OWN = (
    "A lesson of your own is a text: each station is a link to a page in a state, and a question. *Write your own* begins it; "
    "*Share*, on any page, adds that page as a station."
)


def run() -> None:
    """Draw the page."""
    lesson = lesson_text.read(lesson_text.find(bar.FIRST_LESSON), frame.titles())
    with page("Lesson", "Metric learning in one walk: at each station **say first what will happen**, then see it computed."):
        with st.container(horizontal=True, gap="small"):
            bar.first_lesson_button()
            share.lesson_button()
        with st.container(key="stations"):
            for at, station in enumerate(lesson.stations):
                with st.container(horizontal=True, vertical_alignment="center"):
                    if st.button(f"{at + 1}. {escape_except_tex(station.title)}", key=f"lesson.at.{at}", type="tertiary"):
                        bar.go_to_station(lesson, at)
                    glossary.say(escape_except_tex(station.text), "caption")
        st.markdown(OWN)
