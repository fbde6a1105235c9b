"""The editor of a visitor's own lesson: its text, to which pages can be added, its link and its file."""

from collections.abc import Mapping
from urllib.parse import urlencode

import streamlit as st

from dml_viz.app import frame, frontend, tab
from dml_viz.app.lessons.bar import FIRST_LESSON, current_lesson, go_to_station, settings_of
from dml_viz.app.share_address import home_of
from dml_viz.room import lesson_text
from dml_viz.room.lesson_text import NAME, STATION, LessonError

FILE = "lessons.file"  # the key of the element for one
BEGINNING = "# My lesson\n"
HERE = "Add the page that you see as the first station, or begin with the first lesson and change it."
ELSEWHERE = "Begin with the first lesson and change it, or open a page and add it there: *Share*, then *Write a lesson*."
LONGEST = 20_000  # bytes of a file


def edit(settings: Mapping[str, str] | None, url: str) -> None:
    """Draw the text, and its link and file; ``settings`` are those of the page at ``url``, to be added as a station, if any."""
    lesson = current_lesson()
    tab.LESSON_TEXT.setdefault(tab.LESSON_DRAFT.get() or (lesson[0].text if lesson else BEGINNING))
    page = tab.PAGE.get()
    with st.container(horizontal=True, gap="small"):
        if settings is not None:
            station = lesson_text.address(page, {key: text for key, text in settings.items() if key not in (NAME, STATION)})
            st.button("Add this page", key="lessons.add", icon=":material/add:", on_click=_add, args=(page, station))
        st.button(
            "Begin with the first lesson",
            key="lessons.copy",
            on_click=_put,
            args=(lesson_text.find(FIRST_LESSON),),
            disabled=not _is_empty(tab.LESSON_TEXT.get()),
            help="It takes the place of an empty text alone.",
        )
    text = st.text_area("Lesson", key=tab.LESSON_TEXT.name, height=260, help=f"```text\n{_format()}\n```")
    tab.LESSON_DRAFT.set(text)
    frontend.allow_uploads(frontend.session_id())
    st.file_uploader("Or open a lesson from a file", type=["txt"], key=FILE, on_change=_open)
    if _is_empty(text) and not tab.LESSON_ERROR.find():
        st.caption(ELSEWHERE if settings is None else HERE)
        return
    try:
        if wrong := tab.LESSON_ERROR.pop():
            raise ValueError(wrong)
        draft = lesson_text.read(text, frame.titles())
    except ValueError as wrong:
        st.warning(str(wrong))
        return
    st.code(lesson_url(url, page, text), language=None)
    with st.container(horizontal=True, gap="small"):
        st.download_button("Save as a file", text, "lesson.txt", "text/plain", key="lessons.save")
        if st.button("Try it", key="lessons.try"):
            go_to_station(draft, 0)


def lesson_url(url: str, page: str, text: str) -> str:
    """The URL that begins the lesson ``text``; ``url`` is that of the present ``page``."""
    first = lesson_text.read(text, frame.titles()).stations[0]
    settings = {**settings_of(first), NAME: lesson_text.packed(text)}
    return f"{home_of(url, page)}/{first.page}?{urlencode(settings, safe='~')}"


def lesson_from_file(content: bytes) -> str:
    """The text of the lesson in a file's ``content``; ValueError, in one sentence, for other files."""
    if len(content) > LONGEST:
        raise ValueError(f"The file has {len(content):,} bytes; a lesson has at most {LONGEST:,}.")
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise ValueError("The file holds no text; a lesson is a plain text file in UTF-8.") from None
    lesson_text.read(text, frame.titles())
    return text


def _open() -> None:
    if file := tab.control(FILE).get():
        try:
            _put(lesson_from_file(file.read(LONGEST + 1)))
        except (LessonError, ValueError) as wrong:
            tab.LESSON_ERROR.set(f"{file.name[:40]}: {wrong}")


def _is_empty(text: str) -> bool:
    """Whether an author has written nothing yet."""
    return text.strip() in ("", BEGINNING.strip())


def _put(text: str) -> None:
    tab.LESSON_TEXT.set(text)


def _add(page: str, station: str) -> None:
    title = frame.titles().get(page, "A station")
    _put(f"{tab.LESSON_DRAFT.get().rstrip()}\n\n## {title}\nlink: {station}\n")


def _format() -> str:
    """The format of a lesson, from the docstring of the package."""
    lines = (lesson_text.__doc__ or "").splitlines()
    return "\n".join(line[4:] for line in lines if line.startswith("    ") or not line).strip("\n")
