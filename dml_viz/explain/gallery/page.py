"""The page Gallery, drawn: a card for each figure, with its files."""

import base64
import html
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import streamlit as st

from dml_viz.app.component_loader import component
from dml_viz.app.page import page
from dml_viz.app.theme import theme
from dml_viz.explain.gallery import GALLERY, Entry
from dml_viz.explain.gallery.entries import data_path, live_picture_paths, picture_path, read_figure_data
from dml_viz.figure_files.formats import FORMATS
from dml_viz.figure_files.spec import Spec
from dml_viz.plot.style import FAINT, INK, PAPER, palette
from dml_viz.room.component_data import ComponentData

# Pictures that scripts draw from their data; a live one needs its run and is exported on the run's own page.
SHOWN = ("figure", "scene_editor")
# A scene stays as its spec has it.
STILL = MappingProxyType({"scene": "hidden", "dim": "hidden", "tools": "hidden", "move": "hidden", "pick": "hidden"})


def draw_cards(entries: tuple[Entry, ...]) -> None:
    """Draw a card for each entry."""
    with st.container(key="gallery"):
        for entry in entries:
            with st.container(border=True, key=f"card-{entry.name}"):
                _card(entry)


@st.fragment
def _card(entry: Entry) -> None:
    st.html(_picture(entry, theme()))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="dml-card-links"><a href="{html.escape(entry.figure_link)}">Open live →</a></div>', width="stretch")
        if st.button("Export", icon=":material/download:", key=f"gallery.export.{entry.name}", type="tertiary"):
            _export(entry)


def _picture(entry: Entry, colours: str) -> str:
    style = f"--dml-card-paper:{PAPER[colours]};--dml-card-ink:{INK[colours]};--dml-card-edge:{FAINT[colours]}"
    tall = ' class="dml-tall"' if entry.tall else ""
    words = html.escape(str(read_figure_data(data_path(entry))["data"].get("alt", entry.sentence)))
    return (
        f'<a class="dml-card" style="{style}" href="{html.escape(entry.figure_link)}">'
        f'<img{tall} alt="{words}" src="{_address(picture_path(entry, colours))}"><b>{html.escape(entry.title)}</b>'
        f"<span>{html.escape(entry.sentence)}</span></a>"
    )


@cache
def _address(path: Path) -> str:
    """A picture as a data address."""
    kind = "svg+xml" if path.suffix == ".svg" else path.suffix.removeprefix(".")
    return f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def recorded_spec(entry: Entry) -> Spec:
    """The whole spec of the entry's figure, as its page recorded it; the spec of a live picture names no panel."""
    return replace(Spec.read(json.dumps(read_figure_data(data_path(entry))["data"]["recipe"])), figure=entry.figure)


@st.dialog("Export", width="medium")
def _export(entry: Entry) -> None:
    draw_dialog(entry)


def draw_dialog(entry: Entry) -> None:
    """Draw what the dialog shows: the figure with its own menu of exports, and its spec."""
    st.markdown(f"**{entry.title}.** {entry.sentence}")
    component_data: dict[str, Any] = read_figure_data(data_path(entry))["data"]
    module = read_figure_data(data_path(entry))["module"]
    if module not in SHOWN:
        _files(entry)
    else:
        st.caption("Its menu, at the top right of the figure, has SVG, PDF, PNG, HTML, CSV and fixed sizes for write-ups.")
        common = {"palette": palette(), "ink": INK["light"], "faint": FAINT["light"], "revision": 0, "serial": -1}
        as_recorded = cast("ComponentData", {**component_data, **common, "lesson": dict(STILL)})
        component(module)(key=f"gallery.{entry.name}", data=as_recorded)
    _spec(entry)


def _files(entry: Entry) -> None:
    """Draw a live picture's still image and its files."""
    paths = live_picture_paths(entry)
    words = html.escape(str(read_figure_data(data_path(entry))["data"].get("alt", entry.sentence)))
    st.html(f'<img class="dml-recorded" alt="{words}" src="{_address(paths["svg"])}">')
    with st.container(horizontal=True):
        for form, path in paths.items():
            st.download_button(
                form.upper(),
                path.read_bytes(),
                path.name,
                FORMATS[form].media_type,
                icon=":material/download:",
                key=f"gallery.file.{form}",
                on_click="ignore",
            )
    st.caption(
        f"Dark colours, other sizes, HTML and CSV are in the menu of the live picture: [open it live]({entry.figure_link})."
    )


def _spec(entry: Entry) -> None:
    """Draw the spec as a file, and the command that makes the figure from it."""
    spec = json.dumps(recorded_spec(entry).write(), indent=2)
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"{entry.name}.json"
        st.download_button("Recipe (JSON)", spec, name, "application/json", icon=":material/data_object:", on_click="ignore")
        st.code(f"dml-viz export {name} --format svg,pdf", language="sh")


def run() -> None:
    """Draw the page."""
    with page(
        "Gallery",
        "Figures for a lecture or a paper, each **one click from the page that drew it** and one from a file. Its recipe "
        "makes it again, number for number.",
    ):
        draw_cards(GALLERY)
