"""A visitor's jobs: one run and one race per session, begun from a declaration, controlled by buttons, shown on any page."""

import secrets
from dataclasses import replace
from typing import Literal

import streamlit as st

from dml_viz.app import notice, provenance_log, tab, url_state
from dml_viz.app.frontend import visitor
from dml_viz.app.live import live_in_link
from dml_viz.engine import Job, TooManyRunsError
from dml_viz.engine.job_view import JobView
from dml_viz.engine.recordings import recording_of
from dml_viz.engine.saving import Saved
from dml_viz.engine.status import GOING
from dml_viz.params import Domain, Param
from dml_viz.room.ask import NEWEST
from dml_viz.room.source import OF_RUN, PLANE, Picture, ViewSettings
from dml_viz.serve.server import engine
from dml_viz.training.race import Race, experiment_of
from dml_viz.training.run import Run

NOTED_WITHIN, PAUSED_WITHIN = 0.5, 2.0  # seconds
REFRESH = 0.5  # seconds between a page's looks at a run that trains


def draw_progress(job: JobView, target: int, *, width: int | Literal["stretch"] = "stretch") -> None:
    """Draw a bar of the steps trained towards step ``target``; nothing once the run is there, or if it has stopped before."""
    if _on_the_way(job, target):
        _bar(job, target, width)


@st.fragment(run_every=REFRESH)
def _bar(job: JobView, target: int, width: int | Literal["stretch"]) -> None:
    if _on_the_way(job, target):
        text = f"Step {job.step:,} of {target:,}"
        with st.container(key="retraining", width=width):
            st.progress(min(job.step / target, 1.0), text=text)


def _on_the_way(job: JobView, target: int) -> bool:
    return job.step < min(target, job.budget) and job.status in GOING


@st.cache_resource(scope="session", on_release=lambda owner: engine().leave(owner), show_spinner=False)
def session_token() -> str:
    """The token by which the session owns its jobs and images; Streamlit releases it when the visitor's tab is closed."""
    return tab.OWNER.setdefault(secrets.token_urlsafe(12))


