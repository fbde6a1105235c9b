"""The controls of a sweep: its knobs, their values, the number of seeds, and the score and step that are shown."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dml_viz.app import run_controls, tab, url_state
from dml_viz.app.controls import PageControls
from dml_viz.explain.sweep.model import SCORES
from dml_viz.explain.sweep.settings import FIRST, LOOK, SAME, SCORE, SECOND, SEEDS, AxisText, allowed_sweep, axes_of, most_seeds
from dml_viz.params import Param
from dml_viz.room import task
from dml_viz.training.paths import paths, title_at, write_value
from dml_viz.training.run import Run
from dml_viz.training.sweep import EQUAL, LOOKS, Axis, Sweep, share_seen, steps_of_looks, suggested_values

NONE = ""


def runs_of_cells(run: Run) -> tuple[Run, ...]:
    """One run of each combination of values that the sweep of ``run`` tries."""
    return Sweep(run, axes_of(PageControls(), run), 1).runs


def draw_sweep_form(run: Run) -> Sweep:
    """Draw the knob, its values and the number of seeds; return the sweep of ``run`` with these."""
    axes = axes_of(PageControls(), run)
    first, second = (axes[0].write(), axes[1].write() if len(axes) > 1 else NONE)
    most = most_seeds(len(Sweep(run, axes, 1).cells))
    left, middle, right, last = st.columns([4, 4, 3, 3], vertical_alignment="bottom")
    with left:
        _knob(run, FIRST, first, "")
    with middle:
        _values(run, FIRST, first, "")
    with right:
        seeds = PageControls().number("seeds", "Seeds", 1, most, min(SEEDS, most), note="Each value from so many starts.")
    with last:
        equal = _more(run, first, second)
    if message := tab.SWEEP_MESSAGE.pop():
        st.warning(f"{message}.")
    sweep = allowed_sweep(PageControls(), Sweep(run, axes, seeds), equal)
    url_state.write_setting(SAME, sweep.equal, EQUAL[0])
    return sweep


def _more(run: Run, first: str, second: str) -> str:
    """Draw the second knob and the choice of what all runs have equal; return this choice."""
    with st.popover("More", icon=":material/tune:", width="stretch"):
        _knob(run, SECOND, second, first)
        if second:
            _values(run, SECOND, second, first)
        note = "Steps, or images seen: with larger batches a run sees more images in as many steps."
        return PageControls().choice(SAME, "Equal for all", EQUAL, EQUAL[0], note=note)


def draw_score_and_step(sweep: Sweep) -> tuple[str, int]:
    """Draw the choice of score and of step; return both."""
    score = PageControls().choice(SCORE, "Score", tuple(SCORES), "map", named=SCORES, menu=True)
    of_images, steps = sweep.equal == EQUAL[1], sweep.run.steps
    looks, label = tuple(range(1, LOOKS + 1)), "images seen" if of_images else "step shown"
    words = [share_seen(step, steps) if of_images else f"{step:,}" for step in steps_of_looks(steps)]
    look = url_state.setting(LOOK, Param(LOOK, LOOKS, "", label, choices=looks))
    state = url_state.register_control(LOOK, label)
    if state != task.HIDDEN:
        locked = state == task.LOCKED
        look = st.select_slider(label.capitalize(), looks, look, key=LOOK, format_func=words.__getitem__, disabled=locked)
    url_state.write_setting(LOOK, look, LOOKS)
    return score, int(look)


def _knob(run: Run, key: str, text: str, first: str) -> None:
    """Draw the choice of a knob; its axis is ``text``, in the session under ``key``."""
    state, known = url_state.register_control(key, "knob and values"), paths(run)
    if state == task.HIDDEN:
        return
    path, other = text.partition(":")[0], first.partition(":")[0]
    offered = [each for each, knob in known.items() if each != other and (each == path or len(suggested_values(knob)) > 1)]
    names = [NONE, *offered] if key == SECOND else offered
    tab.control(f"{key}.knob").set(path)
    label, note = "Second knob" if key == SECOND else "Knob", known[path].meaning if path in known else ""
    st.selectbox(
        label,
        names,
        names.index(path),
        key=f"{key}.knob",
        on_change=_set_knob,
        args=(run, key),
        format_func=lambda each: title_at(run, each) if each else "none",
        disabled=state == task.LOCKED,
        help=f"{note[:1].upper()}{note[1:]}." if note else None,
    )


def _values(run: Run, key: str, text: str, first: str) -> None:
    """Draw the values of a knob."""
    state = url_state.register_control(f"{key}.values", "values")
    if state == task.HIDDEN:
        return
    axis = Axis.read(run, text)
    knob = paths(run)[axis.path]
    of, refused = tab.SWEEP_REFUSED.of(key).get()
    # What was refused stays, to be corrected.
    written = tab.control(f"{key}.values").set(refused if of == text else ", ".join(map(write_value, axis.values)))
    st.text_input(
        "Values",
        written,
        key=f"{key}.values",
        on_change=_set_values,
        args=(run, key, axis.path, first),
        disabled=state == task.LOCKED,
        help=f"Between commas; allowed: {knob.allowed}.",
    )


def _set_knob(run: Run, key: str) -> None:
    path = tab.control(f"{key}.knob").get()
    st.session_state[key] = Axis(path, suggested_values(paths(run)[path])).write() if path else NONE


def _set_values(run: Run, key: str, path: str, first: str) -> None:
    text = tab.control(f"{key}.values").get()
    try:
        st.session_state[key] = AxisText(run, first, key == SECOND).read(f"{path}:{text}")
    except ValueError as error:
        tab.SWEEP_MESSAGE.set(str(error).replace(path, title_at(run, path)))
        tab.SWEEP_REFUSED.of(key).set((st.session_state[key], text))
    else:
        tab.SWEEP_REFUSED.of(key).pop()


def apply_preset(settings: Mapping[str, Any]) -> None:
    """Set the controls of the sweep and of its run to ``settings``, all others to their defaults."""
    url_state.reset((FIRST, SECOND, "seeds", SAME, LOOK))
    run_controls.apply_preset(settings)
    tab.SWEEP_PICK.pop()
