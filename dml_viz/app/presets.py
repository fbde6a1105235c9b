"""Presets: the row of buttons of a loss page with the sentence of the chosen one, and menus of whole recipes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from dml_viz.app import tab, url_state
from dml_viz.room import task
from dml_viz.room.room import Preset
from dml_viz.room.words import with_true_minus_signs

L = TypeVar("L")


def active_preset(*presets: Preset) -> Preset | None:
    """The first of ``presets`` whose settings are those of the controls; None without one."""
    now = {key: st.session_state.get(key) for key in {key for preset in presets for key in preset.settings}}
    return next((preset for preset in presets if all(now[key] == value for key, value in preset.settings.items())), None)


def preset_row(presets: Sequence[Preset], called: str = "Break it", *, see: Preset | None = None) -> None:
    """Draw the row of ``presets`` with the heading ``called``, after the preset ``see`` that the page is about."""
    state = url_state.register_control("presets", "presets")
    if state != task.HIDDEN:
        fixed: dict[str, Any] = {"on_click": st.session_state.update, "disabled": state == task.LOCKED}
        with st.container(horizontal=True, vertical_alignment="center", key="presets"):
            if see:
                st.markdown("**See**", width="content")
                st.button(see.label, icon=":material/lightbulb:", key="see", args=(see.settings,), **fixed)
            st.markdown(f"**{called}**", width="content")
            for preset in presets:
                st.button(preset.label, key=f"break.{preset.label}", args=(preset.settings,), **fixed)


def preset_menu(title: str, presets: Mapping[str, tuple[Mapping[str, Any], str]], apply: Callable[[Any], None]) -> None:
    """Draw a menu of ``presets``: by label, the settings with which a click calls ``apply``, and a sentence on them."""
    state = url_state.register_control("presets", title.lower())
    if state == task.HIDDEN:
        return
    with st.popover(title):
        for label, (settings, sentence) in presets.items():
            st.button(
                label,
                key=f"preset.{label}",
                on_click=apply,
                args=(settings,),
                help=sentence,
                width="stretch",
                disabled=state == task.LOCKED,
            )


def draw_sentence(key: str, sentences: Mapping[Preset, Callable[[L], str]], look: L, *, stays: bool = True) -> None:
    """Draw the sentence of the chosen preset; where it ``stays`` after a change, as that of before, no figure moves.

    Nothing is drawn while the page asks a question whose answer figures would show: the sentence may say it.
    """
    if tab.WITHHELD.get():
        return
    last = tab.PRESET_SENTENCE.of(key)
    preset = active_preset(*sentences)
    if preset:
        last.set(f"**{preset.label}.** {with_true_minus_signs(sentences[preset](look))}")
        st.info(last.get())
    elif stays and last.exists():
        with st.container(key="before"):
            st.info(f"Before your changes. {last.get()}")
