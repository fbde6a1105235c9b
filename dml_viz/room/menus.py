"""The menus of presets, each a file of assets/menus: the settings of each by their keys in a link, and a note on them."""

import tomllib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from dml_viz.assets import ASSETS


def menu(name: str) -> Mapping[str, tuple[Mapping[str, Any], str]]:
    """The presets of a menu, in order: by title, the settings (those ``shared`` by all among them) and the note."""
    presets = tomllib.loads((ASSETS / "menus" / f"{name}.toml").read_text(encoding="utf-8"))
    shared = presets.pop("shared", {})
    return MappingProxyType({title: ({**shared, **each.get("settings", {})}, each["note"]) for title, each in presets.items()})
