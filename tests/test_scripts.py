"""The browser's scripts: in folders by subject, which import one way."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from dml_viz.assets import ASSETS, LOSSES

SOURCE = ASSETS / "src"
# What a folder may import beside itself; nothing imports the components.
BELOW = {
    "kit": (),
    "losses": ("kit",),
    "scene": ("kit", "losses"),
    "gradients": ("kit", "losses"),
    "race": ("kit", "losses"),
    "live": ("kit", "losses"),
    "export": ("kit", "losses", "scene", "gradients", "race", "live"),
    "components": ("kit", "losses", "scene", "gradients", "race", "live", "export"),
}
IMPORT = re.compile(r"""(?:\bfrom |\bimport\()["'](\.[^"']+)["']""")
MOST = 40  # files in a folder


def scripts() -> list[Path]:
    return sorted(SOURCE.rglob("*.js"))


def test_every_script_lies_in_a_folder_of_its_subject() -> None:
    assert not list(ASSETS.glob("*.js"))
    assert not list(SOURCE.glob("*.js"))
    assert {path.relative_to(SOURCE).parts[0] for path in scripts()} == set(BELOW)
    folders = {path.parent for path in scripts()}
    assert all(len(list(folder.iterdir())) <= MOST for folder in folders)


def test_scripts_import_one_way_and_what_is_there() -> None:
    wrong = []
    for path in scripts():
        name = path.relative_to(ASSETS).as_posix()
        own = path.relative_to(SOURCE).parts[0]
        for target in IMPORT.findall(path.read_text()):
            found = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            room = found.split("/")[1]
            there = found == LOSSES or (ASSETS / found).is_file()
            if not there or room not in (own, *BELOW[own]):
                wrong.append(f"{name} imports {target}")
    assert not wrong
