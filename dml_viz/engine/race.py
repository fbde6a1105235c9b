"""A live race: the runs of its racers take turns in one chain of slices, so that a race waits in line as one run does."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dml_viz.engine.chain import Chain, Host, land
from dml_viz.engine.course import Beginning, Course, Status
from dml_viz.engine.glance import Glance
from dml_viz.engine.racing import RacerCourse
from dml_viz.engine.slices import Slice
from dml_viz.training.loop import Frame, WatchedSubject
from dml_viz.training.race import Race

METRICS = ("map.unseen", "map.seen", "r1.unseen", "r1.seen", "mapr.unseen", "mapr.seen", "active")
SCALARS_ALONE = 1  # byte of history, so that of a run only curve rows, the first and the last frame are kept


@dataclass(frozen=True)
class Standing:
    """How one run of a race stands."""

    status: Status
    reason: str
    step: int
    seconds: float


@dataclass(frozen=True)
class RaceGlance(Glance):
    """A race at one moment: "running" where any of its runs is, "done" where all are that could go on.

    ``step`` is the least of its runs', ``latest`` the newest that all have shown.
    """

    standings: tuple[Standing, ...]

    @property
    def news(self) -> RaceGlance:
        """What is worth telling at once: all but the steps between two frames."""
        standings = tuple(replace(standing, step=0, seconds=0.0) for standing in self.standings)
        return replace(self, step=0, standings=standings)


@dataclass(frozen=True, eq=False)
class RaceFrame:
    """A step that all racers have shown, with the frame of each from the first seed; None for one that has yet to branch off."""

    step: int
    frames: tuple[Frame | None, ...]


class LiveRace(Chain):
    """One live race, paused at its start. The run that is furthest behind is trained next.

    One slice is under way at a time; more only while workers are idle, so that a race holds nobody up. A racer that cannot
    go on stays behind, and the others go on. Where a course is given as ``first``, the first racer stands where that one does,
    and at every reset again. Frames are kept of the first seed's runs, of the others their curves.
    """

    def __init__(self, race_id: str, owner: str, race: Race, host: Host, first: Course | None = None) -> None:
        super().__init__(race_id, owner, host)
        self.race = race
        self._first = first
        self._resets = -1
        self._subject: WatchedSubject | None = None
        self._device = ""
        self._under_way: dict[RacerCourse, Future[Any]] = {}
        self._restart()
        self._told = self.glance()
        self._submit_next()

    @property
    def subject(self) -> WatchedSubject | None:
        """What all racers watch; None until a worker has begun one."""
        return self._subject

    @property
    def device(self) -> str:
        """The title of the device that it trains on; empty until a worker has begun it."""
        return self._device

    @property
    def latest(self) -> RaceFrame | None:
        """The newest step that all racers have shown; None until all have begun."""
        with self._changed:
            return self._frame(self._kept[-1]) if self._kept else None

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps that can be shown of all racers."""
        with self._changed:
            return tuple(self._kept)

    def at(self, step: int) -> RaceFrame | None:
        """The step nearest to ``step``, at or before it, that can be shown of all racers."""
        with self._changed:
            before = [kept for kept in self._kept if kept <= step] or self._kept[:1]
            return self._frame(before[-1]) if before else None

    def rows(self, first: int = 0) -> np.ndarray:
        """Curve rows of the steps that all runs have shown, from the ``first``-th on: step, then `METRICS` run by run.

        float32 (m, 1 + racers * seeds * metrics), the seeds of a racer side by side; NaN where a run stopped before.
        """
        with self._changed:
            steps = np.array(self._common[first:])
            table = np.full((len(steps), 1 + len(self._lanes) * len(METRICS)), np.nan, np.float32)
            table[:, 0] = steps
            for place, lane in enumerate(self._lanes):
                known = lane.history.rows()
                columns = [1 + lane.history.columns.index(name) for name in METRICS if name in lane.history.columns]
                if not len(known) or not len(steps) or len(columns) < len(METRICS):
                    continue
                row = np.searchsorted(known[:, 0], steps).clip(max=len(known) - 1)
                values = np.where((known[row, 0] == steps)[:, None], known[row][:, columns], np.nan)
                begin = 1 + place * len(METRICS)
                table[:, begin : begin + len(METRICS)] = values
            return table

    def glance(self) -> RaceGlance:
        """How things stand."""
        with self._changed:
            standings = tuple(Standing(lane.status, lane.reason, lane.step, lane.seconds) for lane in self._lanes)
            status = self._status([standing.status for standing in standings])
            reason = next((standing.reason for standing in standings if standing.status == status), "")
            going = [standing.step for standing in standings if standing.status != "failed"]
            latest = self._kept[-1] if self._kept else -1
            step, budget = min(going, default=0), self.race.run.steps
            return RaceGlance(status, reason, step, budget, latest, self._resets, (), standings)

    def play(self, until: int | None = None) -> None:
        """Train all racers on: to the budget, or to exactly step ``until``, which gets a frame, and pause there."""
        self._order(lambda lane: lane.play(until))

    def pause(self) -> None:
        """Ask for no further slice; those under way still count."""
        self._order(RacerCourse.pause)

    def reset(self) -> None:
        """Back to the very same start, paused."""
        with self._changed:
            self._seen()
            dropped = tuple(self._under_way.values())
            self._restart()
        for future in dropped:
            future.cancel()
        self._tell()
        self._submit_next()

    def extend(self, steps: int) -> None:
        """Go on, or stop, at another budget."""
        with self._changed:
            self._seen()
            self.race = replace(self.race, run=replace(self.race.run, steps=steps))
            for lane in self._lanes:
                lane.change(replace(lane.run, steps=steps))
        self._tell()
        self._submit_next()

    def _order(self, order: Callable[[RacerCourse], None]) -> None:
        with self._changed:
            self._seen()
            for lane in self._lanes:
                order(lane)
            self._branch_off()
        self._tell()
        self._submit_next()

    def _restart(self) -> None:
        race, limits = self.race, self._host.limits
        share = replace(limits, seconds=limits.seconds / race.runs)
        marks = [[racer.branch.step for racer in race.racers if racer.branch and racer.branch.of == place]
                 for place in range(len(race.racers))]  # fmt: skip
        self._resets += 1
        self._common: list[int] = []
        self._kept: list[int] = []
        self._lanes = [
            RacerCourse(
                race.run_of(place, seed),
                replace(share, history=SCALARS_ALONE if seed else max(1, limits.history // len(race.racers))),
                marks[place],
                racer.branch.step if racer.branch else 0,
            )
            for place, racer in enumerate(race.racers)
            for seed in range(race.seeds)
        ]
        if self._first and self._first.begun:
            self._lanes[0].adopt(self._first)
            self._subject, self._device = self._first.begun.subject, self._first.begun.device
            self._branch_off()
            self._recount()

    def _sleep(self, asleep: bool) -> bool:
        before = any(lane.asleep for lane in self._lanes)
        for lane in self._lanes:
            lane.asleep = asleep
        return before

    def _cancel(self) -> None:
        for future in tuple(self._under_way.values()):
            future.cancel()

    def _submit_next(self) -> None:
        while True:
            with self._changed:
                if self._closed or (self._under_way and self._host.idle() < 1):
                    return
                if self._unwatched and any(lane.wants_watching for lane in self._lanes):
                    self._sleep(True)
                lane, call = self._next()
                if lane is None or call is None:
                    break
                future = self._under_way[lane] = self._submit(call)
            future.add_done_callback(lambda done, lane=lane: self._land(lane, done))  # type: ignore[misc]
        self._tell()

    def _next(self) -> tuple[RacerCourse | None, Beginning | Slice | None]:
        """The call of the run that is furthest behind, those that have not begun first."""
        for lane in sorted(self._lanes, key=lambda lane: (lane.begun is not None, lane.step)):
            if (call := lane.next()) is not None:
                return lane, call
        return None, None

    def _land(self, lane: RacerCourse, future: Future[Any]) -> None:
        with self._changed:
            self._under_way.pop(lane, None)
            if self._closed:
                return
            if lane in self._lanes:
                self._take(lane, future)
        self._tell()
        self._submit_next()

    def _take(self, lane: RacerCourse, future: Future[Any]) -> None:
        land(lane, future)
        if self._subject is None and lane.begun:
            self._subject, self._device = lane.begun.subject, lane.begun.device
        self._branch_off()
        self._recount()

    def _branch_off(self) -> None:
        seeds = self.race.seeds
        for place, racer in enumerate(self.race.racers):
            for seed in range(seeds) if racer.branch else ():
                assert racer.branch
                self._lanes[place * seeds + seed].branch_off(self._lanes[racer.branch.of * seeds + seed])

    def _recount(self) -> None:
        """What all have shown, and of that what is kept of the first seed."""
        begun = [lane for lane in self._lanes if not lane.waits]
        going = [lane for lane in begun if lane.status != "failed"] or begun
        common = set.intersection(*(lane.seen for lane in going)) if going else set()
        shown = [set(lane.history.steps) for lane in self._lanes[:: self.race.seeds] if lane in going]
        self._common = sorted(common)
        self._kept = sorted(common.intersection(*shown))

    def _frame(self, step: int) -> RaceFrame:
        return RaceFrame(step, tuple(lane.history.at(step) for lane in self._lanes[:: self.race.seeds]))

    @staticmethod
    def _status(each: list[Status]) -> Status:
        order: tuple[Status, ...] = ("running", "asleep", "paused", "done", "failed")
        return next(status for status in order if status in each)


__all__ = ["METRICS", "LiveRace", "RaceFrame", "RaceGlance", "Standing"]
