"""The controls of one racer: its loss, the knobs of that loss, and its other changes; drawn from a racer, and read back."""

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from dml_viz.app import tab
from dml_viz.app.controls import widget_for
from dml_viz.losses import KNOWN
from dml_viz.params import knobs, trained
from dml_viz.registry import name_of
from dml_viz.training.experiment import Branch
from dml_viz.training.paths import OBJECTS, knob_at, paths, value_at, value_titles, with_value
from dml_viz.training.race import Racer
from dml_viz.training.run import Run

COLUMNS = 3
RATE = ("lr",)


def loss_control(racer: Racer, prefix: str, on_change: Callable[[], None], note: str) -> None:
    """Draw the control of the loss, with the loss of ``racer``."""
    tab.control(f"{prefix}.loss").set(name_of(racer.loss))
    st.selectbox(
        "Loss", tuple(KNOWN), key=f"{prefix}.loss", format_func=lambda kind: KNOWN[kind].title, on_change=on_change, help=note
    )


def knob_controls(
    racer: Racer,
    run: Run,
    prefix: str,
    on_change: Callable[[], None],
    note: str,
    columns: int = COLUMNS,
    differences: Iterable[str] = RATE,
) -> None:
    """Draw the knobs of ``racer``'s loss, and those of its run named in ``differences``, singly or by part.

    ``run`` is the race's.
    """
    values, name = knobs(racer.loss), name_of(racer.loss)
    boxes = st.columns(columns)
    controls = [(knob, f"{prefix}.{name}.{knob.name}", values[knob.name]) for knob in trained(racer.loss) if knob.counts(values)]
    racer_run = racer.without_unfit_changes(run).run_on(run)
    knob_paths = [path for part in differences for path in sorted(paths(racer_run)) if path.partition(".")[0] == part]
    controls += [(knob_at(racer_run, path), f"{prefix}.{path}", value_at(racer_run, path)) for path in knob_paths]
    for turn, (knob, key, value) in enumerate(controls):
        st.session_state[key] = value
        with boxes[turn % columns]:
            widget_for(knob, key, note=note, on_change=on_change, named=value_titles(knob))


def racer_from_controls(before: Racer, run: Run, prefix: str, branch: Branch | None) -> Racer:
    """The racer of ``run`` with the values of the controls drawn for ``before``; ValueError for values not allowed."""
    state = st.session_state
    name = tab.control(f"{prefix}.loss").get()
    values = {knob.name: knob.default for knob in trained(KNOWN[name])}
    if KNOWN[name] is type(before.loss):
        values = dict(knobs(before.loss))
        keys = {knob: f"{prefix}.{name}.{knob}" for knob in values}
        values |= {knob: state[key] for knob, key in keys.items() if key in state}
    return Racer(KNOWN[name](**values), branch, _changes(before, run, prefix))


def _changes(before: Racer, run: Run, prefix: str) -> tuple[tuple[str, Any], ...]:
    """The racer's changes; knobs of a part that has been replaced are left out."""
    known = dict(before.changes)
    values_before = {part: known.get(part, value_at(run, part)) for part in OBJECTS}
    keys = [key for key in map(str, st.session_state) if key.startswith(f"{prefix}.")]
    values = known | {key.removeprefix(f"{prefix}."): st.session_state[key] for key in keys}
    changes = []
    for path, value in sorted(values.items(), key=lambda item: item[0]):
        part, _, name = path.partition(".")
        if path == "loss" or path not in paths(run) or (name and value_at(run, part) != values_before[part]):
            continue
        if value != value_at(run, path):
            changes.append((path, value))
            run = with_value(run, path, value)
    return tuple(changes)
