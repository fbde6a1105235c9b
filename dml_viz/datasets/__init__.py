"""Every data set, one file each; the folder is the list."""

from __future__ import annotations

from dml_viz.dataset import Dataset
from dml_viz.discovery import discover

DATASETS: dict[str, type[Dataset]] = discover(__name__, Dataset)
