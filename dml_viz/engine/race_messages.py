"""What a live race says to a browser, in the form in which a run speaks: its subject once, then frames, and ticks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dml_viz.engine.messages import subject_arrays, subject_header
from dml_viz.engine.race import METRICS, LiveRace, RaceFrame, RaceGlance
from dml_viz.engine.wire import pack
from dml_viz.training.loop import Frame, WatchedSubject
from dml_viz.training.race import LETTERS, Race

FULL = 65535


def race_header(race: Race, subject: WatchedSubject, device: str) -> dict[str, Any]:
    """What the pictures of a race say of it at every step, as JSON values."""
    return {
        **subject_header(race.run, subject, device),
        "title": f"{len(race.racers)} racers on {race.run.dataset.title}",
        "seeds": race.seeds,
        "racers": [
            {
                "letter": LETTERS[place], "title": racer.title,
                "branch": [racer.branch.step, racer.branch.of] if racer.branch else None,
            }
            for place, racer in enumerate(race.racers)
        ],
    }  # fmt: skip


def race_subject_message(live: LiveRace) -> bytes | None:
    """The message that comes first; None until a worker has begun a racer."""
    if live.subject is None:
        return None
    return pack({**race_header(live.race, live.subject, live.device), "run": live.id}, subject_arrays(live.subject))


def race_frame_message(live: LiveRace, frame: RaceFrame, first_row: int = 0) -> bytes:
    """A frame of the race, how it stands now, and the curve rows of all steps from the ``first_row``-th on."""
    header = {**_standing(live), **frame_header(frame), "device": live.device, "first_row": first_row}
    rows = live.rows(first_row)
    return pack({**header, "columns": columns(live.race)}, {**frame_arrays(frame), "rows": rows})


def race_tick_message(live: LiveRace, *, afresh: bool = False) -> bytes:
    """How the race stands, without a frame; ``afresh`` tells a reader that the frames it has are of before a reset."""
    header = {**_standing(live), "kind": "tick"}
    return pack(header | {"latest": -1} if afresh else header, {})


def columns(race: Race) -> list[str]:
    """Names of the curves: racer, seed and metric, such as "0.2.map.unseen"."""
    seeds = range(race.seeds)
    return [f"{place}.{seed}.{name}" for place in range(len(race.racers)) for seed in seeds for name in METRICS]


def frame_header(frame: RaceFrame) -> dict[str, Any]:
    """What a frame says of itself, as JSON values: whether a racer is there yet, and what is wrong with it."""
    told = [{"there": each is not None, "notes": each.notes if each else ()} for each in frame.frames]
    return {"kind": "frame", "step": frame.step, "racers": told}


def frame_arrays(frame: RaceFrame) -> dict[str, NDArray[Any]]:
    """The drawn points ("view", racers side by side: (racers, W, d)) and, of racers that have them, "proxies.<racer>".

    Coordinates in [-1, 1] as uint16, finer than a pixel.
    """
    there = next(each for each in frame.frames if each is not None)
    views = [np.zeros_like(there.arrays["view"]) if each is None else each.arrays["view"] for each in frame.frames]
    arrays = {"view": _fine(np.stack(views))}
    for place, each in enumerate(frame.frames):
        if each is not None and "proxies" in each.arrays:
            arrays[f"proxies.{place}"] = _fine(each.arrays["proxies"])
    return arrays


def standings(glance: RaceGlance, seeds: int) -> list[dict[str, Any]]:
    """How each racer stands, over its seeds: the least step, seconds a seed, and what is wrong."""
    rows = [glance.standings[begin : begin + seeds] for begin in range(0, len(glance.standings), seeds)]
    return [
        {
            "step": min(each.step for each in row),
            "seconds": sum(each.seconds for each in row) / len(row),
            "failed": [each.reason for each in row if each.status == "failed"],
        }
        for row in rows
    ]


def recorded_race(race: Race, subject: WatchedSubject, runs: Iterable[tuple[list[Frame], float]]) -> list[bytes]:
    """The messages of a whole race, from the frames of each of its runs and the seconds that it took."""
    lanes = list(runs)
    steps = [frame.step for frame in lanes[0][0]]
    names, last = columns(race), race.run.steps
    told = [
        {"step": last, "seconds": sum(seconds for _, seconds in lanes[k : k + race.seeds]) / race.seeds, "failed": []}
        for k in range(0, len(lanes), race.seeds)
    ]
    common = {"status": "done", "reason": "", "budget": last, "latest": last, "standings": told, "device": ""}
    messages = [pack({**race_header(race, subject, ""), "run": "recorded race"}, subject_arrays(subject))]
    for place, step in enumerate(steps):
        frame = RaceFrame(step, tuple(frames[place] for frames, _ in lanes[:: race.seeds]))
        row = [step, *(frames[place].scalars[name] for frames, _ in lanes for name in METRICS)]
        header = {**frame_header(frame), **common, "columns": names}
        messages.append(pack(header, {**frame_arrays(frame), "rows": np.array([row], np.float32)}))
    return messages


def _standing(live: LiveRace) -> dict[str, Any]:
    now = live.glance()
    return {
        "step": now.step, "status": now.status, "reason": now.reason, "budget": now.budget, "latest": now.latest,
        "standings": standings(now, live.race.seeds),
    }  # fmt: skip


def _fine(points: NDArray[Any]) -> NDArray[np.uint16]:
    return np.round((points.clip(-1, 1) + 1) * (FULL / 2)).astype(np.uint16)
