"""The controls of one racer: its loss, the knobs of that loss, and a learning rate; drawn from a racer, read back as one."""

from collections.abc import Callable

import streamlit as st

from dml_viz.app.controls import unbound
from dml_viz.losses import LOSSES
from dml_viz.params import knobs, params, trained
from dml_viz.training.experiment import Branch
from dml_viz.training.race import Racer
from dml_viz.training.run import Run

COLUMNS = 3
(RATE,) = (knob for knob in params(Run) if knob.name == "lr")


def loss_control(racer: Racer, prefix: str, on_change: Callable[[], None], note: str) -> None:
    """Draw the choice of the loss at ``racer``'s."""
    st.session_state[f"{prefix}.loss"] = name_of(racer)
    st.selectbox(
        "Loss", tuple(LOSSES), key=f"{prefix}.loss", format_func=lambda kind: LOSSES[kind].title, on_change=on_change, help=note,
    )  # fmt: skip


def knob_controls(
    racer: Racer, lr: float, prefix: str, on_change: Callable[[], None], note: str, columns: int = COLUMNS
) -> None:
    """Draw the knobs of ``racer``'s loss and its learning rate, ``lr`` where it has none of its own."""
    values, name = knobs(racer.loss), name_of(racer)
    boxes = st.columns(columns)
    drawn = [
        (knob, f"{prefix}.{name}.{knob.name}", values[knob.name]) for knob in trained(racer.loss) if knob.counts(values)
    ]
    drawn.append((RATE, f"{prefix}.lr", lr if racer.lr is None else racer.lr))
    for turn, (knob, key, value) in enumerate(drawn):
        st.session_state[key] = value
        with boxes[turn % columns]:
            unbound(knob, key, note=note, on_change=on_change)


def spelt(before: Racer, lr: float, prefix: str, branch: Branch | None) -> Racer:
    """The racer that the controls of ``before`` spell now; ValueError for knobs that cannot be."""
    state = st.session_state
    name = state[f"{prefix}.loss"]
    values = {knob.name: knob.default for knob in trained(LOSSES[name])}
    if LOSSES[name] is type(before.loss):
        values = dict(knobs(before.loss))
        keys = {knob: f"{prefix}.{name}.{knob}" for knob in values}
        values |= {knob: state[key] for knob, key in keys.items() if key in state}
    rate = state.get(f"{prefix}.lr", lr)
    return Racer(LOSSES[name](**values), branch, None if rate == lr else rate)


def name_of(racer: Racer) -> str:
    """The loss's name in a link."""
    return next(name for name, kind in LOSSES.items() if kind is type(racer.loss))
