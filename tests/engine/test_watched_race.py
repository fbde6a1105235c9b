"""Watched runs race side by side: each at its own step, and none shown ahead of the slowest that trains."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dml_viz.data.wire import pack, unpack
from dml_viz.engine.limits import Limits
from dml_viz.engine.messages import frame_message, subject_message
from dml_viz.engine.watched_job import WatchedJob, WatchedLoop
from dml_viz.engine.watched_race import WatchedRace
from dml_viz.training.watch.frames import Received, received
from dml_viz.training.watch.message import VERSION

N, CLASSES = 12, 3


def frame(step: int, *, probe: bool) -> Received:
    z = np.random.default_rng(step).normal(size=(N, 4)).astype(np.float32)
    y = (np.arange(N) % CLASSES).astype(np.uint8)
    names = [str(c) for c in range(CLASSES)]
    header = {
        "version": VERSION,
        "name": "loop",
        "step": step,
        "every": 10,
        "rows": N,
        "probe": probe,
        "names": names,
        "batch.names": names,
        "value": 1.0,
        "seconds": step,
    }
    return received(pack(header, {"z": z, "y": y, "batch.z": z, "batch.y": y}), None, 1.0, None)


def loop(*steps: int, probe: bool = True, name: str = "a") -> WatchedJob:
    first = frame(steps[0], probe=probe)
    job = WatchedJob(name, WatchedLoop(first, Limits()))
    for step in steps:
        job.add(frame(step, probe=probe))
    return job


def test_the_step_of_a_race_is_that_of_its_slowest_running_member() -> None:
    ahead, behind = loop(1, 10, 40), loop(1, 20, 30, name="b")
    race = WatchedRace([ahead, behind])
    assert (race.id, race.status, race.latest_step, race.steps) == ("a~b", "running", 30, (1, 10, 20, 30))
    assert [one.step for one in race.frames().members if one] == [10, 30]
    behind.end()
    assert (race.latest_step, race.frames_version) == (40, 0)
    names, rows = race.rows(3)
    first, second = (1 + place * len(names) + names.index("map.unseen") for place in range(2))
    np.testing.assert_array_equal(rows[:, 0], [30, 40])
    assert "grad" in names  # that the race draws
    assert np.isnan(rows[:, [first, second]]).tolist() == [[True, False], [False, True]]
    assert rows[1, first] == pytest.approx(ahead.at(40).scalars["map.unseen"])  # type: ignore[union-attr]
    behind.add(frame(35, probe=True))
    assert race.latest_step == 35
    assert race.frames_version > 0


def test_equal_points_are_shared_and_those_of_a_batch_come_with_each_frame() -> None:
    alike = WatchedRace([loop(1, 10), loop(1, 10, name="b")])
    assert len(alike.subjects) == 1
    apart = WatchedRace([loop(1, 10), loop(1, 20, probe=False, name="b"), loop(1, probe=False, name="c")])
    assert len(apart.subjects) == 3
    for one in apart.jobs:
        one.end()
    header, _ = unpack(subject_message(apart) or b"")
    assert (header["protocol"], [member["data"] for member in header["members"]]) == ("loops", [0, 1, 2])
    header, arrays = unpack(frame_message(apart))
    assert (header["step"], [member.get("at") for member in header["members"]]) == (20, [10, None, 1])
    assert {"0.view", "1.view", "1.y", "2.y"} <= set(arrays)
    assert "0.y" not in arrays


def test_a_frame_is_read_as_a_whole_before_the_next_one_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    job, free = loop(1, 10), list[bool]()
    key_before = job.loop.history.key_before

    def observed(step: int) -> int:
        with ThreadPoolExecutor(1) as another:
            free.append(another.submit(job._changed.acquire, blocking=False).result())
        return key_before(step)

    monkeypatch.setattr(job.loop.history, "key_before", observed)
    assert job.frames()
    assert set(free) == {False}


def test_a_sentence_on_a_loop_names_its_letter() -> None:
    ahead, behind = loop(1), loop(1, name="b")
    behind.loop.facts = {**frame(1, probe=True).facts, "apart": 40.0}
    race = WatchedRace([ahead, behind])
    assert race.reason.startswith("B: A frame every 40 steps, not every 10")
    behind.loop.newest_at -= 40
    assert "B: Nothing has come for 15 seconds" in race.reason
    behind.loop.facts = {**behind.loop.facts, "wait": 31.4}
    assert race.reason.startswith("B: The next frame comes about 31 seconds after this one")
    behind.end()
    assert "next frame" not in race.reason
