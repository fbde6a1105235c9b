"""Settings of a room asked for on its page: a control for each, whose value the link keeps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import glossary, lesson, url_state
from dml_viz.app.controls import choice, control, controls, number, values
from dml_viz.app.room import Action, Ask, Setting
from dml_viz.params import Param

T = TypeVar("T")


OPEN = 5  # controls that are in sight beside the figures; all others are in a drawer below them


class PageControls(Ask):
    """Draws what a room asks for where it is asked, and in the container ``bar`` what is asked above the article.

    After the first `OPEN` controls, what else is asked is in a drawer.
    """

    def __init__(self, bar: DeltaGenerator | None = None) -> None:
        self._bar, self._asked, self._above = bar, 0, False
        self._drawer: DeltaGenerator | None = None

    def _place(self, asks: int = 1) -> AbstractContextManager[Any]:
        """Where the next thing is drawn, which ``asks`` for so many values."""
        self._asked += 0 if self._above else asks
        if self._above or self._asked + (not asks) <= OPEN:
            return nullcontext()
        self._drawer = self._drawer or st.expander("More settings")
        return self._drawer

    def heading(self, text: str) -> None:
        with self._place(0):
            st.markdown(text)

    def remark(self, text: str) -> None:
        with self._drawer or nullcontext():
            st.html(text) if text.startswith("<") else glossary.say(text, "caption")

    def setting(self, key: str, knob: Setting) -> Any:
        value = url_state.setting(key, knob)
        url_state.keep(key, value, knob.default)
        return value

    @contextmanager
    def bar(self) -> Iterator[None]:
        self._above = True
        with self._bar or nullcontext():
            yield
        self._above = False

    def drawn(self, key: str, label: str, knob: Setting, draw: Callable[[Any, bool], None]) -> Any:
        value, state = url_state.setting(key, knob), url_state.offer(key, label)
        if state != lesson.HIDDEN:
            with self._place():
                draw(value, state == lesson.LOCKED)
        url_state.keep(key, value, knob.default)
        return value

    def knobs(self, declared: type[T], prefix: str, *, draw: bool = True) -> T:
        return controls(declared, prefix, draw=draw, get=self.control)

    def values(self, declared: Any, prefix: str, names: Sequence[str], *, note: str = "") -> dict[str, Any]:
        """Draw controls of the knobs ``names``; their values."""
        return values(declared, prefix, names, note=note, get=self.control)

    def control(self, knob: Param, key: str, *, note: str = "") -> Any:
        """Draw the control of ``knob``; its value."""
        with self._place():
            return control(knob, key, note=note)

    def choice(
        self, key: str, label: str, options: tuple[str, ...], default: str, *,
        named: Mapping[str, str] | None = None, note: str = "", menu: bool = False,
    ) -> str:  # fmt: skip
        """Draw the choice; the option chosen."""
        with self._place():
            return choice(key, label, options, default, named=named or {}, note=note, menu=menu)

    def number(self, key: str, label: str, low: int, high: int, default: int, *, note: str = "") -> int:
        """Draw a slider over whole numbers; the number chosen."""
        with self._place():
            return number(key, label, low, high, default, note=note)

    def default(self, key: str, value: str) -> None:
        url_state.follow(key, value)

    def buttons(self, key: str, label: str, actions: Mapping[str, Action]) -> None:
        state = url_state.offer(key, label.lower())
        if state == lesson.HIDDEN:
            return
        with self._place():
            st.caption(label)
            place = st.container(horizontal=True, gap="small", key=key.replace(".", "-"))
        with place:
            for name, action in actions.items():
                st.button(
                    name, key=f"{key.rpartition('.')[2]}.{name}", on_click=_act, args=(action,),
                    disabled=state == lesson.LOCKED,
                )  # fmt: skip


def _act(action: Action) -> None:
    st.session_state.update(action(st.session_state))  # type: ignore[arg-type]  # its keys are text
