"""Share: the state of the page as a link, a QR code and a short link, and as a lesson for others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import segno
import streamlit as st

from dml_viz.app import classroom, presentation, provenance_log, share_address, tab, take_along, task_card
from dml_viz.app.component_loader import component
from dml_viz.app.lessons import editor
from dml_viz.app.theme import theme
from dml_viz.plot.style import palette
from dml_viz.room import task
from dml_viz.room.markdown import escape_except_tex
from dml_viz.room.short_link import SHORT, compress

# Streamlit's own setting of the theme in an address; it is not part of the short form.
THEME = "embed_options"
OWN = "own"
COLOURS = {OWN: "the reader’s", "light": "light", "dark": "dark"}
COLOUR = "share.colours"
QUIET_ZONE = 4  # modules around a QR code, as its standard asks


@dataclass(frozen=True)
class Links:
    """The link, its short form if that is shorter, and the image address of a QR code of the shorter of the two."""

    link: str
    short: str
    code: str


def links_to_page(address: str, settings: Mapping[str, str], colours: str = OWN) -> Links:
    """The links to the page at ``address`` with ``settings``, in "light" or "dark" ``colours``, or in the reader's "own".

    There is no QR code if even the shorter link is too long for one.
    """
    theme_setting = {} if colours == OWN else {THEME: f"{colours}_theme"}
    plain = presentation.address_with(address, {**dict(sorted(settings.items())), **theme_setting})
    packed = presentation.address_with(address, {SHORT: compress(settings), **theme_setting})
    shorter = packed if settings and len(packed) < len(plain) else ""
    try:
        code = segno.make(shorter or plain, error="l", micro=False)
    except segno.DataOverflowError:
        return Links(plain, shorter, "")
    return Links(plain, shorter, code.svg_data_uri(border=QUIET_ZONE, omitsize=True, dark="#000", light="#fff"))


@st.fragment
def button() -> None:
    """Draw the button, which opens the dialog."""
    with st.container(key="share", width="content"):
        if st.button("Share", icon=":material/share:", key="share.open", help="A link, a QR code, a lesson"):
            tab.control(COLOUR).set(OWN)
            _dialog()


@st.fragment
def lesson_button() -> None:
    """Draw the button that opens the editor of a lesson."""
    if st.button("Write your own", icon=":material/edit_note:", key="lessons.write"):
        _editor()


@st.dialog("Write a lesson of several pages", width="medium")
def _editor() -> None:
    editor.edit(None, share_address.choose_address(st.context.url or "/"))


@st.dialog("Share this page as it is", width="medium")
def _dialog() -> None:
    draw_dialog()


def draw_dialog() -> None:
    """Draw the content of the dialog: the links, and the controls that change them."""
    top = st.container()
    colours = st.segmented_control(
        "Colours",
        tuple(COLOURS),
        format_func=COLOURS.__getitem__,
        required=True,
        key=COLOUR,
        help="Light or dark for whoever opens the link, or as each reader has it.",
    )
    url = share_address.choose_address(st.context.url or "/")
    visit = tab.VISIT.get()
    with st.expander("Ask a question, lock or hide controls", icon=":material/school:", expanded=bool(task_card.task_draft())):
        made = task_card.edit_task(visit.offered)
    settings = {name: text for name, text in visit.shared.items() if name not in task.NAMES}
    with st.expander("Open a classroom", icon=":material/groups:", expanded=bool(tab.WALL.get())):
        classroom.offer(url)
    with st.expander("Write a lesson of several pages", icon=":material/route:"):
        editor.edit(settings | made.write(), url)
    with st.expander("Put one figure into slides", icon=":material/slideshow:"):
        presentation.offer_frame(url, settings)
    with st.expander("Take it along: one file that needs no server", icon=":material/download:"):
        take_along.offer_file(url, settings | made.write())
    shared = links_to_page(url, settings | made.write(), colours or OWN)
    with top:
        component("share")(
            key="share.links",
            data={"link": shared.link, "short": shared.short, "code": shared.code, "theme": theme(), "palette": palette()},
            on_colours_change=_take_colours,
        )
        if changes := provenance_log.notes().changes:
            step, what = changes[0]
            st.caption(
                f"This run was changed while it trained, first at step {step:,}: {escape_except_tex(what)}. The link has the "
                "settings of now and trains with them from the start: another run. The caption of an exported figure says what "
                "was changed."
            )


def _take_colours() -> None:
    """Start with the colours that the visitor has chosen in this browser."""
    colours: Any = (tab.control("share.links").get() or {}).get("colours")
    if colours in COLOURS:
        tab.control(COLOUR).set(colours)
