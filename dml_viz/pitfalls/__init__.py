"""Every erratum, one file each; the folder is the list."""

from __future__ import annotations

from dml_viz.pitfalls._base import Erratum
from dml_viz.registry import discover

ERRATA: dict[str, type[Erratum]] = discover(__name__, Erratum)
