"""The task of the page that runs now, kept in the session: its question and answer on top of the page, and its editor."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dml_viz.app import tab
from dml_viz.losses import KNOWN
from dml_viz.params import numerals
from dml_viz.room import task
from dml_viz.room.markdown import escape_except_tex
from dml_viz.room.task import ANSWER, FIGURE, FREE, HIDDEN, LOCKED, LONGEST, QUESTION, STATES, ActiveTask, Task


def current_task() -> ActiveTask:
    """The task of the page that runs now."""
    return tab.TASKS.setdefault({}).setdefault(tab.PAGE.get(), ActiveTask())


def draw_task() -> None:
    """Draw the page's question, in which only TeX is formatted, and its answer behind a button."""
    task = current_task().task
    if task.question or task.answer:
        _show(task)


@st.fragment
def _show(task: Task) -> None:
    with st.container(key="lesson", horizontal=True, vertical_alignment="center", gap="medium"):
        st.markdown(escape_except_tex(task.question or "A question"))
        if task.answer:
            is_open = tab.ANSWERED.get() == task
            label, then = ("Hide the answer", None) if is_open else ("Show the answer", task)
            st.button(label, key="lesson.answer", on_click=_open_answer, args=(then,))
            if is_open:
                with st.container(key="lesson-answer"):
                    st.markdown(escape_except_tex(task.answer))


def _open_answer(task: Task | None) -> None:
    tab.ANSWERED.set(task)


def task_draft() -> Task:
    """The visitor's draft of a task on the page that runs now; at first the task of the page."""
    drafts = tab.DRAFTS.setdefault({})
    return drafts.get(tab.PAGE.get(), current_task().task)


def edit_task(offered: Mapping[str, str]) -> Task:
    """The task that the drawn question, answer and rows declare; ``offered`` has the label of each control by key."""
    before = task_draft()
    question = _words("Question on top", QUESTION, before.question, "Which point moves most if m grows?")
    answer = _words("Answer, behind a button", ANSWER, before.answer, "")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("**Controls**", width="stretch")
        for every in STATES:
            st.button(f"All {every}", key=f"share.all.{every}", on_click=_all, args=(tuple(offered), every), type="tertiary")
    states: dict[str, str] = {}
    with st.container(key="share-rows", height=260, gap="small"):
        for key, label in offered.items():
            alike = list(offered.values()).count(label) > 1
            states[key] = _row(key, f"{label}, {_owner(key)}" if alike else label, before.state(key))
    made = Task(
        task.shortened(QUESTION, question, []),
        task.shortened(ANSWER, answer, []),
        tuple(key for key in states if states[key] == LOCKED),
        tuple(key for key in states if states[key] == HIDDEN),
    )
    tab.DRAFTS.get()[tab.PAGE.get()] = made
    st.caption(
        "Locked and hidden controls keep their present values. They guide and do not guard: without its link the page is free."
    )
    return made


def _words(label: str, name: str, text: str, example: str) -> str:
    key = tab.DRAFT_TEXT.of(name)
    return str(st.text_input(label, key.setdefault(text), key=key.name, max_chars=LONGEST[name], placeholder=example) or "")


def _row(key: str, label: str, state: str) -> str:
    slot = tab.DRAFT_STATE.of(key)
    now = slot.setdefault(state)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        value = _value(key)
        st.text(f"{label}: {value}" if value else label, width="stretch")
        states = (FREE, HIDDEN) if key.startswith(FIGURE) else STATES
        return str(st.segmented_control(label, states, default=now, key=slot.name, required=True, label_visibility="collapsed"))


def _owner(key: str) -> str:
    """The owner of a control, for labels that two controls of a page share."""
    owner = key.split(".")[-2:][0]
    return KNOWN[owner].title if owner in KNOWN else owner.replace("_", " ")


def _value(key: str) -> str:
    """The present value of a control as the page shows it; empty if that is no single word or number."""
    value: Any = st.session_state.get(key)
    visit = tab.VISIT.get()
    named = visit.named.get(key, {})
    if isinstance(value, str | int | float) and value in named:
        return named[value]
    if isinstance(value, bool):
        return "on" if value else "off"
    return numerals(f"{value:g}" if isinstance(value, float) else str(value)) if isinstance(value, int | float) else ""


def _all(keys: tuple[str, ...], state: str) -> None:
    for key in keys:
        if state != LOCKED or not key.startswith(FIGURE):
            tab.DRAFT_STATE.of(key).set(state)
