"""A classroom on the page: *Share* opens it, a teacher's tab is its wall, and a student's whole page follows.

The browser holds the conversation (assets/src/classroom); the page gets from it what to ask, to reveal and to open.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import segno
import streamlit as st
from streamlit import config, net_util

from dml_viz.app import frame, notice, share_address, tab, url_state
from dml_viz.app.component_loader import component
from dml_viz.app.lessons import bar
from dml_viz.app.prediction_card import KEY as PREDICT
from dml_viz.app.prediction_card import Asker, rounds_by_prediction
from dml_viz.app.theme import theme
from dml_viz.app.training_session import RUN
from dml_viz.figure_files.spec import address_today
from dml_viz.plot.style import palette
from dml_viz.room.component_data import OfferedQuestion
from dml_viz.room.lesson_text import NAME, STATION, address
from dml_viz.room.markdown import escape_except_tex
from dml_viz.serve.classroom.codes import LASTS, read_code
from dml_viz.serve.server import signer

WALL, ATTENDED = "wall", "classroom"  # in links: the code of the classroom that a tab teaches, and that it attends
CORNER = "classroom.corner"  # the key of the component
RUN_QUESTIONS = "train."  # begins the names of predictions on the teacher's own run
ENDS = {
    "over": "The classroom {} has ended.",
    "unknown": "The classroom {} is over: the server was started anew, or "
    f"{LASTS / 3600:g} hours have passed. Open a new one from *Share*.",
}


def offer(url: str) -> None:
    """Draw, in *Share*, the button that opens a classroom, or what there is to say of the open one; ``url`` is the page's."""
    if code := tab.WALL.get():
        st.markdown(f"The classroom **{code}** is open; its code is in a corner of every page. *Console* there opens your view.")
        if token := tab.CLASS_TOKEN.get():
            with st.popover("The console on your phone", icon=":material/qr_code:"):
                st.caption("Turn the projector off first: whoever scans this code runs the classroom.")
                st.image(_code_image(f"{_home(url)}/classroom/{code}/console#{token}"), width=260)
        st.button("Take the classroom off this tab", key="classroom.leave", on_click=_leave)
        return
    st.caption(
        "Students scan a code and answer on their own devices; then all see the answers under the computed truth. This tab "
        "becomes the wall, with the code in a corner; from the console, on your phone, you ask, close and reveal. No names."
    )
    if share_address.is_of_this_machine(url) and not _address(url):
        st.warning("This app is open to this machine alone. For a class, start it with `make serve`.")
    if st.button("Open a classroom", key="classroom.open", type="primary", icon=":material/groups:"):
        opened = signer().invite()
        tab.WALL.set(opened.code)
        tab.CLASS_TOKEN.set(opened.token)
        st.rerun()


def draw(asker: Asker | None) -> None:
    """Draw the corner of the classroom of this tab, if it has one, and do on the page what is asked in it."""
    wall, attended = (_code(name, key) for name, key in ((WALL, tab.WALL), (ATTENDED, tab.ATTENDED)))
    if not (wall or attended):
        return
    url = st.context.url or "/"
    join = f"{_home(url)}/classroom/{wall or attended}"
    with st.container(key="classroom"):
        corner = component("classroom")(
            key=CORNER,
            data={
                "code": wall or attended,
                "wall": bool(wall),
                "token": tab.CLASS_TOKEN.get(),
                "join": join,
                "image": _code_image(join),
                "offer": _own_question() or _question_of_page(asker),
                "stations": len(now[0].stations) if (now := bar.current_lesson()) else 0,
                "done": tab.CLASS_DONE.get(),
                "theme": theme(),
                "palette": palette(),
            },
            on_want_change=lambda: None,  # a state without a callback would not be returned
        )
    want = corner.want
    if isinstance(want, Mapping) and want.get("serial") != tab.CLASS_DONE.get():
        tab.CLASS_DONE.set(want.get("serial"))
        _do(want)


