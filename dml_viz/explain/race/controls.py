"""The racers of a race on the page: one text in the link, from which all else is read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from dml_viz.app import tab, url_state
from dml_viz.explain.race.settings import BEFORE, KEY, LEAST, NAME, OPENS, VERSIONS, RacersText
from dml_viz.room.ask import KEY as VERSION
from dml_viz.room.ask import Ask
from dml_viz.room.menus import menu
from dml_viz.training.experiment import Branch
from dml_viz.training.race import LETTERS, Race, Racer
from dml_viz.training.race_url import FIRST, OVER_SEEDS, read_racers, write_racers
from dml_viz.training.run import Run

RECORDED = {"On the circle": {**OPENS, KEY: FIRST}, "Over three seeds": {**BEFORE, KEY: OVER_SEEDS}}
PRESETS = {title: (RECORDED.get(title, settings), note) for title, (settings, note) in menu("races").items()}


def racers(ask: Ask) -> tuple[Racer, ...]:
    """The racers of the session, as a text that is in the link."""
    return read_racers(ask.setting(KEY, RacersText()), LEAST)


def race(run: Run, field: Sequence[Racer], seeds: int) -> Race:
    """The race; draws a sentence for each racer that cannot be as in the link, and for scores that do not compare."""
    fitted = tuple(racer.without_unfit_changes(run) for racer in field)
    for letter, original, racer in zip(LETTERS, field, fitted, strict=False):
        if lost := [path for path, value in original.changes if (path, value) not in racer.changes]:
            st.warning(f"Racer {letter}: this race has no {', '.join(lost)}, so that it takes none of its own.")
    try:
        whole_race = Race(run, fitted, seeds)
    except ValueError as error:
        st.warning(f"{error}. Racers differ by their loss alone until then.")
        whole_race = Race(run, tuple(replace(racer, changes=()) for racer in fitted), seeds)
    alike: dict[str, list[str]] = {}
    for letter, racer_run in zip(LETTERS, (whole_race.run_of(number) for number in range(len(fitted))), strict=False):
        alike.setdefault(racer_run.dataset.title, []).append(letter)
    if len(alike) > 1:
        same = "; ".join(f"{', '.join(letters)} on {title}" for title, letters in alike.items())
        st.caption(f"Scores compare only among racers on the same images: {same}.")
    return whole_race


def set_racers(field: Sequence[Racer]) -> bool:
    """Make ``field`` the session's racers, if they differ and a race takes so many; return whether it did. Nothing starts yet."""
    text = write_racers(field)
    if RacersText().error_for(text):
        return False
    tab.control(KEY).set(text)
    return True


def field_without(field: Sequence[Racer], number: int) -> tuple[Racer, ...]:
    """The field without the racer ``number``; racers that branched off it start from the beginning."""
    left = []
    for racer in [*field[:number], *field[number + 1 :]]:
        branch = racer.branch
        if branch and branch.of >= number:
            branch = None if branch.of == number else Branch(branch.step, branch.of - 1)
        left.append(replace(racer, branch=branch))
    return tuple(dict.fromkeys(left))


def newcomer(field: Sequence[Racer]) -> Racer:
    """A racer with a loss that is not in the race yet, or else a copy of the last one."""
    raced = {type(racer.loss) for racer in field}
    preferred = read_racers(PRESETS["Twelve at once"][0][KEY])
    fresh = [racer for racer in preferred if type(racer.loss) not in raced]
    return fresh[0] if fresh else field[-1]


def session_racers() -> tuple[Racer, ...]:
    """The racers of the session, for a callback, which runs before the page."""
    return read_racers(tab.control(KEY).get(), LEAST)


def apply_preset(settings: Mapping[str, str]) -> None:
    """Let the racers of ``settings`` race, none open, with the others of these settings; without any, as the race is set."""
    tab.control(KEY).set(settings[KEY])
    tab.RACER.set(None)
    if len(settings) > 1:
        tab.JOB.of(NAME).pop()  # a recording of the same settings is played
        url_state.open_anew({VERSION: VERSIONS.version, **BEFORE, **settings})
