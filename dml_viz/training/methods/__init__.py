"""Every method, one file each; the folder is the list."""

from dml_viz.registry import discover
from dml_viz.training.methods._base import Method

METHODS: dict[str, type[Method]] = discover(__name__, Method)
