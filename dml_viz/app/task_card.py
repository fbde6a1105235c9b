"""The task of the page that runs now: it is kept in the session, and its question and answer are drawn on top of the page."""

import streamlit as st

from dml_viz.app import tab
from dml_viz.room.markdown import with_tex
from dml_viz.room.task import ActiveTask, Task


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
