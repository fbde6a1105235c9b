"""The page Sweep, drawn, with the controls of the run that it sweeps."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import streamlit as st

from dml_viz.app import glossary, provenance_log, url_state
from dml_viz.app.controls import SessionReader
from dml_viz.app.figure import of_room
from dml_viz.app.page import page, section, section_notes
from dml_viz.app.prediction_card import asker_of
from dml_viz.app.presets import preset_menu
from dml_viz.app.run_controls import RunControls, draw_run_form
from dml_viz.explain.sweep import ROOM, controls, controls_table, controls_training
from dml_viz.explain.sweep import text as say
from dml_viz.explain.sweep.model import Settings, SweepScores
from dml_viz.explain.sweep.predictions import PREDICTIONS
from dml_viz.explain.sweep.settings import PRESETS, SAME, TITLE, axes_of
from dml_viz.params import Param
from dml_viz.room import task
from dml_viz.room.ask import NOTHING
from dml_viz.room.room import NO_POINTS
from dml_viz.room.run_form import run_form
from dml_viz.training.paths import OBJECTS, link_key, write_value
from dml_viz.training.sweep import EQUAL, Axis, Sweep

ASKER = asker_of(ROOM, PREDICTIONS)


class SweptControls(RunControls):
    """The controls of a run; a sentence replaces those whose value the sweep sets, or is below them if it still counts."""

    def control(self, knob: Param, key: str, *, note: str = "", named: Mapping[Any, str] = NOTHING, menu: bool = False) -> Any:
        axis = self._axes.get(key)
        if not axis:
            return super().control(knob, key, note=note, named=named, menu=menu)
        words = f"the sweep tries **{', '.join(named.get(each) or write_value(each) for each in axis.values)}**"
        # If all runs see equally many images, the run's own batch size counts.
        of_images = self._sweep is not None and self._sweep.equal == EQUAL[1]
        batch = of_images and axis.path.startswith(("sampler.", "dataset."))
        if axis.path not in OBJECTS and not batch:
            if url_state.register_control(key, knob.label_text) != task.HIDDEN:
                st.caption(f"{knob.label_text[:1].upper()}{knob.label_text[1:]}: {words}.")
            return self.setting(key, knob)
        value = super().control(knob, key, note=note, named=named, menu=menu)
        used = (
            "value above says how many images each run sees" if batch else f"settings of {named.get(value)} are used for it alone"
        )
        st.caption(f"Here {words}. The {used}.")
        return value

    @cached_property
    def _sweep(self) -> Sweep | None:
        """The sweep of one seed; None if the run is impossible."""
        try:
            run = run_form(SessionReader())
        except ValueError:
            return None  # the sidebar says why it is impossible
        sweep = Sweep(run, axes_of(self, run), 1)
        equal = str(url_state.setting(SAME, Param(SAME, EQUAL[0], "", "Equal for all", choices=EQUAL)))
        with suppress(ValueError):  # the form of the sweep says why equal images are refused
            return replace(sweep, equal=equal)
        return sweep

    @cached_property
    def _axes(self) -> Mapping[str, Axis]:
        """The values that the sweep tries, by the key of the control."""
        return {link_key(self._sweep.run, axis.path): axis for axis in self._sweep.axes} if self._sweep else {}


def draw_figure(name: str, settings: Settings) -> None:
    """Draw a figure of the room."""
    of_room(ROOM, name, settings, controls_table.pick_run if name in controls_table.CLICKABLE else None)


def run() -> None:
    """Draw the page."""
    with page(
        TITLE,
        "A knob matters where it moves the score **more than chance does**. Try its values, each from the same seeds, and "
        "compare.",
        ASKER,
    ) as corner:
        with corner:
            preset_menu("Presets", PRESETS, controls.apply_preset)
        sweep = controls.draw_sweep_form(draw_run_form(controls=SweptControls(), variants=controls.runs_of_cells))
        job = controls_training.job_of_link(sweep)

        rests = controls_training.nothing_will_change(sweep, job)

        @st.fragment(run_every=None if rests else controls_training.REFRESH)
        def article() -> None:
            """Draw all that changes while runs train."""
            if job:
                job.watch()
            if not rests and controls_training.nothing_will_change(sweep, job):
                st.rerun()
            results, stopped = controls_training.results_of(sweep), controls_training.why_runs_stopped(sweep)
            left, right = st.columns([3, 1], gap="medium")
            with right, st.container(key="sweep-verdict"):
                score, look = controls.draw_score_and_step(sweep)
                settings = Settings(sweep, SweepScores.of(sweep, results), score, look, tuple(stopped))
                model = ROOM.model(NO_POINTS, settings)
                if not ASKER.waits:
                    glossary.say(say.verdict(model))
            provenance_log.note_step_of_sweep(sweep, model.step)
            with left:
                controls_training.draw_training_buttons(sweep, stopped, job)
                provenance_log.note_claim("A knob moves the score, and so does the seed")
                draw_figure(model.main_figure_name, settings)
                if any(results):
                    controls_table.draw_picked_run(sweep)
            section_notes(say.LOOK_FOR[model.main_figure_name], say.MISLEADS)
            with st.expander("How training went, chance, and every run"):
                first, second = st.columns(2, gap="medium")
                with section("Values may differ early and agree late", first, look_for=say.COURSE):
                    draw_figure("course", settings)
                with section("A knob that does nothing moves the score, too", second, look_for=say.CHANCE):
                    draw_figure("chance", settings)
                controls_table.table(sweep, results)
            url_state.write_address()

        article()
