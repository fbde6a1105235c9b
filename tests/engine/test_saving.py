"""A job lost with its server resumes on another one at its last saved step, with the same results."""

import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from dml_viz.engine import Engine, Job, Limits
from dml_viz.engine.saving import Saver
from dml_viz.engine.store import FolderStore, Store
from dml_viz.losses.fastap import FastAP
from dml_viz.training.experiment import Experiment
from dml_viz.training.loop import Run
from tests.fake_training import FAKE, ManualExecutor

RUN = Run(steps=40, every=10, dim=2, lr=0.01)
RACE = Experiment(tuple(replace(RUN, seed=seed) for seed in range(4)), ("A", "B"), seeds=2)


class Watched(FolderStore):
    """A store on which a test can wait until data of a job were put."""

    def __init__(self, folder: Path) -> None:
        self.put_one = Event()
        super().__init__(folder)

    def put(self, key: str, value: bytes) -> None:
        super().put(key, value)
        if key.startswith("job"):
            self.put_one.set()


class Replica:
    """A server with its workers, moved by hand, over a store that it shares; ``saver`` saves when the test says so."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.workers, self.now = ManualExecutor(), 0.0
        self.store = Watched(folder)
        self.engine = Engine(FAKE, lambda: self.workers, limits, lambda: self.now, self.store)
        self.workers.make_all()
        self.saver = Saver(self.engine.store)

    def at(self, wanted: Run | Experiment, step: int, owner: str = "visitor") -> Job:
        job = self.engine.create(wanted, owner)
        job.play(step)
        self.workers.make_all()
        assert job.step == step
        return job

    def back(self, job_id: str, owner: str = "visitor") -> Job:
        saved = self.engine.saved(job_id)
        assert saved
        return self.engine.create(saved, owner)


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[tuple[Replica, Replica]]:
    both = Replica(tmp_path), Replica(tmp_path)
    yield both
    for replica in both:
        replica.engine.close()


def curves(job: Job) -> np.ndarray:
    return job.rows()[1]


@pytest.mark.parametrize("wanted", [RUN, RACE], ids=["run", "race"])
def test_a_saved_job_goes_on_elsewhere_to_the_same_end(wanted: Run | Experiment, replicas: tuple[Replica, Replica]) -> None:
    here, there = replicas
    whole = here.at(wanted, 40, "another visitor")
    lost = here.at(wanted, 20)
    here.saver.save(lost)
    back = there.back(lost.id)
    assert (back.step, back.status, back.id != lost.id) == (20, "paused", True)
    assert curves(back).tobytes() == curves(lost).tobytes()
    back.play()
    there.workers.make_all()
    assert curves(back).tobytes() == curves(whole).tobytes()
    assert back.status == "done"


def test_changes_during_the_run_are_restored_and_a_reset_goes_to_the_first_step(replicas: tuple[Replica, Replica]) -> None:
    here, there = replicas
    lost = here.at(RUN, 20)
    lost.change(replace(RUN, lr=0.02, loss=FastAP(bins=25)))
    lost.play(30)
    here.workers.make_all()
    here.saver.save(lost)
    back = there.back(lost.id)
    assert back.changes == lost.changes == ((20, "lr 0.01 → 0.02, bins 10 → 25"),)
    assert back.run.lr == 0.02
    back.reset()
    there.workers.make_all()
    assert (back.step, back.steps) == (0, (0,))


def test_a_change_that_was_not_saved_is_made_again_and_another_run_is_not_taken(replicas: tuple[Replica, Replica]) -> None:
    here, there = replicas
    lost = here.at(RUN, 20)
    here.saver.save(lost)
    saved = there.engine.saved(lost.id)
    assert saved
    assert not saved.change_to(Experiment.of(replace(RUN, seed=5)))
    assert saved.change_to(Experiment.of(replace(RUN, lr=0.02)))
    assert there.engine.create(saved, "visitor").run.lr == 0.02


def test_running_jobs_are_saved_by_the_server_itself_and_again_when_it_ends(tmp_path: Path) -> None:
    here = Replica(tmp_path)
    job = here.at(RUN, 10)
    while (first := here.engine.saved(job.id)) is None or first.step < 10:
        assert here.store.put_one.wait(120)
        here.store.put_one.clear()
    assert first.step == 10
    assert not first.going
    job.play()
    here.workers.make(2)
    here.engine.close()
    last = Saver(FolderStore(tmp_path)).load(job.id)
    assert last
    assert (last.step, last.going) == (20, True)


@pytest.mark.parametrize("lasting", [False, True])
def test_a_job_that_another_replaces_is_kept_for_back_until_the_next_one_is_or_its_owner_leaves(
    lasting: bool, tmp_path: Path
) -> None:
    workers, store = ManualExecutor(), FolderStore(tmp_path) if lasting else Store()
    engine = Engine(FAKE, lambda: workers, None, lambda: 0.0, store)
    workers.make_all()
    first = engine.create(RUN, "visitor")
    first.play(20)
    workers.make_all()
    second = engine.create(replace(RUN, seed=1), "visitor", keep_earlier=True)
    saved = engine.saved(first.id)
    assert saved
    assert (saved.step, saved.going, engine.get(first.id)) == (20, False, None)
    second.play(10)
    workers.make_all()
    again = engine.create(saved, "visitor", keep_earlier=True)
    assert again.step == 20
    assert bool(engine.saved(first.id)) is lasting, "what lasts is kept for other tabs and servers"
    assert engine.saved(second.id)
    engine.leave("visitor")
    assert bool(engine.saved(second.id)) is lasting
    assert bool(engine.saved(again.id)) is lasting, "it is live, and was saved under its new id in case the server ends"
    assert lasting or not store._values, "no job takes the place of a result"
    engine.close()


def test_an_abandoned_job_is_saved_before_it_is_closed(tmp_path: Path) -> None:
    here = Replica(tmp_path, Limits(forgotten=100))
    job = here.at(RUN, 20)
    here.now = 101
    here.engine.sweep()
    assert job.closed
    assert here.back(job.id).step == 20
    here.engine.close()


def test_a_guess_finds_nothing_and_neither_does_another_version(
    replicas: tuple[Replica, Replica], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = replicas
    job = here.at(RUN, 20)
    here.saver.save(job)
    for guess in ("", "../" + job.id, job.id[:-1], job.id.swapcase(), "writable"):
        assert there.engine.saved(guess) is None
    monkeypatch.setattr("dml_viz.engine.saving.versions", lambda: {"dml-viz": "another"})
    assert there.engine.saved(job.id) is None


def test_a_damaged_file_counts_as_none(replicas: tuple[Replica, Replica], tmp_path: Path) -> None:
    here, there = replicas
    job = here.at(RUN, 20)
    here.saver.save(job)
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:-100])
    assert there.engine.saved(job.id) is None


def test_a_long_run_is_saved_small_with_all_its_curves(
    replicas: tuple[Replica, Replica], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = replicas
    monkeypatch.setattr("dml_viz.engine.progress.SAVED", 10_000)
    job = here.at(replace(RUN, steps=400, every=1), 400)
    saved = pickle.loads(pickle.dumps(job.copy()))
    assert (len(job.steps), saved.first.history.steps[0], saved.first.history.steps[-1]) == (401, 0, 400)
    assert saved.first.history.bytes <= 10_000
    assert saved.rows()[1].tobytes() == curves(job).tobytes()
