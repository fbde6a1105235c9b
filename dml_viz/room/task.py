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

from dml_viz.data.one_line import in_one_line

FREE, LOCKED, HIDDEN = "free", "locked", "hidden"
STATES = (FREE, LOCKED, HIDDEN)
QUESTION, ANSWER, LOCK, HIDE = "ask", "answer", "lock", "hide"
NAMES = (QUESTION, ANSWER, LOCK, HIDE)
LONGEST = {QUESTION: 200, ANSWER: 300}  # characters
CHOICE = "choice"
LONGEST_WITH_CHOICES = dict.fromkeys((QUESTION, CHOICE, ANSWER), 1000)
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

    def settle(self, offered: Iterable[str]) -> list[str]:
        """Remove controls that the page has not ``offered`` from the task; return sentences on them."""
        known, task = set(offered), self.task
        locked, hidden = (tuple(key for key in keys if key in known) for keys in (task.locked, task.hidden))
        self.task = replace(task, locked=locked, hidden=hidden)
        return _left_out(key for key in (*task.locked, *task.hidden) if key not in known)

    def hidden_figures(self) -> str:
        """Style that hides the figures that the task hides."""
        return hiding(key.removeprefix(FIGURE) for key in self.task.hidden if key.startswith(FIGURE))


def hiding(keys: Iterable[str]) -> str:
    """Style that hides the elements with ``keys``; empty for none."""
    selectors = ", ".join(f".st-key-{re.sub(r'[^A-Za-z0-9_-]', '-', key)}" for key in keys)
    return f"<style>{selectors} {{ display: none !important; }}</style>" if selectors else ""


def shortened(name: str, text: str, wrong: list[str]) -> str:
    """``text`` in one line, cut to the longest question or answer; a sentence on the cut is added to ``wrong``."""
    line = in_one_line(text)
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


def _left_out(keys: Iterable[str]) -> list[str]:
    some = [f"“{key[:30]}”" for key in keys]
    more = f" and {len(some) - 3} more" if len(some) > 3 else ""
    return [f"the lesson names {', '.join(some[:3])}{more}, no control of this page"] if some else []
