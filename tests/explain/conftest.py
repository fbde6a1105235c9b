"""What tests of pages share: the figures that a page shows, and workers that are warm."""

from collections.abc import Iterator

import pytest

from dml_viz.app import server
from tests.shown import Shown, watched


@pytest.fixture
def shown(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Shown:
    """The figures whose keys begin with the test file's ``PREFIX``."""
    return watched(monkeypatch, request.module.PREFIX)


@pytest.fixture(scope="module")
def workers() -> Iterator[None]:
    with server.serving():
        server.engine().devices()  # the workers are warm
        yield
