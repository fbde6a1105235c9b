"""The programs that some tests need beyond Python: where they lie, and the line that gets them."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

BROWSERS = "`make browsers`"


@dataclass(frozen=True)
class Program:
    """A program under its ``names``, searched on PATH and in ``folders``; ``source`` is the command that installs it."""

    title: str
    names: tuple[str, ...]
    source: str
    folders: tuple[str, ...] = ()
    in_ci: bool = True  # whether .ci/run is sure to install it

    def find(self) -> str | None:
        """The path of the program; None where it is not installed."""
        path = os.pathsep.join([os.environ.get("PATH", os.defpath), *self.folders])
        return next(filter(None, (shutil.which(name, path=path) for name in self.names)), None)

    @property
    def advice(self) -> str:
        """A sentence on what is missing and how to get it."""
        return f"no {self.title} was found; {self.source} installs it"

    def missing(self) -> None:
        """Skip the test that asks, saying how to get the program; fail it on a machine where CI has to have installed it."""
        if self.in_ci and os.environ.get("CI"):
            pytest.fail(self.advice)
        pytest.skip(self.advice)

    def path(self) -> str:
        """The path of the program, or the end of the test as `missing` has it."""
        found = self.find()
        if found is None:
            self.missing()
        return str(found)


CHROMIUM = Program("Chromium", ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"), BROWSERS)
FIREFOX = Program("Firefox", ("firefox-esr", "firefox"), BROWSERS, in_ci=False)
WEBKIT = Program("WebKit driver", ("WebKitWebDriver",), "Debian's `apt-get install webkit2gtk-driver`", in_ci=False)
XVFB = Program("Xvfb", ("Xvfb",), "Debian's `apt-get install xvfb`", in_ci=False)
NGINX = Program("nginx", ("nginx",), "Debian's `apt-get install nginx`", ("/usr/sbin", "/usr/local/sbin"))
GIT = Program("git", ("git",), "your system's package manager")


def clone(root: Path) -> str:
    """The path of git; the test is skipped where there is none, or where ``root`` is no clone, as in an unpacked archive."""
    path = GIT.path()
    if not (root / ".git").exists():
        pytest.skip("these files are no clone of the repository, so what is tracked is not known")
    return path
