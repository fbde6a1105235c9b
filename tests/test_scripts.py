"""The browser's scripts: in folders by subject, which import one way."""

import json
import os
import posixpath
import re
import subprocess
from pathlib import Path

import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType
from plotly.offline import get_plotlyjs_version

from dml_viz.assets import ASSETS, PLOTLY, component_file
from dml_viz.export.contracts import COMMAND, FILE, declarations_for_scripts
from tests.javascript import DENO, SECONDS

SOURCE = ASSETS / "src"
KIT = ("draw", "host", "plot", "runs", "losses")
# The folders that each folder may import besides itself; none imports the components.
BELOW = {
    "draw": (),
    "host": ("draw",),
    "plot": ("draw", "host"),
    "runs": ("draw", "host"),
    "losses": ("draw",),
    "scene": KIT,
    "gradients": KIT,
    "race": KIT,
    "live": KIT,
    "export": (*KIT, "scene", "gradients", "race", "live"),
    "rooms": (*KIT, "scene"),
    "lesson": (*KIT, "scene", "rooms", "gradients", "race", "live", "export"),
    "classroom": ("draw", "scene"),
    "components": (*KIT, "scene", "gradients", "race", "live", "export", "classroom"),
}
IMPORT = re.compile(r"""(?:\bfrom |\bimport\()["'](\.[^"']+)["']""")
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
# What is known in one folder, or in one script.
KNOWN = {
    "host/": re.compile(r"data-test|st-key-|\bst[A-Z]\w+Theme|\[class\*=|--st-"),
    "plot/": re.compile(r"\b_fullLayout|\b_fullData|\bcalcdata|\.__data__"),
    "host/bus.js": re.compile(r"dml-viz:|new CustomEvent|\bnew \w+Event\(|dispatchEvent"),
}
MOST = 40  # files in a folder
NULLS = ("draw", "host", "runs", "losses")  # the folders in which what may be null is checked


def scripts() -> list[Path]:
    return sorted(SOURCE.rglob("*.js"))


def test_every_script_lies_in_a_folder_of_its_subject() -> None:
    assert not list(ASSETS.glob("*.js"))
    assert not list(SOURCE.glob("*.js"))
    assert {path.relative_to(SOURCE).parts[0] for path in scripts()} == set(BELOW)
    folders = {path.parent for path in scripts()}
    assert all(len(list(folder.iterdir())) <= MOST for folder in folders)


def test_scripts_import_one_way_and_only_what_exists() -> None:
    wrong = []
    for path in scripts():
        name = path.relative_to(ASSETS).as_posix()
        own = path.relative_to(SOURCE).parts[0]
        for target in IMPORT.findall(path.read_text()):
            found = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            room = found.split("/")[1]
            if not (ASSETS / found).is_file() or room not in (own, *BELOW[own]):
                wrong.append(f"{name} imports {target}")
    assert not wrong


def test_streamlits_page_and_plotlys_privates_are_known_in_one_folder_each_and_events_in_one_script() -> None:
    wrong = []
    for path in scripts():
        name = path.relative_to(SOURCE).as_posix()
        for where, words in KNOWN.items():
            if not name.startswith(where) and (found := words.search(COMMENT.sub("", path.read_text()))):
                wrong.append(f"{name} has {found[0]}, which belongs to {where}")
    assert not wrong


def test_pages_load_a_build_of_the_current_scripts() -> None:
    assert component_file("live") == "dist/js/live.js", "assets/src has changed: run `make dist`"
    for path in (SOURCE / "components").glob("*.js"):
        assert (ASSETS / component_file(path.stem)).is_file()


def test_scripts_are_checked_against_the_types_of_what_python_sends() -> None:
    assert FILE.read_text(encoding="utf-8") == declarations_for_scripts(), f"what Python sends has changed: run `{COMMAND}`"


