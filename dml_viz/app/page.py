"""A section of a page: one claim, its figure, what to look for, and how the figure misleads."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from html import escape
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import classroom, frame, glossary, notice, prediction_card, provenance_log, share, tab
from dml_viz.app.component_loader import withheld
from dml_viz.app.lessons import bar
from dml_viz.app.prediction_card import Asker
from dml_viz.app.presentation import Presentation
from dml_viz.app.presentation import button as present_button
from dml_viz.app.url_state import visiting
from dml_viz.figure_files.formats import menu
from dml_viz.plot.style import palette

COMPOSE = "compose"  # the page that composes figures


@contextmanager
def page(title: str, claim: str, asker: Asker | None = None, *, lesson: bool = False) -> Iterator[DeltaGenerator]:
    """Draw the frame of one page: its title, its claim in one sentence and its predictions; read and write its link.

    It yields a place beside the title. ``lesson`` adds the button that begins the first lesson.
    """
    provenance_log.begin(title)
    path = tab.PAGE.get()
    whole = frame.whole_of_page(path)
    formats, colours = (escape(json.dumps(each)) for each in (menu(), palette()))
    st.html(f'<i hidden data-formats="{formats}" data-palette="{colours}"></i>')  # for the export menus of all figures
    above = st.container()
    computing = ExitStack()
    with st.container(horizontal=True, vertical_alignment="center", key="title"):
        st.title(whole.title if whole.tabs else title, anchor=False, width="content")
        corner = st.container(key="corner")
        first = st.container(width="content")
        if asker:
            asker.menu()
        share.button()
        present_button()
        _tray()
        with st.container(width="content"):
            computing.enter_context(st.spinner("Computing…"))  # seen where the page takes longer than a moment
    if whole.tabs:
        with st.container(horizontal=True, key="tabs"):
            for tab_page, label in whole.tabs.items():
                with st.container(key="tab-here" if tab_page == path else None, width="content"):
                    frame.link(tab_page, {}, label=label)
    glossary.begin()
    with st.container(key="lead"):
        glossary.say(claim)
    prediction_card.forget_stage()
    with computing, visiting():
        with above:
            bar.draw_bar()
        if lesson:
            with first:
                bar.first_lesson_button()
        if asker:
            asker.apply_link()
            asker.draw()
        classroom.draw(asker)
        notice.draw()
        presentation = Presentation(above)
        yield corner
        presentation.finish()


def _tray() -> None:
    """Draw the link to the collected figures, which assets/src/export/tray.js shows once there are any."""
    target = frame.page_objects().get(COMPOSE)
    if target and tab.PAGE.get() != COMPOSE:
        with st.container(key="tray", width="content"):
            st.page_link(target, label="Compose", icon=":material/dashboard:")


@contextmanager
def section(
    claim: str, column: AbstractContextManager[Any] | None = None, *, look_for: str = "", misleads: str = "", key: str = ""
) -> Iterator[None]:
    """Draw a section in four parts: the claim in one sentence, the figure (the body), what to look for, how it misleads.

    It is in a ``column`` if given. Where the figure ``key`` is withheld, so are the words about it.
    """
    with column or nullcontext():
        if withheld(key):
            yield
            return
        provenance_log.note_claim(claim)
        glossary.say(claim, "subheader", anchor=False)
        yield
        section_notes(look_for, misleads)


def section_notes(look_for: str, misleads: str) -> None:
    """Draw the last two parts of a section below its figure."""
    if look_for:
        glossary.say(f"**Look for** {look_for}")
    if misleads:
        glossary.say(f"**How this picture misleads:** {misleads}", "caption")
