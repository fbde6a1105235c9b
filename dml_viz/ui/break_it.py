"""The row of "Break it" presets that every page of a loss has: one click each, and the page says what just happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st


@dataclass(frozen=True, eq=False)
class Preset:
    """A button and the controls that it sets: session-state key -> value."""

    label: str
    settings: Mapping[str, Any]

    @property
    def stands(self) -> bool:
        """Whether every control says what this preset would set."""
        return all(st.session_state.get(key) == value for key, value in self.settings.items())


def break_it(presets: Sequence[Preset]) -> Preset | None:
    """Draw the row; the preset that the controls spell at this moment, if any."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Break it**", width="content")
        for preset in presets:
            st.button(
                preset.label, key=f"break.{preset.label}", type="primary" if preset.stands else "secondary",
                on_click=_set, args=(preset,),
            )  # fmt: skip
    return next((preset for preset in presets if preset.stands), None)


def _set(preset: Preset) -> None:
    st.session_state.update(preset.settings)