def _checked(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [DENO, "check", "--quiet", *arguments]
    environment = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(command, cwd=ASSETS, capture_output=True, text=True, timeout=SECONDS, env=environment)


def test_every_value_has_a_type() -> None:
    """`make types` checks the scripts by these settings."""
    config = json.loads((ASSETS / "deno.json").read_text())["compilerOptions"]
    assert config["strict"]
    assert config["noImplicitAny"]


def test_what_may_be_null_is_checked_in_the_folders_that_all_others_import(tmp_path: Path) -> None:
    config = json.loads((ASSETS / "deno.json").read_text())
    types = [(ASSETS / name).as_uri() for name in config["compilerOptions"]["types"]]
    config["compilerOptions"] |= {"strictNullChecks": True, "types": types}
    (tmp_path / "deno.json").write_text(json.dumps(config))
    done = _checked("--config", str(tmp_path / "deno.json"), *(f"src/{folder}" for folder in NULLS))
    assert "TS" in done.stderr, "other folders are checked, too: check them all"
    # The places of errors; those that an error of another folder names besides are further in.
    assert not re.findall(rf"^    at \S+assets/src/(?:{'|'.join(NULLS)})/\S+", done.stderr, re.MULTILINE), done.stderr


def test_no_type_is_any() -> None:
    found = [line for path in scripts() for line in path.read_text().splitlines() if re.search(r"@\w+ \{.*\bany\b.*\}", line)]
    for path in (ASSETS / "build").glob("*.d.ts"):
        found += [line for line in path.read_text().splitlines() if re.search(r"^[^*]*\bany\b", line)]
    assert not found, "\n".join(found)


def test_the_oldest_browsers_that_the_readme_names_are_those_that_scripts_are_built_for() -> None:
    built = re.findall(r'"(chrome|firefox|safari)(\d+)"', (ASSETS / "build" / "build.mjs").read_text())
    readme = (ASSETS.parent / "README.md").read_text()
    named = re.search(r"Chrome or Edge (\d+), Firefox (\d+),\s+Safari (\d+)", readme)
    assert named
    assert dict(built) == dict(zip(("chrome", "firefox", "safari"), named.groups(), strict=True))


def test_plotly_is_built_of_the_version_that_the_python_package_has() -> None:
    manifest = json.loads((ASSETS / "dist" / "manifest.json").read_text())
    assert manifest["plotly"] == get_plotlyjs_version(), "name that version in assets/build/deno.json and run `make dist`"
    assert PLOTLY == ASSETS / "dist" / "plotly.min.js"


def test_figures_are_of_the_trace_types_that_are_built() -> None:
    built = set(re.findall(r"plotly\.js/lib/(\w+)", (ASSETS / "build" / "plotly.cjs").read_text())) | {"scatter"}
    sources = [*(ASSETS.parent / "dml_viz").rglob("*.py"), *(ASSETS.parent / "pages").glob("*.py")]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    kinds = {name.lower() for name, kind in vars(go).items() if isinstance(kind, type) and issubclass(kind, BaseTraceType)}
    used = set(re.findall(r"\bgo\.([A-Z]\w+)", text)) | set(re.findall(r""""type": "(\w+)\"""", text))
    assert {name.lower() for name in used} & kinds <= built


def test_licences_of_what_is_built_in_lie_beside_it() -> None:
    licences = (ASSETS / "dist" / "LICENSES.txt").read_text()
    assert re.search(r"^plotly\.js \d+\.\d+\.\d+ \(MIT\)$", licences, re.MULTILINE)


def test_no_style_of_every_page_asks_what_is_anywhere_on_the_page() -> None:
    # Such a rule is matched again wherever a text changes, as in each picture of a run.
    wide = re.compile(r"(?:\.stApp|\.dml-grid|body|html|:root):has\(")
    assert not [sheet for sheet in ("app", "live") if wide.search((ASSETS / "css" / f"{sheet}.css").read_text(encoding="utf-8"))]
