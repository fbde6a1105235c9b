"""The frame around every page: its navigation, found in the folder of pages."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from dml_viz.assets import ASSETS

PATH, TARGETS = "frame.path", "frame.pages"
# The sections of the menu by the number of their first page; pages of the section without a name are in the menu itself.
SECTIONS = (("", ""), ("22", "Losses"), ("80", "Experiments"), ("86", "Your own"), ("90", "Look up"))
PAGES = Path(__file__).parents[2] / "pages"


@dataclass(frozen=True)
class Room:
    """A page as its file declares it: the number in the name orders, the docstring's first line is the title."""

    file: str
    title: str

    @property
    def url(self) -> str:
        """The page's path in the address."""
        return self.file.removesuffix(".py").split("_", 1)[1]


@cache
def rooms() -> tuple[Room, ...]:
    """Every page of the folder, in order."""
    found = []
    for path in sorted(PAGES.glob("[0-9]*_*.py")):
        title = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem).partition("\n")[0]
        found.append(Room(path.name, title.rstrip(".")))
    return tuple(found)


def titles() -> dict[str, str]:
    """The titles of all pages by their address, which is empty for the first."""
    return {room.url if place else "": room.title for place, room in enumerate(rooms())}


def targets() -> dict[str, Any]:
    """Streamlit's page object of each page, by address; empty where a page runs alone."""
    return dict(zip(titles(), st.session_state.get(TARGETS, []), strict=False))


def link(page: str, settings: Mapping[str, str], **options: Any) -> None:
    """Draw a link to ``page`` with ``settings``; nothing where a page runs alone. ``options`` are of Streamlit's link."""
    if target := targets().get(page):
        st.page_link(target, query_params=settings, **options)


def run() -> None:
    """Draw the frame and run the page of the link; the first page is the default."""
    st.set_page_config(page_title="dml-viz", page_icon="🎯", layout="wide", initial_sidebar_state="auto")
    st.html(ASSETS / "css" / "app.css")
    if TARGETS not in st.session_state:
        st.session_state[TARGETS] = [
            st.Page(PAGES / room.file, title=room.title, url_path=room.url, default=place == 0)
            for place, room in enumerate(rooms())
        ]
    pages = st.session_state[TARGETS]
    sections: dict[str, list[Any]] = {section: [] for _, section in SECTIONS}
    for room, page in zip(rooms(), pages, strict=True):
        sections[next(section for first, section in reversed(SECTIONS) if room.file >= first)].append(page)
    chosen = st.navigation(sections, position="top")
    st.session_state[PATH] = chosen.url_path
    chosen.run()
