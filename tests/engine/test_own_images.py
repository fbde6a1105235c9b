"""Workers get a visitor's own images once, jobs on them are in no store, and they end with the session."""

from collections.abc import Iterator
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dml_viz.data import own_images
from dml_viz.data.datasets.own import EVERYBODY, OwnDataset, shelf
from dml_viz.data.images import LETTERS, LabelledImages
from dml_viz.engine import Engine
from dml_viz.engine.fair_queue import FairQueue
from dml_viz.engine.pool import WorkerPool
from dml_viz.engine.saving import Saver
from dml_viz.engine.store import FolderStore
from dml_viz.training.run import Run
from tests.fake_training import FAKE, ManualExecutor

FILE = "a" * LETTERS
Y = np.arange(12) % 4


@pytest.fixture
def brought() -> Iterator[LabelledImages]:
    images = LabelledImages(np.zeros((12, 8, 8), np.uint8), Y, tuple("abcd"), (0,) * 4, ("yours",))
    shelf().put(FILE, images, "me")
    yield images
    own_images.release_images("me")


def test_a_worker_is_sent_images_once(brought: LabelledImages) -> None:
    sent: list[Any] = []
    with WorkerPool(1) as pool:

        def submit(fn: Any, *args: Any) -> Any:
            sent.append(fn)
            return pool.submit(fn, *args)

        queue = FairQueue(submit, lambda: 1, again=own_images.with_missing_images)
        for _ in range(3):
            call = queue.submit(("me",), methodcaller("load"), OwnDataset(FILE))
            queue.dispatch()
            assert (call.result(60).y == brought.y).all()
        lost = queue.submit(("me",), methodcaller("load"), OwnDataset("b" * LETTERS))
        queue.dispatch()
        with pytest.raises(LookupError, match="the images with fingerprint bbbbbbbbbbbb are not here; bring the file again"):
            lost.result(60)
    assert [fn is own_images.call_with_images for fn in sent] == [False, True, False, False, False]


def test_a_job_on_them_is_never_stored_and_ends_with_its_session(brought: LabelledImages, tmp_path: Path) -> None:
    workers, store = ManualExecutor(), FolderStore(tmp_path)
    engine = Engine(FAKE, lambda: workers, store=store)
    workers.make_all()
    mine, icons = engine.create(Run(dataset=OwnDataset(FILE)), "me"), engine.create(Run(), "me", slot="race")
    for job in (mine, icons):
        job.play(20)
    workers.make_all()
    assert mine.step == 20
    saver = Saver(store)
    saver.save(mine)
    assert saver.load(mine.id) is None
    saver.save(icons)
    assert saver.load(icons.id)
    engine.leave("me")
    assert mine.closed
    assert not icons.closed
    with pytest.raises(LookupError, match="are not here; bring the file again"):
        shelf().full_size_images(FILE)
    engine.close()


def test_another_visitor_cannot_train_on_them(brought: LabelledImages) -> None:
    workers = ManualExecutor()
    engine = Engine(FAKE, lambda: workers)
    workers.make_all()
    mine = engine.create(Run(dataset=OwnDataset(FILE)), "me")
    for wanted in (Run(dataset=OwnDataset(FILE)), mine):
        with pytest.raises(LookupError, match="bring the file again"):
            engine.create(wanted, "you")
    shelf().put(FILE, brought, EVERYBODY)
    assert engine.create(mine, "you").run == mine.run
    engine.close()
    own_images.release_images(EVERYBODY)
