"""The bar of a lesson above a page: the station, its task, and buttons to the stations before and after."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from dml_viz.app import frame, tab, url_state
from dml_viz.app.prediction_card import KEY as PREDICT
from dml_viz.app.prediction_card import draw_prediction, rounds_by_prediction
from dml_viz.params import Domain, Param
from dml_viz.room import lesson_text
from dml_viz.room.ask import ReadSetting
from dml_viz.room.lesson_text import MOST_STATIONS, NAME, STATION, Lesson, Station
from dml_viz.room.markdown import escape_except_tex
from dml_viz.room.prediction import CLOSE, REVEALED, RIGHT
from dml_viz.room.task import Task

FIRST_LESSON = "first.2"


@dataclass(frozen=True)
class LessonSetting(ReadSetting):
    """A lesson in a link: the name of a built-in one, or the whole lesson, compressed; empty for none."""

    default: str = ""

    def read(self, text: str) -> str:
        """``text`` itself; ValueError, in one sentence, if it is no lesson."""
        if text:
            lesson_text.read(lesson_text.find(text), frame.titles())
        return text


PLACE = Param(STATION, 1, "", "station of the lesson", domain=Domain(1, MOST_STATIONS, False, False))


def current_lesson() -> tuple[Lesson, int] | None:
    """The lesson of the page, and the index of its station; None without a lesson."""
    name = str(tab.control(NAME, "").get())
    if not name:
        return None
    lesson = lesson_text.read(lesson_text.find(name), frame.titles())
    return lesson, min(int(tab.control(STATION, 1).get()), len(lesson.stations)) - 1


def draw_bar() -> None:
    """Draw the bar, if the link has a lesson, and the question of its station."""
    _read_older()
    name = url_state.setting(NAME, LessonSetting())
    url_state.write_setting(NAME, name, "")
    most = len(lesson_text.read(lesson_text.find(name), frame.titles()).stations) if name else MOST_STATIONS
    place = url_state.setting(STATION, replace(PLACE, domain=Domain(1, most, False, False)))
    url_state.write_setting(STATION, place if name else 1, 1)
    now = current_lesson()
    if now is None:
        return
    lesson, at = now
    station, here = lesson.stations[at], lesson.stations[at].page == tab.PAGE.get()
    stop = "" if station.title.endswith(("?", "!", ".")) else "."
    with st.container(key="lesson-bar"), st.container(horizontal=True, vertical_alignment="center", gap="small"):
        place = f"{escape_except_tex(lesson.title)}, {at + 1} of {len(lesson.stations)}"
        st.markdown(f"{place}: **{escape_except_tex(station.title)}{stop}** {escape_except_tex(station.text)}", width="stretch")
        _buttons(lesson, at, here)
    prediction = station.as_prediction(_question(lesson, at))
    if prediction and here and not tab.WALL.get():
        draw_prediction(prediction, lambda _: (None, None), lambda: _reveal(station))


def _read_older() -> None:
    """Read a link to a station of an older order as one of today's, with the question that the station asks today."""
    visit = tab.VISIT.get()
    if not visit.arrived or visit.link.get(NAME) not in lesson_text.FORMER:
        return
    visit.link = lesson_text.of_today(visit.link)
    stations = lesson_text.read(lesson_text.find(visit.link[NAME]), frame.titles()).stations
    number = visit.link[STATION]
    if number.isdecimal() and 0 < int(number) <= len(stations):
        asks = stations[int(number) - 1].settings[PREDICT]
        if visit.link.get(PREDICT, "").partition(".")[0] == asks.partition(".")[0]:  # of this station's page
            visit.link[PREDICT] = asks


def _buttons(lesson: Lesson, at: int, here: bool) -> None:
    if not here and st.button("Back to the station", key="lesson.return", type="primary"):
        go_to_station(lesson, at)
    if at and st.button("Back", key="lesson.back"):
        go_to_station(lesson, at - 1)
    if at + 1 < len(lesson.stations):
        done = here and prediction_is_answered(lesson, at)
        if st.button("Next", key="lesson.next", type="primary" if done else "secondary"):
            go_to_station(lesson, at + 1)
    elif prediction_is_answered(lesson, at):
        st.markdown(ending_text(lesson), width="content")
        frame.link("train", {}, label="Train your own", icon=":material/model_training:")
        frame.link("reference", {}, label="All losses", icon=":material/menu_book:")
    st.button("Leave", key="lesson.leave", type="tertiary", on_click=leave_lesson)


def first_lesson_button() -> None:
    """Draw the button that begins the first lesson."""
    if tab.control(NAME).get():
        return
    with st.container(key="lesson-begin", width="content"):
        if st.button("The first lesson", icon=":material/school:", type="primary", key="lesson.begin", help="Twenty minutes"):
            go_to_station(lesson_text.read(lesson_text.find(FIRST_LESSON), frame.titles()), 0)


def prediction_is_answered(lesson: Lesson, at: int) -> bool:
    """Whether the question of a station has been revealed, or the station has none."""
    name = _question(lesson, at)
    return not name or (name in rounds_by_prediction() and rounds_by_prediction()[name].stage == REVEALED)


def ending_text(lesson: Lesson) -> str:
    """The end of a lesson, and how many of its predictions were right and close, if it asked any."""
    names = [] if tab.WALL.get() else [name for at in range(len(lesson.stations)) if (name := _question(lesson, at))]
    outcomes = [rounds_by_prediction()[name].revealed for name in names if name in rounds_by_prediction()]
    right, close = (sum(each.verdict == verdict for each in outcomes if each) for verdict in (RIGHT, CLOSE))
    return f"**Done.** {right} of {len(names)} predictions right, {close} close." if names else "**Done.**"


def go_to_station(lesson: Lesson, at: int) -> None:
    """Go to a station."""
    station = lesson.stations[at]
    number = {STATION: str(at + 1)} if at else {}
    open_page(station.page, {**settings_of(station), NAME: lesson_text.packed(lesson.text), **number})


def open_page(page: str, settings: Mapping[str, str]) -> None:
    """Open a page by a link with ``settings``, within the running session."""
    tab.VISIT.pop()
    tab.SENT.pop()
    carried = {"present": "main"} if tab.control("present").get() else {}
    carried |= {name: code for name, key in (("wall", tab.WALL), ("classroom", tab.ATTENDED)) if (code := key.get())}
    link = {**settings, **carried}
    if target := frame.page_objects().get(page):
        st.switch_page(target, query_params=link)
    st.query_params.from_dict(link)
    st.rerun()


def leave_lesson() -> None:
    """Leave the lesson; the page stays as it is."""
    tab.control(NAME).set("")


def settings_of(station: Station) -> dict[str, str]:
    """The settings of a station's link, with its own question if that has no choices."""
    question = Task(station.question, station.answer).write() if station.question and not station.choices else {}
    return {**station.settings, **question}


def _question(lesson: Lesson, at: int) -> str:
    station = lesson.stations[at]
    return f"{STATION}.{at + 1}.{hash(lesson.text)}" if station.choices else station.settings.get(PREDICT, "")


def _reveal(station: Station) -> None:
    if station.reveals is not None:
        url_state.open_anew(station.reveals)
