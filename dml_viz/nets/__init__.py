"""Every net, one file each; the folder is the list."""

from __future__ import annotations

from dml_viz.discovery import discover
from dml_viz.net import Net

NETS: dict[str, type[Net]] = discover(__name__, Net)
