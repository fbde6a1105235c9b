"""Every data set, one file each; the folder is the list."""

from dml_viz.data.datasets._base import Dataset
from dml_viz.registry import discover

DATASETS: dict[str, type[Dataset]] = discover(__name__, Dataset)
