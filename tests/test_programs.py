"""On a machine with Python alone, tests that need more are skipped, and the output says how to get what they need."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import chromium, firefox
from tests.programs import clone

ROOT = Path(__file__).parents[1]
NO_BROWSER: Any = SimpleNamespace(**dict.fromkeys(("chromium", "firefox"), SimpleNamespace(executable_path="nowhere")))
NEEDS = {
    "no Chromium was found; `make browsers`": lambda folder: chromium.needed(NO_BROWSER),
    "no Firefox was found; `make browsers`": lambda folder: firefox.launch(NO_BROWSER, folder),
    "no git was found": lambda folder: clone(ROOT),
}


@pytest.mark.parametrize(("advice", "need"), NEEDS.items(), ids=[*NEEDS])
def test_without_a_program_its_tests_are_skipped_and_the_output_says_how_to_get_it(
    advice: str, need: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=advice):
        need(tmp_path)


def test_where_ci_has_to_have_installed_a_browser_its_tests_fail_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no Chromium was found"):
        chromium.needed(NO_BROWSER)
