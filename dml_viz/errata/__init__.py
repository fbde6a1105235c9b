"""Every erratum, one file each; the folder is the list."""

from __future__ import annotations

from dml_viz.discovery import discover
from dml_viz.erratum import Erratum

ERRATA: dict[str, type[Erratum]] = discover(__name__, Erratum)
