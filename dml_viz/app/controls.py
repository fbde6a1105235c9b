"""Controls of a page for the settings of a room, whose values are kept in the link."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import glossary, tab, url_state
from dml_viz.params import Param
from dml_viz.room import task
from dml_viz.room.ask import NOTHING, Action, Ask, Setting, Several, Versions

OPEN = 5  # controls of a room in sight beside the figures; the others are in a drawer below them


class SessionReader(Ask):
    """Answers from the session and the address, and draws nothing."""

    def of_version(self, versions: Versions) -> None:
        super().of_version(versions)
        url_state.of_version(versions)

    def setting(self, key: str, knob: Setting) -> Any:
        knob = self.with_page_default(key, knob)
        value = url_state.setting(key, knob)
        url_state.write_setting(key, value, knob.default)
        return value

    def follow_default(self, key: str, value: str) -> None:
        url_state.follow_default(key, value)


class PageControls(SessionReader):
    """Draws a control for each setting that is asked for; those asked for within `bar` are in the container ``bar``.

    All controls after the first ``most`` are in a drawer.
    """

    def __init__(self, bar: DeltaGenerator | None = None, most: float = math.inf) -> None:
        self._bar, self._most, self._asked, self._above = bar, most, 0, False
        self._drawer: DeltaGenerator | None = None

    def _place(self, asks: int = 1) -> AbstractContextManager[Any]:
        """The place of the next element, which counts as ``asks`` controls."""
        self._asked += 0 if self._above else asks
        if self._above or self._asked + (not asks) <= self._most:
            return nullcontext()
        self._drawer = self._drawer or st.expander("More settings")
        return self._drawer

    def heading(self, text: str) -> None:
        with self._place(0):
            st.markdown(text)

    def remark(self, text: str) -> None:
        with self._drawer or nullcontext():
            st.html(text) if text.startswith("<") else glossary.say(text, "caption")

    def fold(self, label: str) -> AbstractContextManager[Any]:
        return st.expander(label, expanded=False)

    def refuse(self, reason: str, instead: str) -> None:
        st.warning(f"{reason}. {instead}")

    @contextmanager
    def bar(self) -> Iterator[None]:
        self._above = True
        with self._bar or nullcontext():
            yield
        self._above = False

    def several(
        self, key: str, label: str, knob: Several, sets: Mapping[str, tuple[str, ...]], named: Mapping[str, str] = NOTHING
    ) -> str:
        value, state = url_state.setting(key, knob), url_state.register_control(key, label.lower())
        if state != task.HIDDEN:
            with self._place():
                _popover(knob, key, label, value, sets, named, state == task.LOCKED)
        url_state.write_setting(key, value, knob.default)
        return str(value)

    def control(self, knob: Param, key: str, *, note: str = "", named: Mapping[Any, str] = NOTHING, menu: bool = False) -> Any:
        """The value of ``knob``, by a control that the link keeps under ``key``; a slider with one value is not drawn."""
        knob = self.with_page_default(key, knob)
        if knob.pattern or (knob.slider and knob.slider[0] == knob.slider[1]):
            return self.setting(key, knob)
        named = {option: named.get(option, str(option)) for option in knob.choices}
        value, state = url_state.setting(key, knob), url_state.register_control(key, knob.label_text, named)
        if state != task.HIDDEN:
            with self._place():
                value = widget_for(knob, key, note=note, disabled=state == task.LOCKED, named=named, menu=menu)
        url_state.write_setting(key, value, knob.default)
        return value

    def buttons(self, key: str, label: str, actions: Mapping[str, Action]) -> None:
        state = url_state.register_control(key, label.lower())
        if state == task.HIDDEN:
            return
        with self._place():
            st.caption(label)
            place = st.container(horizontal=True, gap="small", key=key.replace(".", "-"))
        with place:
            for name, action in actions.items():
                st.button(
                    name, key=f"{key.rpartition('.')[2]}.{name}", on_click=_act, args=(action,), disabled=state == task.LOCKED
                )


def _popover(
    knob: Several, key: str, label: str, now: str, sets: Mapping[str, tuple[str, ...]], named: Mapping[str, str], disabled: bool
) -> None:
    """Draw the choice of some options: how many they are now, and when it is opened a button for each set, and each option."""
    pills = tab.control(f"{key}.pills")

    def take(some: tuple[str, ...] | None = None) -> None:
        tab.control(key).set(knob.write(tuple(pills.get()) if some is None else some))

    names = knob.names(now)
    with st.popover(f"{label}: {len(names)} of {len(knob.options)}", icon=":material/stacks:", disabled=disabled):
        with st.container(horizontal=True):
            for name, some in sets.items():
                kind: Any = "primary" if set(some) == set(names) else "secondary"
                st.button(name, key=f"{key}.set.{name}", on_click=take, args=(some,), type=kind)
        pills.set(list(names))
        st.pills(
            label,
            (*knob.options, *(name for name in names if name not in knob.options)),
            selection_mode="multi",
            key=pills.name,
            format_func=named.__getitem__,
            on_change=take,
            label_visibility="collapsed",
            disabled=disabled,
        )


def widget_for(
    knob: Param,
    key: str,
    *,
    note: str = "",
    on_change: Callable[[], None] | None = None,
    disabled: bool = False,
    named: Mapping[Any, str] = NOTHING,
    menu: bool = False,
) -> Any:
    """The value of ``knob`` in a control outside the link, from the session's value under ``key``; ``named`` names choices."""
    now, label = st.session_state[key], _label(knob)
    meaning = f"{knob.meaning[:1].upper()}{knob.meaning[1:]}.  \nDefault {knob.default}." if knob.meaning else ""
    help_text = "  \n".join(filter(None, (meaning, knob.source, note))) or None
    common: dict[str, Any] = {"key": key, "help": help_text, "on_change": on_change, "disabled": disabled}
    value: Any
    if knob.reads:
        value = _typed(knob, knob.reads, label, now, common)
    elif knob.kind is bool:
        value = st.toggle(label, now, **common)
    elif knob.choices:
        common["format_func"] = lambda choice: named.get(choice, str(choice))
        if menu or len(knob.choices) > 4:
            value = st.selectbox(label, knob.choices, index=knob.choices.index(now), **common)
        else:
            value = st.segmented_control(label, knob.choices, default=now, required=True, **common)
    elif knob.log:
        # A link may have a value between the marks.
        marks = sorted({*_decades(knob), now})
        value = st.select_slider(label, marks, now, format_func=lambda mark: f"{mark:g}", **common)
    elif knob.slider:
        low, high = (knob.kind(end) for end in knob.slider)
        value = st.slider(label, low, high, knob.kind(now), step=knob.kind(knob.step or 1), **common)
    else:
        value = st.number_input(label, value=now, step=knob.step, **common)
    return value


