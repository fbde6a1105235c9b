"""The settings and fixtures of all tests: one thread, one engine, one scan of the packages, and journeys last."""

import gc
import os
from collections.abc import Generator, Iterator
from functools import cache, partial
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from threadpoolctl import threadpool_limits

import dml_viz.serve.one_thread  # noqa: F401  before all that imports torch
from dml_viz.engine import Engine, Limits, results
from dml_viz.engine.pool import WorkerPool
from tests.javascript import Evaluate, evaluating

BROWSER = Path(__file__).parent / "browser"
# Journeys that start a server or a browser once for their file, and the longest.
BEFORE_OTHERS = (
    "test_firefox",
    "test_scene_editor",
    "test_lesson",
    "test_export",
    "test_hostile",
    "test_bad_answers",
    "test_failures",
    "test_reference",
    "test_presentation",
)


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    # As in a training worker: threads slow small nets down, and with one thread sums have one order.
    # one_thread.py says it to torch.
    threadpool_limits(1)


@pytest.fixture(autouse=True, scope="session")
def one_look_at_the_packages() -> Iterator[None]:
    # Every AppTest reads the metadata of all installed packages, for components; that takes longer than a page.
    with pytest.MonkeyPatch.context() as patch:
        scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(autouse=True, scope="session")
def recorded_results_are_of_today() -> Iterator[None]:
    """Pages train no first steps to check what is recorded: tests/engine/test_recorded.py does, once for all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "agrees_with_recorded", lambda *_: True)
        yield


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """The app's own engine, whose workers are started once for all pages that train."""
    from dml_viz.app import live
    from dml_viz.serve import server

    with server.serving(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(live, "BEGUN_WITHIN", 250.0)  # for a busy machine
        patch.setattr("dml_viz.engine.local_workers", WorkerPool)  # which train no icons first
        # Runs that no test waits for soon take no core from the others.
        patch.setattr(server, "start", partial(server.start, limits=Limits(unwatched=0.5)))
        server.engine().devices()
        yield server.engine()


@pytest.fixture(scope="module")
def coarse() -> Iterator[None]:
    """Planes and cuts on a coarse grid, for they take most of a page's time; the gallery has them fine."""
    from dml_viz.analysis import triplet_plane
    from dml_viz.explain.pairs.model import field
    from dml_viz.serve.figure_store import store

    def forget() -> None:
        for cached in (triplet_plane.plane, triplet_plane.cut, field):
            cached.cache_clear()
        store().clear()

    forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(triplet_plane, "GRID", 13)
        patch.setattr(triplet_plane, "FINE", 31)
        patch.setattr(triplet_plane, "FEW", 23)  # the same share of the grid as of the fine one
        yield
    forget()


@pytest.fixture
def workers(engine: Engine) -> Iterator[None]:
    """Workers, whose jobs end with the test."""
    yield
    for job in engine._all():
        engine.close_jobs_of(job.owner)


@pytest.fixture
def unpriced(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sweep is timed, which takes a worker some seconds, also those of later tests."""
    from dml_viz.explain.sweep import controls_training

    monkeypatch.setattr(controls_training, "_costs", lambda sweep: {})


@pytest.fixture(scope="session")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Evaluate:
    """Runs JavaScript; see `tests.javascript.evaluating`."""
    return evaluating(tmp_path_factory.mktemp("assets"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect thousands of tests without a search for garbage among them, which takes a third of the time, then or later."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.set_threshold(100_000, 20)  # one search in a hundred, which saves a twentieth of the rest
    gc.enable()
    return collected


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Quick tests first; journeys last, also because Playwright leaves an event loop running in its thread.

    Of these, first those in whose files much is started or much is done: an idle worker takes tests from the end of another's.
    """
    journeys = {path for path in {item.path for item in items} if BROWSER in path.parents}
    items.sort(key=lambda item: (item.path in journeys, item.path.stem not in BEFORE_OTHERS))
    for item in items:
        if item.path in journeys:
            item.add_marker("browser")


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than cores, because a journey waits for its browser half of the time."""
    return (os.cpu_count() or 1) + 1