class TrainingSession(ViewSettings):
    """The session's job, one in each slot, with the settings of the link for what is seen of it."""

    @property
    def job(self) -> Job | None:
        """The job, if there is one."""
        return engine().get(tab.JOB.of(self.name).get())

    @property
    def goal(self) -> int:
        """The step of the link to which the job is trained; `NEWEST` without one."""
        return tab.GOAL.of(self.name).get()

    @property
    def chosen_step(self) -> int:
        """The step in view, from the session; `NEWEST` for the newest."""
        return int(tab.control(self.step.name, NEWEST).get())

    def start(
        self, subject: Run | Race | Job | Saved, *, first: Job | None = None, until: int | None = None, paused: bool = False
    ) -> Job | None:
        """Begin ``subject``, or a copy of a job at its step, in place of an earlier job; train it, to step ``until`` if given.

        Given ``first``, its first member begins as a copy of that one's. None, with the reason on the page, if the server has as
        many jobs as allowed.
        """
        try:
            begun = subject if isinstance(subject, (Job, Saved)) else experiment_of(subject)
            job = engine().create(begun, session_token(), slot=self.slot, first=first, visitor=visitor(), keep_earlier=True)
        except TooManyRunsError as full:
            st.error(f"{full}.")
            return None
        tab.JOB.of(self.name).set(job.id)
        self._aim(NEWEST if until is None else until)
        if self.slot == "run" and until is None:
            job.set_steps_per_frame(steps_per_frame())
        if not paused:
            job.play(until)
        return job

    def job_for(
        self, subject: Run | Race, *, begin: bool = True, first: Job | None = None, until: int | None = None, anew: bool = False
    ) -> Job | None:
        """The job of ``subject``: the session's own, changed, or begun anew if it cannot or, with ``anew``, must not be changed.

        One begun anew trains at once, unless the visitor had paused the one before. A session without a job begins one, and
        trains it to the step of the link; if the link names a job of the same experiment, as after a reload, the new job is a
        copy of it. None if a recording has the same settings, or if the page does not want to ``begin`` one. For ``first`` and
        ``until``, where the link has no step, see `start`.
        """
        link = f"{self.name}.run"
        known = url_state.arriving_job(link) or tab.JOB.of(self.name).get()
        now = self.job
        if now is None:
            job = self._at_first(subject, known, begin, first, until)
        else:
            job = self._job_of_before(subject, known) if known != now.id else None
            if job is None and anew and now.experiment != experiment_of(subject):
                job = self.start(subject, first=first, until=until)
            job = job or self._in_line(now, subject)
        url_state.write_setting(link, job.id if job else "", "", shared=False)
        if self.slot == "run":
            plane = url_state.setting(PLANE.name, PLANE)
            url_state.write_setting(PLANE.name, plane, PLANE.default)
            if job and job.plane != plane:
                job.fit_plane(plane)
        return job

    def _at_first(self, subject: Run | Race, known: str, begin: bool, first: Job | None, until: int | None) -> Job | None:
        before, step = engine().get(known), self._asked_step(subject)
        until = step if step > NEWEST else until
        what = "run" if experiment_of(subject).is_single else "race"
        if before and before.experiment == experiment_of(subject):
            return self.start(before, until=until, paused=before.status not in GOING)
        if (saved := engine().saved(known) if known else None) and saved.change_to(experiment_of(subject)):
            job = self.start(saved, until=until, paused=not saved.going)
            notice.announce(f"The server lost this {what}. It is back at step {saved.step:,}, where it was saved last.")
            return job
        recorded = until is None and recording_of(subject)
        begins = until is not None or (begin and not recorded)
        if url_state.arriving_job(f"{self.name}.run") and not (before or saved) and (begins or recorded):
            now = "Another begins with these settings" if begins else "Shown is the recorded one with these settings"
            notice.announce(f"The server lost this {what}, with any change made while it trained. {now}.")
        return self.start(subject, first=first, until=until) if begins else None

    def _job_of_before(self, subject: Run | Race, known: str) -> Job | None:
        """A copy of the job that the address names where the browser has gone back to it; None if that is lost."""
        step, experiment = self._asked_step(subject), experiment_of(subject)
        until = step if step > NEWEST else None
        saved = engine().saved(known)
        if saved is None or saved.members.experiment != experiment:
            return None
        return self.start(saved, until=until, paused=not saved.going)

    def _in_line(self, job: Job, subject: Run | Race) -> Job | None:
        experiment = experiment_of(subject)
        self._asked_step(subject)
        if job.experiment == experiment:
            return job
        try:
            before = job.changes
            job.change(experiment)
            if experiment.is_single:
                # The change is noted when the slice under way has ended, with the step from which on it holds.
                job.wait_for(lambda changed: changed.changes != before, NOTED_WITHIN)
        except ValueError:
            self._as_at_first()
            return self.start(subject, paused=job.status == "paused")
        return job

    def shown_step(self) -> int:
        """The step on the screen; 0 without a job."""
        job, step = self.job, self.chosen_step
        latest = max(0, job.latest_step) if job else 0
        return latest if step == NEWEST else min(step, latest)

    def show(self, job: Job, subject: Run | Race, *, key: str, layout: str, picture: Picture = "plane") -> None:
        """Draw the live picture of the job; the step and the point that the visitor picks in it are kept in the link."""
        step = self._asked_step(subject)
        now = job.step if job.experiment.is_single else max(0, job.latest_step)
        at = now if step == NEWEST else min(step, now)
        if isinstance(subject, Race):
            provenance_log.note_step_of_race(subject, at, self.step.name)
        else:
            provenance_log.note_step_of_run(job.run, at, job.changes)
        draw_progress(job, self.goal)
        # The link of a paused job has its step, so that it opens with the same picture; while it trains, the goal if any.
        going_to = self.goal if job.step < self.goal else NEWEST
        live_in_link(
            # A step that is not trained yet is shown by following the job, which stops there.
            job,
            self.step,
            self.point,
            key=key,
            layout=layout,
            picture=picture,
            at=step if NEWEST < step < job.step else None,
            rests=going_to if job.status in GOING else now,
        )

    def _asked_step(self, subject: Run | Race) -> int:
        """The step of the link; for a race at most the last step of ``subject``, or the newest of the live one."""
        param = self.step
        if isinstance(subject, Race):
            most = max(subject.run.steps, self.job.latest_step if self.job else 0)
            param = replace(param, domain=Domain(NEWEST, most, False, False))
        return int(url_state.setting(param.name, param))

    def _aim(self, goal: int) -> None:
        tab.GOAL.of(self.name).set(goal)

    def toggle(self, subject: Run | Race) -> None:
        """Pause a job that trains; train one that does not; without a job begin ``subject``."""
        job = self.job
        self._aim(NEWEST)
        if job is not None and job.status in GOING:
            job.pause()
            # The link has the step of a paused job, and the slice under way still counts.
            job.wait_for(lambda paused: not paused.busy, PAUSED_WITHIN)
            return
        # Show the newest step, also on pages that showed a fixed one.
        tab.control(self.step.name).set(NEWEST)
        tab.FOLLOWS.of(self.step.name).set(True)
        if job is None:
            self.start(subject)
        else:
            job.play()

    def _as_at_first(self) -> None:
        """Show each step of a run in its own plane, or the newest step of a race."""
        key, value = (PLANE.name, PLANE.default) if self.slot == "run" else (self.step.name, NEWEST)
        tab.control(key).set(value)

    def reset(self) -> None:
        """Go back to the same start."""
        self._aim(NEWEST)
        if job := self.job:
            job.reset()
            self._as_at_first()


SPEEDS = {"1": "1 step", "5": "5", "50": "50", "full": "full speed"}


SPEED = Param("speed", "full", "", "steps from frame to frame", choices=tuple(SPEEDS))


RUN = TrainingSession(OF_RUN.name, OF_RUN.step, OF_RUN.point, OF_RUN.slot)


def steps_per_frame() -> int:
    """Steps from frame to frame, as the visitor chose; 0 for full speed."""
    return 0 if (speed := url_state.setting(SPEED.name, SPEED)) == "full" else int(speed)
