"""The row of racers, one of which at a time opens to change its loss, its knobs or its start."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import run_controls, tab, url_state
from dml_viz.explain.race import controls
from dml_viz.explain.race.settings import KEY, LEAST
from dml_viz.params import params
from dml_viz.room import task
from dml_viz.training.experiment import Branch
from dml_viz.training.race import LETTERS, MOST_RACERS, Race, Racer
from dml_viz.training.race_url import DIFFERENCES
from dml_viz.training.run import Run

START = -1
NAMED = 5  # racers up to which chips have names; the pictures name all
RESTARTS = "Restarts the race."


@dataclass(frozen=True)
class RacersEditor:
    """The row of all racers of the ``field`` with the form of the open one, which can fork at ``shown_step()``, on the screen.

    Racers are like ``run`` except for their own settings.
    """

    field: Sequence[Racer]
    shown_step: Callable[[], int]
    run: Run

    def draw(self, row: DeltaGenerator) -> None:
        """Draw the racers in ``row``."""
        field, state = self.field, url_state.register_control(KEY, "racers")
        if state == task.HIDDEN:
            return
        if (tab.RACER.get() or 0) >= len(field):
            tab.RACER.set(None)
        opened = row.pills(
            "Racers",
            range(len(field)),
            key=tab.RACER.name,
            label_visibility="collapsed",
            disabled=state == task.LOCKED,
            wrap=True,
            format_func=lambda number: f"**{LETTERS[number]}**" + (f" {field[number].name}" if len(field) <= NAMED else ""),
        )
        if state == task.LOCKED:
            return
        with row:
            st.button(
                "Add",
                icon=":material/add:",
                key="race.add",
                on_click=self._add,
                disabled=len(field) >= MOST_RACERS,
                help=f"One racer more, up to {MOST_RACERS}. {RESTARTS}",
                type="tertiary",
            )
        with st.container():  # always there: what follows keeps its place, and the focus
            if message := tab.RACE_MESSAGE.pop():
                st.warning(message)
        if opened is not None:
            with st.container(border=True):
                self._open(int(opened))

    def _open(self, number: int) -> None:
        racer, prefix = self.field[number], _prefix(number)
        first, second, third, fourth = st.columns(4, vertical_alignment="bottom")
        with first:
            run_controls.loss_control(racer, prefix, lambda: self._change(number), RESTARTS)
        with second:
            self._start(racer, number)
        third.button(
            f"Fork {LETTERS[number]} from here",
            icon=":material/fork_right:",
            key="race.fork",
            on_click=self._fork,
            args=(number,),
            width="stretch",
            disabled=len(self.field) >= MOST_RACERS,
            help=f"Adds a racer that leaves this one at the step shown; then give it another loss or knob. {RESTARTS}",
        )
        fourth.button(
            "Remove",
            icon=":material/delete:",
            key="race.remove",
            on_click=_remove,
            args=(number,),
            width="stretch",
            disabled=len(self.field) <= len(LEAST),
            help=RESTARTS,
        )
        differences = [*run_controls.RATE, *self._differences()]
        run_controls.knob_controls(racer, self.run, prefix, lambda: self._change(number), RESTARTS, differences=differences)

    def _differences(self) -> list[str]:
        """Draw the choice of knobs by which racers differ, beside their loss and its rate, and return the chosen ones."""
        names = [name for name in DIFFERENCES if name not in run_controls.RATE]
        differing = {path.partition(".")[0] for racer in self.field for path, _ in racer.changes}
        selected = tab.RACE_DIFFERENCES.find() or []
        tab.RACE_DIFFERENCES.set([name for name in names if name in differing or name in selected])
        return st.multiselect(
            "Racers differ by",
            names,
            key=tab.RACE_DIFFERENCES.name,
            format_func=DIFFERENCES.__getitem__,
            on_change=_narrow,
            placeholder="the loss and its rate alone",
            help=f"What each racer may have of its own; what you remove is the race's again for all. {RESTARTS}",
        )

    def _start(self, racer: Racer, number: int) -> None:
        """Draw the choice of the racer's start: the beginning, or a step of a racer before it."""
        prefix, last = _prefix(number), max(1, self.run.steps - 1)
        left, right = st.columns(2, vertical_alignment="bottom")
        tab.control(f"{prefix}.of").set(racer.branch.of if racer.branch else START)
        left.selectbox(
            "Starts from",
            (START, *range(number)),
            key=f"{prefix}.of",
            on_change=self._change,
            args=(number,),
            help=RESTARTS,
            format_func=lambda origin: "the start" if origin == START else LETTERS[origin],
            disabled=number == 0,
        )
        if racer.branch:
            tab.control(f"{prefix}.step").set(min(racer.branch.step, last))
            right.number_input("at step", 1, last, key=f"{prefix}.step", on_change=self._change, args=(number,))

    def _change(self, number: int) -> None:
        """Change the open racer to the values of its controls."""
        field, prefix = list(controls.session_racers()), _prefix(number)
        of, before = tab.control(f"{prefix}.of").get(), field[number].branch
        step = tab.control(f"{prefix}.step").get() or (before.step if before else self.shown_step()) or self.run.steps // 2 or 1
        branch = None if of == START else Branch(int(step), int(of))
        try:
            field[number] = run_controls.read_racer(field[number], self.run, prefix, branch)
            Race(self.run, tuple(racer.without_unfit_changes(self.run) for racer in field))
        except ValueError as error:
            tab.RACE_MESSAGE.set(f"{error}.")
            return
        _put(field)

    def _add(self) -> None:
        field = controls.session_racers()
        _put([*field, _unlike(controls.newcomer(field), field)], opened=len(field))

    def _fork(self, number: int) -> None:
        field, step = controls.session_racers(), self.shown_step()
        if 0 < step < self.run.steps:
            _put([*field, replace(field[number], branch=Branch(step, number))], opened=len(field))
        else:
            tab.RACE_MESSAGE.set(
                f"Step {step:,} is shown. A racer forks at a step in [1, {self.run.steps - 1:,}]: move the picture there."
            )


def _prefix(number: int) -> str:
    return f"race.of.{number}"


def _narrow() -> None:
    """Drop all settings of racers except those the visitor has chosen."""
    allowed = {*tab.RACE_DIFFERENCES.get(), *run_controls.RATE}
    field = [
        replace(racer, changes=tuple(change for change in racer.changes if change[0].partition(".")[0] in allowed))
        for racer in controls.session_racers()
    ]
    _put(field)


def _remove(number: int) -> None:
    _put(controls.field_without(controls.session_racers(), number), opened=None)


def _put(field: Sequence[Racer], opened: int | None = START) -> None:
    if not controls.set_racers(field):
        tab.RACE_MESSAGE.set("That racer is in the race already; give it another loss, knob or start.")
    elif opened != START:
        tab.RACER.set(opened)


def _unlike(racer: Racer, field: Sequence[Racer]) -> Racer:
    """The racer; if its like races already, the racer with a knob at an end of its slider."""
    for knob in params(racer.loss):
        for end in knob.ends:
            other = replace(racer, loss=replace(racer.loss, **{knob.name: end}))
            if racer in field and other not in field:
                return other
    return racer
