"""The messages of a job to a browser: its subject once, then frames, and ticks while there is nothing newer.

Runs and races have the same messages, whose headers are in `message_types` (see `wire`). Their members are those that are
drawn, each with some seeds, its own first: a run is one member with one seed. Above three dimensions a frame has what a neighbour
map is made of, a member's points in whole numbers, "k.points" (n, d); in a recording it has the places in that map, "k.map", from
-1 to 1. Coordinates are float32 or, of several members and in "k.map", uint16 for [-1, 1], finer than a pixel. If the points of a
frame are not those of the subject, the frame has their labels "k.y". A watched loop has "losses" (m, 3): steps, and the least and
the largest value of the loss from each to the next.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dml_viz.data.wire import in_smallest_type, pack
from dml_viz.embedding.neighbour_map import MAPPED_UP_TO, whole_numbers
from dml_viz.embedding.pca import DRAWN_UP_TO
from dml_viz.engine.job_view import ExperimentView, JobView
from dml_viz.engine.members import CURVES, JobFrame
from dml_viz.engine.message_types import (
    DataWords,
    EmbeddingsHeader,
    FeedData,
    FrameHeader,
    FrameRacer,
    PointsHeader,
    PointWords,
    RacerProgress,
    StatusHeader,
    SubjectHeader,
    SubjectRacer,
    TickHeader,
)
from dml_viz.engine.status import EARLY, MemberStatus, RunStatus
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import EvaluationSubset, Frame
from dml_viz.training.race import LETTERS

VERSION = 2
FULL = 65535
# Two steps, before and after which points are asked for, and the number of the question, which tells it from the same one before.
BETWEEN = re.compile(r"(\d{1,7}) (-?\d{1,7}) \d+")
SEVERAL = ("view", "proxies")  # the arrays that are sent of several members
MAP = "map"  # the array of places in a neighbour map, which recordings have


def subject_message(job: JobView) -> bytes | None:
    """The first message; None until a worker has begun a member."""
    subjects = job.subjects
    return _subject(job.experiment, subjects, job.device, job.id) if subjects else None


def frame_message(job: JobView, step: int | None = None, first_row: int = 0) -> bytes:
    """The frame at ``step``, the newest for None, with the job's status and the curve rows from the ``first_row``-th step on.

    Without a frame, a tick.
    """
    frame = job.frames(step)
    if frame is None:
        return tick_message(job)
    columns, rows = job.rows(first_row)
    remarks, arrays = job.remarks
    now = job.overview()
    status: StatusHeader = {**_status(now), **remarks}
    return _frame(status, job.device, _members(now.members, job.experiment.seeds), job.experiment, frame, columns, rows, arrays)


def tick_message(job: JobView, *, afresh: bool = False) -> bytes:
    """The job's status without a frame; with ``afresh`` a reader learns that its frames are older than a reset."""
    remarks, arrays = job.remarks
    now = job.overview()
    members = _members(now.members, job.experiment.seeds)
    header: TickHeader = {**_status(now), **remarks, "kind": "tick", "step": now.step, "members": members}
    if afresh:
        header["latest"] = -1
    return pack(header, arrays)


def embeddings_message(job: JobView, step: int) -> bytes:
    """All coordinates of the first member's points at ``step``, not projected to a plane; without a frame, a tick."""
    frame = job.at(step)
    return packed_embeddings(frame) if frame else tick_message(job)


def points_message(job: JobView, before: int, after: int) -> bytes:
    """The points of all key frames between two steps, of each member, in whole numbers."""
    members = job.key_points(after, before)
    arrays = {f"{number}.points": np.stack([*each.values()]) for number, each in enumerate(members) if each}
    header: PointsHeader = {"version": VERSION, "kind": "points", "steps": [list(each) for each in members]}
    return pack(header, arrays)


