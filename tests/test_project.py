"""The project's statements about itself are true: pins, commands, versions, colours, and no path of one machine."""

import ast
import re
import subprocess
import sys
import tomllib
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import dml_viz
from dml_viz.plot import style
from tests.programs import clone

ROOT = Path(__file__).parents[1]
PROSE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
EXTRAS = ("requirements-dask.txt", "requirements-notebook.txt", "requirements-ray.txt")
REQUIREMENTS = ("requirements.txt", "tests/requirements.txt", *EXTRAS)
TAKEN_BY_OTHERS = {"uvloop", "qtawesome"}  # used by the server; used for its files


def required(name: str) -> list[str]:
    """The lines of a requirements file that ask for a distribution."""
    lines = (line.split("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith(("-r ", "-c "))]


def targets() -> set[str]:
    rules = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    return set(rules)


def tracked() -> list[Path]:
    """The files that are in the repository or about to be."""
    # In a container the files may belong to another user.
    command = [clone(ROOT), "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_requirements_are_exact_and_sorted(name: str) -> None:
    lines = required(name)
    assert lines == sorted(lines)
    for line in lines:
        pinned = re.fullmatch(
            r"[a-z0-9-]+(\[client\])?==\d+(\.\d+)+(; (sys_platform != \"win32\"|platform_machine != \"aarch64\"))?", line
        )
        assert pinned, f"{name}: {line!r} is not pinned as name==version"


def test_the_app_requires_what_it_imports_and_nothing_else() -> None:
    imported: set[str] = set()
    for path in (ROOT / "app.py", *ROOT.glob("dml_viz/**/*.py"), *ROOT.glob("pages/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.split(".")[0])
    distributions = packages_distributions()
    optional = {re.split(r"\W", line)[0] for name in EXTRAS for line in required(name)}
    assert optional <= imported
    asked = {distributions[name][0].lower() for name in imported - sys.stdlib_module_names - {"dml_viz"} - optional}
    assert asked | TAKEN_BY_OTHERS == {line.split("==")[0] for line in required("requirements.txt")}


@pytest.mark.parametrize("name", PROSE)
def test_every_make_command_that_is_written_down_exists(name: str) -> None:
    named = set(re.findall(r"\bmake ([a-z]+)\b", " ".join(code(ROOT / name))))
    assert named <= targets(), f"{name} names make {', '.join(named - targets())}"


def code(path: Path) -> list[str]:
    """The code in a Markdown file, in lines and in blocks."""
    text = path.read_text(encoding="utf-8")
    return [*re.findall(r"```.*?```", text, re.DOTALL), *re.findall(r"`([^`\n]+)`", text)]


@pytest.mark.parametrize("name", PROSE)
def test_links_lead_to_files_that_are_there(name: str) -> None:
    prose = re.sub(r"```.*?```", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?!https?:|#)([^)]+)\)", prose):
        assert (ROOT / target).exists(), f"{name} points to {target}"


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[?(\d+\.\d+\.\d+)", changes, re.MULTILINE)
    assert newest
    assert dml_viz.__version__ == project["version"] == newest[1]


def test_pages_have_the_colours_of_their_figures() -> None:
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
    for name, theme in config["theme"].items():
        assert theme["textColor"] == style.INK[name]
        assert theme["backgroundColor"] == style.PAPER[name]
        assert theme["borderColor"] == style.FAINT[name]
        assert style.contrast(theme["primaryColor"], theme["backgroundColor"]) > 4.5
        assert {theme["primaryColor"], theme["linkColor"]} <= set(style.CLASS_COLOURS)
    assert set(config["theme"]) == set(style.INK)


def test_no_file_names_a_place_on_the_machine_it_was_made_on() -> None:
    place = re.compile(rb"(?<![\w.~/])/(?:home|root|Users|tmp|work|mnt)" + rb"/\w")
    for path in tracked():
        content = path.read_bytes()
        found = None if b"\0" in content else place.search(content)
        assert not found, f"{path.relative_to(ROOT)} names {content[found.start() : found.end() + 20]!r}"


def test_every_installed_package_is_pinned() -> None:
    pinned = {re.split(r"[=\[]", line)[0] for name in (*REQUIREMENTS, "constraints.txt") for line in required(name)}
    left, brought = list(pinned), set[str]()
    while left:
        name = left.pop()
        with suppress(PackageNotFoundError):  # another system's
            asked = [Requirement(line) for line in requires(name) or ()]
            found = {canonicalize_name(it.name) for it in asked if not it.marker or it.marker.evaluate({"extra": ""})}
            left += found - brought
            brought |= found
    of_one_build = {name for name in brought if name.startswith(("nvidia", "cuda", "triton"))}
    assert brought - of_one_build <= pinned, "run `make constraints`"
