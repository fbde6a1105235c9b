"""A visitor's live race: one per session, begun from a declaration, commanded by buttons, followed on the page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from dml_viz.app import provenance_log, url_state
from dml_viz.app.live import Messages
from dml_viz.app.live import live as live_picture
from dml_viz.app.live_run import BEGUN_WITHIN, presence
from dml_viz.app.replay_progress import GOING
from dml_viz.app.server import engine
from dml_viz.engine import Live, TooManyRunsError
from dml_viz.engine.race import LiveRace
from dml_viz.engine.stream import opening_message, standing_message, step_message
from dml_viz.params import Domain, Param
from dml_viz.training.race import Race
from dml_viz.training.run import STEPS_CAP

NEWEST = NOBODY = -1


@dataclass(frozen=True)
class Seat:
    """A place in the session and in the link for a race, under ``name``: its step and its marked point with it."""

    name: str

    @property
    def live(self) -> LiveRace | None:
        """The live race, if there is one."""
        place = f"{self.name}.id"
        return engine().race(st.session_state[place]) if place in st.session_state else None

    def start(
        self, race: Race, *, first: Live | None = None, until: int | None = None, paused: bool = False
    ) -> LiveRace | None:
        """Begin ``race`` in place of an earlier one, its first racer as a copy of the run ``first`` if one is given.

        None, with the reason on the page, on a full server.
        """
        try:
            st.session_state[f"{self.name}.id"] = engine().create_race(race, presence(), first)
        except TooManyRunsError as full:
            st.error(f"{full}.")
            return None
        if (live := self.live) and not paused:
            live.play(until)
        return live

    def follow(self, race: Race) -> LiveRace | None:
        """The live race, brought in line with ``race``: extended where the budget alone is another, else begun anew.

        Where the link asks for a step and there is no race yet, it is trained to that step.
        """
        live, step = self.live, self._asked(race)
        if live is None:
            return self.start(race, until=step) if step > NEWEST else None
        if live.race == race:
            return live
        if replace(live.race, run=replace(live.race.run, steps=race.run.steps)) == race:
            live.extend(race.run.steps)
            return live
        st.session_state[self._step.name] = NEWEST
        return self.start(race, paused=live.status not in GOING)

    def shown_step(self) -> int:
        """The step on the screen; 0 where no race is."""
        live, step = self.live, int(st.session_state.get(self._step.name, NEWEST))
        latest = max(0, live.glance().latest) if live else 0
        return latest if step == NEWEST else min(step, latest)

    def show(self, live: LiveRace) -> None:
        """The live picture of the race; the step and the point that the visitor picks in it are held in the link."""
        step, point = self._asked(live.race), url_state.setting(self._point.name, self._point)
        now = live.glance()
        provenance_log.racing(live.race, now.latest if step == NEWEST else min(step, now.latest), self._step.name)
        shown = live_picture(
            f"/live/{live.id}", key=self.name, layout="race", step=step if NEWEST < step < now.step else None,
            query=None if point == NOBODY else point, status=now.status, setting=self._step.name,
            messages=Messages(partial(_subject, live), partial(_frame, live)),
        )  # fmt: skip
        point = NOBODY if shown.query is None else shown.query
        stands = NEWEST if now.status in GOING else now.latest
        seen = NEWEST if shown.step is None else shown.step
        st.session_state[self._step.name], st.session_state[self._point.name] = seen, point
        url_state.keep(self._step.name, stands if shown.step is None else shown.step, NEWEST)
        url_state.keep(self._point.name, point, NOBODY)

    def buttons(self, live: LiveRace | None, race: Race, *, verb: str = "Race", icon: str = ":material/flag:") -> None:
        """Race or pause, and reset to the same start."""
        going = live is not None and live.status in GOING
        st.button(
            "Pause" if going else verb, icon=":material/pause:" if going else icon, type="primary",
            key=f"{self.name}.go", on_click=self._toggle, args=(race,), width=120,
        )  # fmt: skip
        st.button(
            "Reset", icon=":material/replay:", key=f"{self.name}.reset", on_click=self._reset, disabled=live is None,
            help="All back to the very same start.",
        )  # fmt: skip

    def _asked(self, race: Race) -> int:
        """The step that the link asks for, none that neither the ``race`` will have nor the live one has had."""
        most = max(race.run.steps, self.live.glance().latest if self.live else 0)
        return int(url_state.setting(self._step.name, replace(self._step, domain=Domain(NEWEST, most, False, False))))

    @property
    def _step(self) -> Param:
        return Param(f"{self.name}.step", NEWEST, "", "step", domain=Domain(NEWEST, STEPS_CAP, False, False))

    @property
    def _point(self) -> Param:
        return Param(f"{self.name}.point", NOBODY, "", "point marked", domain=Domain(NOBODY, 499, False, False))

    def _toggle(self, race: Race) -> None:
        live = self.live
        st.session_state[self._step.name] = NEWEST
        if live is None:
            self.start(race)
        elif live.status in GOING:
            live.pause()
        else:
            if live.status == "done":
                live.reset()
            live.play()

    def _reset(self) -> None:
        if live := self.live:
            live.reset()
            st.session_state[self._step.name] = NEWEST


def _subject(live: LiveRace) -> bytes:
    live.wait_for(lambda race: race.subject is not None or race.status == "failed", BEGUN_WITHIN)
    message = opening_message(live)
    if message is None:
        st.error(f"The race has not begun: {live.reason or 'the server is busy; reload the page in a while'}")
        st.stop()
    return message


def _frame(live: LiveRace, step: int | None) -> bytes:
    live.watch()
    return step_message(live, step, 0) or standing_message(live)
