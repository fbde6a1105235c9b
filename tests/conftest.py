"""What every test shares: one thread, one look at the installed packages, and journeys in a browser after all else."""

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from streamlit.components.v2 import manifest_scanner

from tests.javascript import Evaluate, evaluating

BROWSER = Path(__file__).parent / "browser"


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    # As in a training worker: small nets lose more to waiting threads than they gain, and sums keep one order.
    torch.set_num_threads(1)


@pytest.fixture(autouse=True, scope="session")
def one_look_at_the_packages() -> Iterator[None]:
    # Every AppTest reads the metadata of all that is installed, for components; that takes longer than a page.
    with pytest.MonkeyPatch.context() as patch:
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(scope="session")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Evaluate:
    """Runs JavaScript; see `tests.javascript.evaluating`."""
    return evaluating(tmp_path_factory.mktemp("assets"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Quick tests first; journeys last, also because Playwright leaves an event loop running in its thread."""
    items.sort(key=lambda item: BROWSER in item.path.parents)
    for item in items:
        if BROWSER in item.path.parents:
            item.add_marker("browser")
