"""The frame around every page: its navigation and doors, found in the folder of pages."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

# Streamlit leaves a screen's fifth above a title; a figure that opens below the fold is not seen.
STYLE = """<style>
[data-testid="stMainBlockContainer"] { padding: 4rem 2.5rem 3rem; max-width: 1800px; }
[data-testid="stMainBlockContainer"] h1 { font-size: 1.75rem; padding: 0; }
[data-testid="stMainBlockContainer"] h3 { font-size: 1.2rem; padding: 0.25rem 0; }
[data-testid="stSidebarContent"] h5 { padding: 0; }
.stApp button[kind="primary"]:not(:disabled) { color: light-dark(#ffffff, #0f1218); }
@media (max-width: 640px) { [data-testid="stMainBlockContainer"] { padding: 4.25rem 1rem 3rem; } }
</style>"""

PAGES = Path(__file__).parents[2] / "pages"


@dataclass(frozen=True)
class Room:
    """A page as its file declares it: the number in the name orders, the docstring titles and, below, invites."""

    file: str
    title: str
    invitation: str

    @property
    def url(self) -> str:
        """The page's path in the address."""
        return self.file.removesuffix(".py").split("_", 1)[1]


@cache
def rooms() -> tuple[Room, ...]:
    """Every page of the folder, in order."""
    found = []
    for path in sorted(PAGES.glob("[0-9]*_*.py")):
        title, _, rest = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem).partition("\n")
        found.append(Room(path.name, title.rstrip("."), " ".join(rest.split())))
    return tuple(found)


def run() -> None:
    """Draw the frame and run the page that the link asks for; the first page is the default."""
    st.set_page_config(page_title="dml-viz", page_icon="🎯", layout="wide", initial_sidebar_state="auto")
    st.html(STYLE)
    pages = [
        st.Page(PAGES / room.file, title=room.title, url_path=room.url, default=place == 0)
        for place, room in enumerate(rooms())
    ]
    st.session_state["frame.pages"] = pages
    chosen = st.navigation(pages, position="top")
    st.session_state["frame.path"] = chosen.url_path
    chosen.run()


def doors() -> None:
    """A door to every other room, with its invitation."""
    pages = st.session_state.get("frame.pages", [])
    others = list(zip(rooms(), pages, strict=False))[1:]
    for (room, target), column in zip(others, st.columns(max(len(others), 1)), strict=False):
        with column, st.container(border=True, height="stretch"):
            st.page_link(target, label=f"**{room.title}**", icon=":material/arrow_forward:")
            st.markdown(room.invitation)
