"""What every test shares: one thread, and journeys in a browser after everything else."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

BROWSER = Path(__file__).parent / "browser"


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    # As in a training worker: small nets lose more to waiting threads than they gain, and sums keep one order.
    torch.set_num_threads(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Quick tests first; journeys last, also because Playwright leaves an event loop running in its thread."""
    items.sort(key=lambda item: BROWSER in item.path.parents)
    for item in items:
        if BROWSER in item.path.parents:
            item.add_marker("browser")
