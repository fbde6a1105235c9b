"""A lesson: a question on top of a page, with some of its controls locked or hidden, all of it in the link.

A locked control is drawn with its value and cannot be changed; a hidden one keeps its value and is not drawn. Neither is a
secret: whoever opens the page without the link has every control.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from dml_viz.app import tab
from dml_viz.room.markdown import with_tex

FREE, LOCKED, HIDDEN = "free", "locked", "hidden"
STATES = (FREE, LOCKED, HIDDEN)
QUESTION, ANSWER, LOCK, HIDE = "ask", "answer", "lock", "hide"
NAMES = (QUESTION, ANSWER, LOCK, HIDE)
LONGEST = {QUESTION: 200, ANSWER: 300}  # characters
MOST = 100  # controls
BETWEEN = "~"
KEY = re.compile(r"[A-Za-z][\w-]*(?:\.[\w-]+)*", re.ASCII)
FIGURE = "figure."  # begins the keys of figures, which are hidden or free


@dataclass(frozen=True)
class Lesson:
    """A question, its answer, and the keys of the controls that are locked and of those that are hidden; all may be empty."""

    question: str = ""
    answer: str = ""
    locked: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.question or self.answer or self.locked or self.hidden)

    def state(self, key: str) -> str:
        """The state of control ``key``, one of `STATES`."""
        return HIDDEN if key in self.hidden else LOCKED if key in self.locked else FREE

    def write(self) -> dict[str, str]:
        """The settings of the lesson in a link; the answer is encoded, so that no one reads it there by accident."""
        values = {
            QUESTION: self.question,
            ANSWER: base64.urlsafe_b64encode(self.answer.encode()).decode().rstrip("="),
            LOCK: BETWEEN.join(self.locked),
            HIDE: BETWEEN.join(self.hidden),
        }
        return {name: text for name, text in values.items() if text}

    @classmethod
    def read(cls, asked: Mapping[str, str]) -> "tuple[Lesson, list[str]]":
        """The readable part of the lesson in the settings of a link, and sentences on what is wrong with the rest."""
        wrong: list[str] = []
        question = shortened(QUESTION, asked.get(QUESTION, ""), wrong)
        answer = shortened(ANSWER, _answer(asked.get(ANSWER, ""), wrong), wrong)
        hidden = _keys(asked.get(HIDE, ""), wrong)
        locked = tuple(key for key in _keys(asked.get(LOCK, ""), wrong) if key not in hidden)
        return cls(question, answer, locked, hidden), wrong


@dataclass
class Given:
    """The lesson of a page, and the values of the controls that it fixes."""

    lesson: Lesson = field(default_factory=Lesson)
    fixed: dict[str, Any] = field(default_factory=dict)

    def at(self, key: str, value: Any) -> Any:
        """The value of control ``key``: ``value`` if it is free, otherwise the first value that it had."""
        return value if self.lesson.state(key) == FREE else self.fixed.setdefault(key, value)


def given() -> Given:
    """The lesson of the page that runs now."""
    lessons = tab.LESSONS.setdefault({})
    return lessons.setdefault(tab.PAGE.get(), Given())


def give(lesson: Lesson) -> None:
    """Set the lesson of the page that runs now."""
    now = given()
    now.lesson, now.fixed = lesson, {}


def state(key: str) -> str:
    """The state of control ``key`` in the page's lesson, one of `STATES`."""
    return given().lesson.state(key)


def hiding(keys: Iterable[str]) -> str:
    """Style that hides the elements with ``keys``; empty for none."""
    chosen = ", ".join(f".st-key-{re.sub(r'[^A-Za-z0-9_-]', '-', key)}" for key in keys)
    return f"<style>{chosen} {{ display: none !important; }}</style>" if chosen else ""


def hidden_figures() -> str:
    """Style that hides the figures that the page's lesson hides."""
    return hiding(key.removeprefix(FIGURE) for key in given().lesson.hidden if key.startswith(FIGURE))


def show() -> None:
    """Draw the page's question, in which only TeX is formatted, and its answer behind a button."""
    lesson = given().lesson
    if lesson.question or lesson.answer:
        _ask(lesson)


@st.fragment
def _ask(lesson: Lesson) -> None:
    with st.container(key="lesson", horizontal=True, vertical_alignment="center", gap="medium"):
        st.markdown(with_tex(lesson.question or "A question"))
        if lesson.answer:
            shown = tab.ANSWERED.get() == lesson
            label, then = ("Hide the answer", None) if shown else ("Show the answer", lesson)
            st.button(label, key="lesson.answer", on_click=_answered, args=(then,))
            if shown:
                with st.container(key="lesson-answer"):
                    st.markdown(with_tex(lesson.answer))


def _answered(lesson: Lesson | None) -> None:
    tab.ANSWERED.set(lesson)


def shortened(name: str, text: str, wrong: list[str]) -> str:
    """``text`` in one line, cut to the longest question or answer; a sentence on the cut is added to ``wrong``."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    most = LONGEST[name]
    if len(line) > most:
        what = "question" if name == QUESTION else "answer"
        wrong.append(f"the lesson's {what} has {len(line)} characters: its first {most} are shown")
    return line[:most].rstrip()


def _answer(text: str, wrong: list[str]) -> str:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        wrong.append("the lesson's answer cannot be read and was left out")
        return ""


def _keys(text: str, wrong: list[str]) -> tuple[str, ...]:
    """The keys in ``text``, each once."""
    named = [key for key in dict.fromkeys(text.split(BETWEEN)) if key]
    wrong += _left_out(key for key in named if not KEY.fullmatch(key))
    good = tuple(key for key in named if KEY.fullmatch(key))
    if len(good) > MOST:
        wrong.append(f"the lesson names {len(good)} controls: the first {MOST} count")
    return good[:MOST]


def settle(offered: Iterable[str]) -> list[str]:
    """Remove controls from the page's lesson that the page has not ``offered``; return sentences on them."""
    known, now = set(offered), given()
    lesson = now.lesson
    locked, hidden = (tuple(key for key in keys if key in known) for keys in (lesson.locked, lesson.hidden))
    now.lesson = replace(lesson, locked=locked, hidden=hidden)
    return _left_out(key for key in (*lesson.locked, *lesson.hidden) if key not in known)


def _left_out(keys: Iterable[str]) -> list[str]:
    some = [f"“{key[:30]}”" for key in keys]
    more = f" and {len(some) - 3} more" if len(some) > 3 else ""
    return [f"the lesson names {', '.join(some[:3])}{more}, no control of this page"] if some else []
