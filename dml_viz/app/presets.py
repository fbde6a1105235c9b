"""The row of presets that every page of a loss has: one click each, and the page says what just happened."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import lesson, url_state
from dml_viz.app.room import Preset

L = TypeVar("L")
# In one line with the choice of subject where they fit; on a narrow screen it scrolls sideways, so that the figures stay near.
STYLE = """<style>
.st-key-presets, .st-key-presets [data-testid="stHorizontalBlock"] { gap: 0.4rem; }
.st-key-presets button { min-height: 1.9rem; padding: 0 0.6rem; }
.st-key-presets button p { font-size: 0.875rem; white-space: nowrap; }
.st-key-before { opacity: 0.65; }
@media (min-width: 641px) {
  .st-key-head { gap: 0.5rem 0.4rem; }
  .st-key-head [data-testid="stLayoutWrapper"], .st-key-head [data-testid="stHorizontalBlock"] { display: contents; }
  .st-key-head .st-key-subject { margin-right: 1rem; }
}
.st-key-head [data-testid="stButtonGroup"] { display: flex; align-items: center; gap: 0.6rem; }
.st-key-head [data-testid="stButtonGroup"] label { margin: 0; white-space: nowrap; }
@media (max-width: 640px) {
  .st-key-head { flex-direction: column !important; gap: 0.6rem; }
  .st-key-head > *, .st-key-head [data-testid="stLayoutWrapper"] { flex: none !important; width: 100% !important; }
  .st-key-presets { flex-wrap: nowrap !important; overflow-x: auto; padding-bottom: 0.3rem; }
  .st-key-presets > * { flex: none !important; }
}
</style>"""


def chosen(preset: Preset) -> bool:
    """Whether every control says what ``preset`` would set."""
    return all(st.session_state.get(key) == value for key, value in preset.settings.items())


def head() -> DeltaGenerator:
    """Where a page asks for its subject and draws its row of presets."""
    return st.container(horizontal=True, vertical_alignment="center", key="head")


def break_it(presets: Sequence[Preset], *, see: Preset | None = None) -> Preset | None:
    """Draw the row, headed by the page's lesson ``see``; the preset that the controls spell at this moment, if any."""
    st.html(STYLE)
    state = url_state.offer("presets", "presets")
    if state != lesson.HIDDEN:
        fixed: dict[str, Any] = {"on_click": _set, "disabled": state == lesson.LOCKED}
        with st.container(horizontal=True, vertical_alignment="center", key="presets"):
            if see:
                st.markdown("**See**", width="content")
                st.button(see.label, icon=":material/lightbulb:", key="see", args=(see,), **fixed)
            st.markdown("**Break it**", width="content")
            for preset in presets:
                st.button(preset.label, key=f"break.{preset.label}", args=(preset,), **fixed)
    every = (see, *presets) if see else presets
    return next((preset for preset in every if chosen(preset)), None)


def say(key: str, sentences: Mapping[Preset, Callable[[L], str]], look: L) -> None:
    """Say what the chosen preset shows; once a control has changed, what it showed, so that no figure jumps."""
    sentence_key = f"{key}.told"
    standing = next((preset for preset in sentences if chosen(preset)), None)
    if standing:
        sentence = re.sub(r"(?<![\w-])-(?=\d)", "−", sentences[standing](look))
        st.session_state[sentence_key] = f"**{standing.label}.** {sentence}"
        st.info(st.session_state[sentence_key])
    elif sentence_key in st.session_state:
        with st.container(key="before"):
            st.info(f"As it stood. {st.session_state[sentence_key]}")


def _set(preset: Preset) -> None:
    st.session_state.update(preset.settings)
