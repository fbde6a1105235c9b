"""The configuration of a server: environment variables, or lines of ``dml_viz.toml``.

The file is in a clone beside ``app.py``; an installed app reads it in the folder where it is started.

``DML_VIZ_STORE=/shared/runs`` and ``store = "/shared/runs"`` mean the same; a variable that is not empty overrides a line.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from dml_viz.assets import HOME, IN_CLONE

WATCH_FROM = ("this machine", "anywhere")
FILE = (HOME if IN_CLONE else Path.cwd()) / "dml_viz.toml"
CHOICES: Mapping[str, str] = MappingProxyType(
    {
        "classroom_secret": "",  # what signs the tokens of teachers; without one the store has it
        "embedded_by": "*",  # the sites that may hold a page in a frame, with spaces between them
        "look": "",  # the files that *Your data* opens on, with the path separator between them
        "seats": "40",  # how many browsers of one address count as visitors of their own
        "watch_tokens": "",  # what training loops send that are watched, with spaces between them
        "watch_from": WATCH_FROM[0],  # one of `WATCH_FROM`
        "store": "memory",  # or the folder that replicas share
        "workers": "local",  # or the scheduler of a cluster: dask://host:8786, ray://host:10001
    }
)


def value_of(name: str, file: Path = FILE) -> str:
    """The value of one of `CHOICES`; ValueError, which says what is wrong, for a bad file."""
    try:
        lines = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except (OSError, ValueError) as error:
        raise ValueError(f"{file} cannot be read: {error}") from error
    for key, value in lines.items():
        if key not in CHOICES or not isinstance(value, str):
            raise ValueError(f'{file} has {key} = {value!r}; write {", ".join(CHOICES)}, each as key = "text"')
    return os.environ.get(f"DML_VIZ_{name.upper()}") or lines.get(name, CHOICES[name])