def _do(want: Mapping[str, Any]) -> None:
    """What the browser wants of the page: a question to be asked or revealed, none, or another page."""
    kind, name, page = (str(want.get(key, "")) for key in ("kind", "name", "page"))
    before = tab.CLASS_ASKED.get(), tab.CLASS_REVEALED.get()
    now = (name, kind == "reveal") if kind in ("ask", "reveal") else ("", False)
    if kind in ENDS:
        code = tab.WALL.get()
        notice.announce(ENDS[kind].format(code))
        tab.CLASSES_OVER.set(tab.CLASSES_OVER.get() | {code})
        _leave()
        st.rerun()
    if want.get("link"):
        _go(str(want["link"]))
    if kind not in ("ask", "reveal", "rest") or now == before or page not in frame.titles():
        return
    tab.CLASS_ASKED.set(now[0])
    tab.CLASS_REVEALED.set(now[1])
    if kind == "ask":
        rounds_by_prediction().pop(name, None)
    here = page == tab.PAGE.get() and name == tab.control(PREDICT, "").get()
    if name and not (here and kind == "ask"):
        _open(page, {PREDICT: name})
    if not name and before[0] == tab.control(PREDICT, "").get():
        tab.control(PREDICT).set("")
    st.rerun()


def _open(page: str, settings: dict[str, str]) -> None:
    """Open ``page`` with ``settings``, in the lesson and at the station of now if that is of the page."""
    now = bar.current_lesson()
    station = (
        {NAME: str(tab.control(NAME).get()), STATION: str(now[1] + 1)} if now and now[0].stations[now[1]].page == page else {}
    )
    bar.open_page(page, {**station, **settings})


def _go(link: str) -> None:
    """Open ``link``, an address of the app; of a lesson without a page, the station that it names."""
    parts = urlsplit(link)
    settings = dict(parse_qsl(parts.query, keep_blank_values=True))
    page, now = address_today(parts.path.strip("/")), bar.current_lesson()
    if now and not page and set(settings) == {NAME, STATION} and settings[NAME] == tab.control(NAME).get():
        station = int(settings[STATION]) - 1 if settings[STATION].isdecimal() else -1
        if 0 <= station < len(now[0].stations):
            bar.go_to_station(now[0], station)
    elif page in frame.titles():
        # A wall stays in its lesson; a student's tab gets the teacher's whole address.
        (_open if tab.WALL.get() else bar.open_page)(page, settings)


def _own_question() -> OfferedQuestion | None:
    """The question that the lesson's text asks at the station of this page, with the place of the right choice, if it has one."""
    now = bar.current_lesson()
    if now is None or (station := now[0].stations[now[1]]).right is None or station.page != tab.PAGE.get():
        return None
    ask = {"text": station.question, "by": {"kind": "choice", "options": station.choices}, "says": station.answer}
    if station.reveals is not None:
        ask["link"] = address(station.page, station.reveals)
    return {"title": escape_except_tex(station.question), "ask": ask, "right": station.right}


def _question_of_page(asker: Asker | None) -> OfferedQuestion | None:
    """The prediction that the link names, if it has one; of one on the teacher's own run with the run's id."""
    if asker is None or (prediction := asker.prediction) is None:
        return None
    run = {"run": RUN.job.id} if prediction.name.startswith(RUN_QUESTIONS) and RUN.job else {}
    return {"title": prediction.title, "ask": {"prediction": prediction.name, **run}, "right": None}


def _code(name: str, key: tab.Key[str]) -> str:
    """The code of the classroom in the link, else that of the tab; "" for one whose end the tab has seen."""
    code = read_code(url_state.arriving_text(name)) or key.get()
    if code in tab.CLASSES_OVER.get():
        return ""
    if code:
        url_state.write_setting(name, key.set(code), "", shared=False)
    return code


def _address(url: str) -> str:
    """The address of this page for others; "" if there is none."""
    if not share_address.is_of_this_machine(url):
        return url
    return share_address.address_in_network(url, config.get_option("server.address"), net_util.get_internal_ip())


def _home(url: str) -> str:
    """The address of the app for others, or that of here if there is none."""
    return share_address.home_of(_address(url) or url, tab.PAGE.get())


def _code_image(text: str) -> str:
    """The QR code of ``text`` as an address of an image."""
    return segno.make(text, micro=False).svg_data_uri(border=2, omitsize=True, dark="#000", light="#fff")


def _leave() -> None:
    for key in (tab.WALL, tab.ATTENDED, tab.CLASS_TOKEN, tab.CLASS_ASKED, tab.CLASS_REVEALED):
        key.pop()