def _typed(knob: Param, reads: Callable[[str], Any], label: str, now: str, common: Mapping[str, Any]) -> str:
    """The value of a text box. A text that cannot be read stays in it with the error marked; ``key`` has the last good one."""
    key, on_change = common["key"], common["on_change"]
    box, shown = tab.TYPED.of(key), tab.TYPED_FOR.of(key)
    if shown.find() != now or not box.exists():
        shown.set(box.set(now))

    def take() -> None:
        if not knob.error_for(box.get()):
            st.session_state[key] = shown.set(box.get())
            if on_change:
                on_change()

    with st.container(key=f"{key.replace('.', '-')}-box"):
        typed = st.text_input(label, **{**common, "key": box.name, "on_change": take})
        try:
            reads(typed)
        except ValueError as error:
            at = getattr(error, "at", 0)
            before = typed[max(at - 40, 0) : at]
            st.code(f"{before}{typed[at : at + 20]}\n{' ' * len(before)}↑", language=None)
            st.error(f"{error}. The last one that could be read is shown.")
    return now


@lru_cache(512)
def _label(knob: Param) -> str:
    """The label of the control of ``knob``, with its symbol and its unit."""
    symbol = "" if knob.kind in (bool, str) else _letters(knob.symbol)
    signs = ", ".join(sign for sign in (symbol, knob.unit) if sign not in ("", "count", knob.label_text))
    return f"{knob.label_text} ({signs})" if signs else knob.label_text


def _letters(symbol: str) -> str:
    """A LaTeX symbol in plain letters, which a screen reader can read: a Greek letter as itself; empty for longer formulas."""

    def letter(command: re.Match[str]) -> str:
        size, name = "SMALL" if command[1].islower() else "CAPITAL", command[1].upper().removeprefix("VAR")
        try:
            return unicodedata.lookup(f"GREEK {size} LETTER {'LAMDA' if name == 'LAMBDA' else name}")
        except KeyError:
            return ""

    plain = re.sub(r"[{}]", "", re.sub(r"\\([A-Za-z]+)", letter, symbol)).strip()
    return plain if re.fullmatch(r"\w\w?(_\w)?", plain) else ""


def _decades(knob: Param) -> list[Any]:
    """1, 2 and 5 times powers of ten within the slider, and the default."""
    assert knob.slider
    low, high = knob.slider
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = {
        knob.kind(f"{lead}e{power}") if knob.kind is float else knob.kind(lead * 10**power)
        for power in range(first, last + 1)
        for lead in (1, 2, 5)
    }
    return sorted({step for step in steps if low <= step <= high} | {knob.default})


def _act(action: Action) -> None:
    st.session_state.update(action(st.session_state))  # type: ignore[arg-type]  # its keys are text
