"""On a machine with Python alone, tests that need more are skipped, and the output says how to get what they need."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
# Journeys in the common browser, in one of their own and in two, and tests of what git tracks.
OF_MORE = ("browser/test_charts.py", "browser/test_scene_editor.py", "browser/test_firefox.py", "test_project.py")


def test_without_browsers_and_git_their_tests_are_skipped_and_the_output_says_how_to_get_them(tmp_path: Path) -> None:
    nothing = {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path), "PYTHONPATH": str(TESTS.parent)}
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", *(str(TESTS / name) for name in OF_MORE)]
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS", "BROWSER_PATH")}
    done = subprocess.run(command, cwd=TESTS.parent, env={**kept, **nothing}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    for advice in ("no Chromium was found; `make browsers`", "no git was found"):
        assert advice in done.stdout
