"""A wheel is the whole app, an sdist builds the same wheel, and a training loop needs torch and NumPy alone."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from dml_viz.export.cli import KNOWN
from tests.package import LARGEST, ROOT, sdist_of, unpacked, wheel_of
from tests.test_project import EXTRAS, required

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_of(ROOT, tmp_path_factory.mktemp("wheel"))


def files_below(folder: str) -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_a_wheel_has_the_package_and_in_one_folder_of_it_the_app(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assets = {name for name in files_below("assets") if not name.startswith(("assets/build/", "assets/screenshots/"))}
    site = {"app.py", ".streamlit/config.toml", *files_below("pages"), *assets}
    assert names == files_below("dml_viz") | {f"dml_viz/site/{name}" for name in site}
    assert "dml_viz/py.typed" in names
    assert wheel.stat().st_size <= LARGEST


def test_an_sdist_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    sources = unpacked(sdist_of(ROOT, tmp_path), tmp_path)
    assert wheel_of(sources, tmp_path).read_bytes() == wheel.read_bytes()


def metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(name))


def test_metadata_are_complete_but_for_the_licence_which_is_the_owners_choice(wheel: Path) -> None:
    said = metadata(wheel)
    for field in (
        "Name",
        "Version",
        "Summary",
        "Author",
        "Keywords",
        "Requires-Python",
        "Description-Content-Type",
        "Classifier",
    ):
        assert said[field], field
    kept = {"NOTICE", "assets/dist/LICENSES.txt", "assets/fonts/LICENSE.txt"}
    assert kept <= set(said.get_all("License-File", []))
    assert set(said.get_all("Provides-Extra", [])) == {"app", "dask", "notebook", "ray"}
    chosen = (ROOT / "LICENSE").exists()
    assert ("License-Expression" in said) == chosen, "the licence's text and its name belong together"


def pins() -> Mapping[str, str]:
    lines = (Requirement(line) for name in ("requirements.txt", *EXTRAS) for line in required(name))
    return {line.name: str(line.specifier).removeprefix("==") for line in lines}


def test_ranges_hold_the_versions_that_are_tested_and_nothing_else_is_asked_for() -> None:
    extras = PROJECT["optional-dependencies"]
    asked = [Requirement(line) for line in (*PROJECT["dependencies"], *(line for lines in extras.values() for line in lines))]
    ranges = {line.name: line.specifier for line in asked if line.name != PROJECT["name"]}
    assert ranges.keys() == pins().keys()
    for name, version in pins().items():
        assert version in ranges[name], f"{name} {version} is tested, {ranges[name]} is asked for"


def test_a_training_loop_asks_for_torch_and_numpy_alone() -> None:
    assert [Requirement(line).name for line in PROJECT["dependencies"]] == ["numpy", "torch"]


LOOP = """
import importlib.metadata, os, sys, time
before = time.process_time()
import dml_viz
spent = time.process_time() - before
import numpy, torch

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"streamlit", "plotly", "pandas", "scipy", "sklearn", "threadpoolctl", "PIL", "starlette"}:
            raise ImportError(f"{name} is not installed")

sys.meta_path.insert(0, Nothing())
from dml_viz import watch
from dml_viz.embedding.metrics import retrieval
from dml_viz.losses import LOSSES

class FastAP(torch.nn.Module):
    def forward(self, z, y):
        return LOSSES["fastap"](bins=10).value(z, y)

net, y = torch.nn.Linear(4, 3), torch.arange(12) % 3
loss = FastAP()
watching = watch(loss, every=1)
for step in range(5):
    value = loss(torch.nn.functional.normalize(net(torch.randn(12, 4))), y)
    value.backward()
watching.remove()
assert 0 <= retrieval(numpy.random.rand(12, 3), y.numpy()).map <= 1
assert os.path.getsize("run.dml") > 1000
assert spent < 0.05, f"import dml_viz took {spent:.3f} s"
"""


def test_a_loop_is_watched_and_losses_and_metrics_work_without_the_app(tmp_path: Path) -> None:
    # A port on which no app waits, so that frames go to a file.
    kept = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(tmp_path), "DML_VIZ_WATCH": "", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-W", "error", "-c", LOOP], cwd=tmp_path, env=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_command_is_that_of_the_package() -> None:
    module, _, function = PROJECT["scripts"]["dml-viz"].partition(":")
    assert (module, function) == ("dml_viz.export.cli", "run")
    assert {"app", "serve", "watch", "look", "export", "sweep"} <= KNOWN.keys()