def fed_message(job: JobView, url: str, step: int | None, points: str = "") -> bytes:
    """The frame at ``step`` for a browser without a socket, and the points between two steps, such as "30 -1 1", if given."""
    arrays = {"message": np.frombuffer(frame_message(job, step), np.uint8)}
    if between := BETWEEN.fullmatch(points):
        before, after = map(int, between.groups())
        arrays["points"] = np.frombuffer(points_message(job, before, after), np.uint8)
    header: FeedData = {"kind": "feed", "url": url, "step": step}
    return pack(header, arrays)


def packed_embeddings(frame: Frame) -> bytes:
    """The message of all coordinates of the points of ``frame``."""
    header: EmbeddingsHeader = {"version": VERSION, "kind": "embeddings", "step": frame.step}
    return pack(header, {"z": frame.z})


def recorded_messages(
    experiment: Experiment, subject: EvaluationSubset, runs: Sequence[tuple[Sequence[Frame], float]]
) -> list[bytes]:
    """The messages of a whole experiment: all frames of each run, and the run's seconds.

    No device is named. A frame has its own row only. To keep files small, images have 16 greys and coordinates 4,096 steps from
    0 to 1.
    """
    budget = experiment.budget
    members = _members([MemberStatus("done", "", budget, seconds) for _, seconds in runs], experiment.seeds)
    status: StatusHeader = {"version": VERSION, "status": "done", "reason": "", "budget": budget, "latest": budget, "plane": 0}
    few_greys = np.rint(subject.images / 17).astype(np.uint8) * np.uint8(17)
    messages = [_subject(experiment, [replace(subject, images=few_greys)], "", "recorded")]
    for index, first in enumerate(runs[0][0]):
        frames = [frames[index] for frames, _ in runs]
        columns = tuple(first.scalars) if experiment.is_single else CURVES
        rows = np.array([[first.step, *(frame.scalars[name] for frame in frames for name in columns)]], np.float32)
        drawn = tuple(_coarse(frames[run], experiment.is_single) for run in experiment.runs_with_frames)
        joint = JobFrame(first.step, drawn)
        messages.append(_frame(status, "", members, experiment, joint, columns, rows, {}))
    return messages


