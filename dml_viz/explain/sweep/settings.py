"""The sweep that a link asks for; no Streamlit here."""

from dataclasses import dataclass, replace

from dml_viz.explain.sweep.model import SCORES, Settings, SweepScores
from dml_viz.params import Param
from dml_viz.room.ask import Ask, ReadSetting
from dml_viz.room.menus import menu
from dml_viz.room.run_form import run_form
from dml_viz.room.source import Subject
from dml_viz.training.paths import paths
from dml_viz.training.run import Run
from dml_viz.training.sweep import EQUAL, LOOKS, MOST_RUNS, MOST_SEEDS, Axis, Sweep, steps_of_looks, suggested_values

TITLE, CLAIM = "Sweep", "A knob matters where it moves the score more than chance does"
FIRST, SECOND, SEEDS = "axis", "axis2", 3
OPENING = "loss.bins:4_10_25_100"
SCORE, LOOK, SAME = "sweep.score", "sweep.look", "sweep.equal"
PRESETS = menu("sweeps")


@dataclass(frozen=True)
class AxisText(ReadSetting):
    """An axis of ``run`` as a link writes it; an ``optional`` axis may be empty, and differs from ``first``."""

    run: Run
    first: str = ""
    optional: bool = False

    @property
    def default(self) -> str:
        """The axis of bins, or of the first knob of the run's loss, else of the learning rate; empty if optional."""
        if self.optional:
            return ""
        if not self.error_for(OPENING):
            return OPENING
        known = paths(self.run)
        path = next((path for path in known if path.startswith("loss.") and len(suggested_values(known[path])) > 1), "lr")
        return Axis(path, suggested_values(known[path])).write()

    def read(self, text: str) -> str:
        """The axis as `Axis.write` writes it; ValueError, naming value, range and fix, for any other text."""
        if self.optional and not text:
            return ""
        axis = Axis.read(self.run, text)
        before = (Axis.read(self.run, self.first),) if self.first else ()
        Sweep(self.run, (*before, axis), 1)
        return axis.write()


def sweep_settings(ask: Ask) -> Sweep:
    """The sweep; ValueError if it is impossible."""
    run = run_form(ask)
    axes = axes_of(ask, run)
    most = most_seeds(len(Sweep(run, axes, 1).cells))
    seeds = ask.number("seeds", "Seeds", 1, most, min(SEEDS, most))
    return allowed_sweep(ask, Sweep(run, axes, seeds), ask.choice(SAME, "Equal for all", EQUAL, EQUAL[0]))


def allowed_sweep(ask: Ask, sweep: Sweep, equal: str) -> Sweep:
    """``sweep`` with what is ``equal`` for all runs; if that is refused, ``sweep`` or an error."""
    try:
        return replace(sweep, equal=equal)
    except ValueError as error:
        ask.refuse(str(error), f"All runs train for equally many {sweep.equal} instead.")
        return sweep


def axes_of(ask: Ask, run: Run) -> tuple[Axis, ...]:
    """The one or two swept knobs of ``run``, with their values."""
    first = ask.setting(FIRST, AxisText(run))
    second = ask.setting(SECOND, AxisText(run, first, optional=True))
    return tuple(Axis.read(run, text) for text in (first, second) if text)


def most_seeds(cells: int) -> int:
    """The largest number of seeds for so many cells."""
    return min(MOST_SEEDS, MOST_RUNS // cells)


def settings_of(ask: Ask, subject: Subject) -> Settings:
    """The settings with the scores of ``subject``, or without scores as long as there are none."""
    sweep = sweep_settings(ask)
    results = subject.results or [None] * len(sweep.runs)
    stopped = tuple(number for number, result in enumerate(subject.results or ()) if result is None)
    return Settings(sweep, SweepScores.of(sweep, results), *shown_settings(ask), stopped)


def sweep_and_step(ask: Ask) -> tuple[Sweep, int]:
    """The sweep, and the step of its own run that is shown."""
    sweep = sweep_settings(ask)
    return sweep, steps_of_looks(sweep.run.steps)[shown_settings(ask)[1]]


def shown_settings(ask: Ask) -> tuple[str, int]:
    """The score shown, and its look."""
    score = ask.choice(SCORE, "Score", tuple(SCORES), "map", named=SCORES)
    return score, int(ask.setting(LOOK, Param(LOOK, LOOKS, "", "where on the way", choices=tuple(range(1, LOOKS + 1)))))
