"""Every loss, one file each; the folder is the list."""

from __future__ import annotations

from dml_viz.discovery import discover
from dml_viz.loss import Loss

LOSSES: dict[str, type[Loss]] = discover(__name__, Loss)
