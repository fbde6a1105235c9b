"""Fixtures of tests of pages: the figures that a page shows."""

import pytest

from tests.shown import Shown, watched


@pytest.fixture
def shown(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Shown:
    """The figures whose keys begin with the test file's ``PREFIX``."""
    return watched(monkeypatch, request.module.PREFIX)
