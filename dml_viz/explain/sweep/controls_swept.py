"""The sidebar of a run whose knobs are partly set by a sweep: a sentence says so in place of their controls."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import streamlit as st

from dml_viz.app import url_state
from dml_viz.app.controls import SessionReader
from dml_viz.app.run_controls import RunControls
from dml_viz.explain.sweep.settings import SAME, axes_of
from dml_viz.params import Param
from dml_viz.room import task
from dml_viz.room.ask import NOTHING
from dml_viz.room.run_form import run_form
from dml_viz.training.paths import OBJECTS, link_key, write_value
from dml_viz.training.sweep import EQUAL, Axis


class SweptControls(RunControls):
    """The controls of a run; a sentence replaces those whose value the sweep sets, or is below them if it still counts."""

    def control(self, knob: Param, key: str, *, note: str = "", named: Mapping[Any, str] = NOTHING, menu: bool = False) -> Any:
        axis = self._axes.get(key)
        if not axis:
            return super().control(knob, key, note=note, named=named, menu=menu)
        words = f"the sweep tries **{', '.join(named.get(each) or write_value(each) for each in axis.values)}**"
        # If all runs see equally many images, the run's own batch size counts.
        batch = self._equal == "images" and axis.path.startswith(("sampler.", "dataset."))
        if axis.path not in OBJECTS and not batch:
            if url_state.register_control(key, knob.called) != task.HIDDEN:
                st.caption(f"{knob.called[:1].upper()}{knob.called[1:]}: {words}.")
            return self.setting(key, knob)
        value = super().control(knob, key, note=note, named=named, menu=menu)
        used = (
            "value above says how many images each run sees" if batch else f"settings of {named.get(value)} are used for it alone"
        )
        st.caption(f"Here {words}. The {used}.")
        return value

    @cached_property
    def _equal(self) -> str:
        return str(url_state.setting(SAME, Param(SAME, EQUAL[0], "", "Equal for all", choices=EQUAL)))

    @cached_property
    def _axes(self) -> Mapping[str, Axis]:
        """The values that the sweep tries, by the key of the control; empty if the run is impossible."""
        try:
            run = run_form(SessionReader())
        except ValueError:
            return {}  # the sidebar says why it is impossible
        return {link_key(run, axis.path): axis for axis in axes_of(self, run)}