def _subject(experiment: ExperimentView, subjects: Sequence[EvaluationSubset], device: str, run_id: str) -> bytes:
    run, titles, seeds = experiment.runs[0], experiment.titles, experiment.seeds
    data = [experiment.runs[number].dataset for number in experiment.first_runs_per_dataset]
    firsts = range(0, len(experiment.runs), seeds)
    members: list[SubjectRacer] = [
        {
            "letter": letter,
            "title": title,
            "branch": (branch.step, branch.of // seeds) if (branch := experiment.branch(number)) else None,
            "dim": experiment.runs[number].dim,
            "data": data.index(experiment.runs[number].dataset),
        }
        for letter, title, number in zip(_letters(len(titles)), titles, firsts, strict=True)
    ]
    further: list[DataWords] = [{"title": dataset.title, **_words(each)} for dataset, each in zip(data, subjects, strict=True)]
    header: SubjectHeader = {
        "version": VERSION,
        "kind": "subject",
        "run": run_id,
        "title": f"{titles[0] if len(titles) == 1 else f'{len(titles)} racers'} on {', '.join(each.title for each in data)}",
        "device": device,
        "budget": run.steps,
        "every": run.stride,
        "dim": run.dim,
        "protocol": run.protocol,
        "seeds": seeds,
        "members": members,
        **_words(subjects[0]),
        "data": further[1:],
    }
    arrays = _points(subjects[0])
    for number, subject in enumerate(subjects[1:], 1):
        arrays |= {f"data{number}.{name}": array for name, array in _points(subject).items()}
    return pack(header, arrays)


def _words(subject: EvaluationSubset) -> PointWords:
    """The header's fields on the evaluated points."""
    return {
        "classes": subject.names,
        "categories": [subject.category_names[category] for category in subject.categories],
        "trained": subject.train_classes,
        "baseline": subject.baseline,
        "sets": subject.set_names,
    }


def _points(subject: EvaluationSubset) -> dict[str, NDArray[Any]]:
    """The arrays of the evaluated points."""
    arrays = {"y": in_smallest_type(subject.y), "unseen": subject.unseen.astype(np.uint8), "images": subject.images}
    arrays["near_pixels"] = subject.near_pixels
    if subject.sets is not None:
        arrays["sets"] = in_smallest_type(subject.sets)
    return arrays


def _frame(
    status: StatusHeader,
    device: str,
    progress: Sequence[RacerProgress],
    experiment: ExperimentView,
    frame: JobFrame,
    columns: Sequence[str],
    rows: NDArray[np.float32],
    more: Mapping[str, NDArray[Any]],
) -> bytes:
    members = [_member(*member, frame.step) for member in zip(progress, frame.members, strict=True)]
    header: FrameHeader = {
        **status,
        "kind": "frame",
        "step": frame.step,
        "device": device,
        "columns": columns,
        "members": members,
    }
    arrays: dict[str, NDArray[Any]] = {}
    for number, each in enumerate(frame.members):
        parts = each.arrays if each else {}
        if each and not experiment.is_single:
            labels = {"y": each.arrays["y"]} if each.names else {}
            parts = {name: _whole(parts[name]) for name in (*SEVERAL, MAP) if name in parts} | labels
        elif MAP in parts:
            parts = {**parts, MAP: _whole(parts[MAP])}
        arrays |= {f"{number}.{name}": array for name, array in parts.items()}
        if each and MAP not in each.arrays and not each.names and DRAWN_UP_TO < each.z.shape[1] <= MAPPED_UP_TO:
            arrays[f"{number}.points"] = whole_numbers(each.z)
            members[number] |= {"after": frame.keys[number] if frame.keys else -1, "key": each.key}
    return pack(header, {**arrays, **more, "rows": rows})


def _member(progress: RacerProgress, frame: Frame | None, step: int) -> FrameRacer:
    """A member in the frame at ``step``, with its own frame, if any."""
    member: FrameRacer = {
        "step": progress["step"],
        "seconds": progress["seconds"],
        "failed": progress["failed"],
        "there": frame is not None,
        "notes": frame.notes if frame else (),
    }
    if frame and frame.names:
        member["names"] = frame.names
    if frame and frame.step != step:
        member["at"] = frame.step
    return member


def _status(now: RunStatus) -> StatusHeader:
    return {
        "version": VERSION,
        "status": now.status,
        "reason": now.reason,
        "budget": now.budget,
        "latest": now.latest,
        "changes": now.changes,
        "plane": now.plane,
    }


def _members(runs: Sequence[MemberStatus], seeds: int) -> list[RacerProgress]:
    """The least step over its seeds, the mean seconds of a seed, and why seeds ended early, of each member."""
    groups = [runs[begin : begin + seeds] for begin in range(0, len(runs), seeds)]
    return [
        {
            "step": min(run.step for run in group),
            "seconds": sum(run.seconds for run in group) / len(group),
            "failed": [run.reason for run in group if run.status in EARLY],
        }
        for group in groups
    ]


def _letters(members: int) -> list[str]:
    """The names of the members: letters or, if there are more than a race takes, numbers."""
    return list(LETTERS[:members]) if members <= len(LETTERS) else [str(number + 1) for number in range(members)]


def _whole(places: NDArray[np.floating]) -> NDArray[np.uint16]:
    """Places from -1 to 1 in whole numbers up to `FULL`, finer than a pixel."""
    return np.round((places.clip(-1, 1) + 1) * (FULL / 2)).astype(np.uint16)


def _coarse(frame: Frame, single: bool) -> Frame:
    places = {name: np.rint(4096 * frame.arrays[name]) / np.float32(4096) for name in (*SEVERAL, MAP) if name in frame.arrays}
    if single and "view" in places:  # half the size, of which a browser makes the same 4,096 steps
        places["view"] = _whole(places["view"])
    return replace(frame, arrays={**frame.arrays, **places})
