"""A task for readers of a page: a question on top, with some of its controls locked or hidden, all of it in the link.

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
class Task:
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
        """The settings of the task in a link; the answer is encoded, so that no one reads it there by accident."""
        values = {
            QUESTION: self.question,
            ANSWER: base64.urlsafe_b64encode(self.answer.encode()).decode().rstrip("="),
            LOCK: BETWEEN.join(self.locked),
            HIDE: BETWEEN.join(self.hidden),
        }
        return {name: text for name, text in values.items() if text}

    @classmethod
    def read(cls, settings: Mapping[str, str]) -> "tuple[Task, list[str]]":
        """The readable part of the task in the settings of a link, and sentences on what is wrong with the rest."""
        wrong: list[str] = []
        question = shortened(QUESTION, settings.get(QUESTION, ""), wrong)
        answer = shortened(ANSWER, _answer(settings.get(ANSWER, ""), wrong), wrong)
        hidden = _keys(settings.get(HIDE, ""), wrong)
        locked = tuple(key for key in _keys(settings.get(LOCK, ""), wrong) if key not in hidden)
        return cls(question, answer, locked, hidden), wrong


@dataclass
class ActiveTask:
    """The task of a page, and the values of the controls that it fixes."""

    task: Task = field(default_factory=Task)
    fixed: dict[str, Any] = field(default_factory=dict)

    def value(self, key: str, value: Any) -> Any:
        """The value of control ``key``: ``value`` if it is free, otherwise the first value that it had."""
        return value if self.task.state(key) == FREE else self.fixed.setdefault(key, value)


def current() -> ActiveTask:
    """The task of the page that runs now."""
    return tab.TASKS.setdefault({}).setdefault(tab.PAGE.get(), ActiveTask())


def begin(task: Task) -> None:
    """Set the task of the page that runs now."""
    active = current()
    active.task, active.fixed = task, {}


def state(key: str) -> str:
    """The state of control ``key`` in the page's task, one of `STATES`."""
    return current().task.state(key)


def hiding(keys: Iterable[str]) -> str:
    """Style that hides the elements with ``keys``; empty for none."""
    selectors = ", ".join(f".st-key-{re.sub(r'[^A-Za-z0-9_-]', '-', key)}" for key in keys)
    return f"<style>{selectors} {{ display: none !important; }}</style>" if selectors else ""


def hidden_figures() -> str:
    """Style that hides the figures that the page's task hides."""
    return hiding(key.removeprefix(FIGURE) for key in current().task.hidden if key.startswith(FIGURE))


def show() -> None:
    """Draw the page's question, in which only TeX is formatted, and its answer behind a button."""
    task = current().task
    if task.question or task.answer:
        _show(task)


@st.fragment
def _show(task: Task) -> None:
    with st.container(key="lesson", horizontal=True, vertical_alignment="center", gap="medium"):
        st.markdown(with_tex(task.question or "A question"))
        if task.answer:
            is_open = tab.ANSWERED.get() == task
            label, then = ("Hide the answer", None) if is_open else ("Show the answer", task)
            st.button(label, key="lesson.answer", on_click=_open_answer, args=(then,))
            if is_open:
                with st.container(key="lesson-answer"):
                    st.markdown(with_tex(task.answer))


def _open_answer(task: Task | None) -> None:
    tab.ANSWERED.set(task)


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
    """Remove controls from the page's task that the page has not ``offered``; return sentences on them."""
    known, active = set(offered), current()
    task = active.task
    locked, hidden = (tuple(key for key in keys if key in known) for keys in (task.locked, task.hidden))
    active.task = replace(task, locked=locked, hidden=hidden)
    return _left_out(key for key in (*task.locked, *task.hidden) if key not in known)


def _left_out(keys: Iterable[str]) -> list[str]:
    some = [f"“{key[:30]}”" for key in keys]
    more = f" and {len(some) - 3} more" if len(some) > 3 else ""
    return [f"the lesson names {', '.join(some[:3])}{more}, no control of this page"] if some else []
