from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from dml_viz.embedding.pca import main_plane, share_shown
from dml_viz.engine.history import History, frame_bytes
from dml_viz.training.frame import fitted_plane
from dml_viz.training.loop import Frame
from dml_viz.training.run import Run
from tests.samples import for_each


def frame(step: int, **scalars: float) -> Frame:
    z = np.zeros((50, 2), np.float32)
    return Frame(step, z, {}, {"loss": step / 2, **scalars}, {"view": z}, ())


def filled(frames: int, limit: int) -> History:
    history = History(limit)
    for step in range(0, 10 * frames, 10):
        history.add(frame(step))
        assert history.bytes <= max(limit, 2 * frame_bytes(frame(0)))
        assert history.steps[0] == 0
        assert history.steps[-1] == step
    return history


@for_each("frames", [2, 3, 19, 20, 21, 100, 1000])
def test_the_limit_of_bytes_holds_and_the_first_and_the_last_frame_stay(frames: int) -> None:
    history = filled(frames, 20 * frame_bytes(frame(0)))
    assert history.bytes == frame_bytes(frame(0)) * len(history.steps)
    assert len(history) == frames


def test_stored_frames_are_spread_evenly_over_the_run() -> None:
    gaps = np.diff(filled(1000, 20 * frame_bytes(frame(0))).steps)
    assert len(gaps) >= 10
    assert set(gaps[:-1]) == {gaps[0]}


def test_a_limit_below_two_frames_keeps_two() -> None:
    assert filled(30, 1).steps == (0, 290)


def test_curves_have_every_frame_and_are_read_from_any_row_on() -> None:
    history = filled(100, 5 * frame_bytes(frame(0)))
    rows = history.rows(97)
    assert history.columns == ("loss",)
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, [[970, 485], [980, 490], [990, 495]])
    assert history.rows(100).shape == (0, 2)


def test_a_curve_that_begins_later_is_nan_before() -> None:
    history = History(10**6)
    history.add(frame(0))
    history.add(frame(10, nmi=0.5))
    np.testing.assert_array_equal(history.rows(), np.array([[0, 0, np.nan], [10, 5, 0.5]], np.float32))


def test_the_frame_at_a_step_is_the_one_at_or_before_it() -> None:
    history = filled(4, 10**6)
    found = [history.at(step) for step in (-5, 0, 9, 10, 29, 30, 1000)]
    assert [f.step for f in found if f] == [0, 0, 0, 10, 20, 30, 30]
    assert History(10**6).at(3) is None


def test_a_frame_known_already_is_left_out() -> None:
    history = filled(3, 10**6)
    history.add(frame(20))
    history.add(frame(10))
    assert (history.steps, len(history)) == ((0, 10, 20), 3)


def test_points_of_key_frames_stay_in_whole_numbers_when_their_frames_are_dropped() -> None:
    run, rng = Run(), np.random.default_rng(0)
    everything, thinned = History(10**9), History(1)
    for step in range(0, 2001, run.stride):
        new = replace(frame(step), z=rng.normal(size=(50, 8)).astype(np.float32), key=run.is_map_start(step))
        everything.add(new)
        thinned.add(new)
    assert len(thinned.steps) == 2
    expected, points = everything.key_points(-1, 1700), thinned.key_points(-1, 1700)
    assert [*points] == [*expected] == [step for step in everything.steps if run.is_map_start(step) and step < 1700]
    for step, rows in expected.items():
        np.testing.assert_array_equal(points[step], rows)
    assert thinned.key_before(1601) == everything.key_before(1601) == 1600
    assert thinned.key_before(0) == -1
    assert thinned.thinned_to_bytes(1).key_points(1000, 1700).keys() == expected.keys() - everything.key_points(-1, 1001).keys()


def test_a_run_has_few_key_frames_however_long_and_each_comes_soon_after_the_last() -> None:
    run = Run(steps=20_000)
    keys = [step for step in range(20_001) if run.is_map_start(step)]
    assert keys[:6] == [0, 1, 2, 3, 5, 8]
    assert len(keys) < 150
    assert all(after - before <= max(run.stride, before / 15) for before, after in pairwise(keys))


def turning(step: int) -> Frame:
    """Points of eight dimensions whose main directions turn, and at step 50 change places."""
    points = np.random.default_rng(0).normal(size=(60, 8)) * (np.array([3, 2.95 + step / 1000, *[0.5] * 6]))
    turn = np.eye(8)
    c, s = np.cos(step / 300), np.sin(step / 300)
    turn[[1, 1, 2, 2], [1, 2, 1, 2]] = c, -s, s, c
    z = (points @ turn).astype(np.float32)
    return Frame(step, z, {}, {"plane.share": 0.0}, {"view": z[:, :2]}, (), np.eye(8, 2, dtype=np.float32), key=step % 20 == 0)


def test_each_frame_is_drawn_in_the_plane_of_most_of_its_variance_and_nothing_jumps_from_one_to_the_next() -> None:
    history, kept = History(10**7), {}
    for step in range(0, 200, 10):
        history.add(turning(step))
        kept[step] = history.at(step)
    for one, other in pairwise(kept.values()):
        moved = np.linalg.norm(one.arrays["view"] - other.arrays["view"], axis=1).mean()
        assert moved < 0.1 * np.linalg.norm(one.arrays["view"], axis=1).mean()
        best = torch.from_numpy(other.z)
        assert other.scalars["plane.share"] == pytest.approx(share_shown(best, main_plane(best)), abs=1e-5)


def test_a_frame_has_one_plane_whatever_was_dropped_or_drawn_before() -> None:
    whole, few = History(10**7), History(1)
    for step in range(0, 200, 10):
        whole.add(turning(step))
        few.add(turning(step))
    assert few.steps == (0, 190)
    whole.project_to(np.eye(8, 2, dtype=np.float32))
    np.testing.assert_array_equal(whole.at(190).arrays["view"], whole.at(190).z[:, :2])
    whole.project_to(None)
    np.testing.assert_array_equal(whole.at(190).arrays["view"], few.at(190).arrays["view"])


def test_a_plane_is_found_when_its_frame_is_read_and_is_the_same_however_late(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = list[int]()

    def plane_of(frame: Frame, like: np.ndarray | None) -> np.ndarray | None:
        fitted.append(frame.step)
        return fitted_plane(frame, like)

    monkeypatch.setattr("dml_viz.engine.history.fitted_plane", plane_of)
    read, unread = History(10**7), History(10**7)
    for step in range(0, 200, 10):
        unread.add(turning(step))
        assert step not in fitted, "a worker would wait for it"
        read.add(turning(step))
        assert read.latest is read.at(step)
    for step in range(0, 200, 10):
        np.testing.assert_array_equal(read.at(step).arrays["view"], unread.at(step).arrays["view"])
    np.testing.assert_array_equal(read.rows(), unread.rows())
    assert read.rows()[-1, 1] == np.float32(read.latest.scalars["plane.share"])
