"""The row of presets that every page of a loss has: one click each, and the page says what just happened."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import lesson, url_state
from dml_viz.app.room import Preset

L = TypeVar("L")
# One line; without room for it, the page's lesson is cut short. On a narrow screen two lines, the rest on scrolling.
STYLE = """<style>
.st-key-presets, .st-key-presets [data-testid="stHorizontalBlock"] { gap: 0.4rem; }
.st-key-presets button { min-height: 1.8rem; padding: 0 0.5rem; }
.st-key-presets button p { font-size: 0.8125rem; white-space: nowrap; }
.st-key-before { opacity: 0.65; }
@media (min-width: 641px) {
  .st-key-presets { flex-wrap: nowrap !important; }
  .st-key-presets > * { flex: none; }
  .st-key-presets > .st-key-see { flex: 0 1 auto; min-width: 8rem; }
  .st-key-see button > div, .st-key-see button p { min-width: 0; overflow: hidden; text-overflow: ellipsis; }
}
.st-key-corner [data-testid="stButtonGroup"], .st-key-head [data-testid="stButtonGroup"] {
  display: flex; align-items: center; gap: 0.6rem;
}
.st-key-corner label, .st-key-head [data-testid="stButtonGroup"] label { margin: 0; white-space: nowrap; }
@media (max-width: 640px) {
  .st-key-head > *, .st-key-head [data-testid="stLayoutWrapper"] { flex: none !important; width: 100% !important; }
  .st-key-presets { max-height: 5rem; overflow-y: auto; }
  .st-key-presets button { max-width: 88vw; overflow: hidden; }
}
</style>"""


def chosen(preset: Preset) -> bool:
    """Whether every control says what ``preset`` would set."""
    return all(st.session_state.get(key) == value for key, value in preset.settings.items())


def head() -> DeltaGenerator:
    """Where a page asks for its subject and draws its row of presets."""
    return st.container(key="head")


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
            st.info(f"Before the last change. {st.session_state[sentence_key]}")


def _set(preset: Preset) -> None:
    st.session_state.update(preset.settings)
