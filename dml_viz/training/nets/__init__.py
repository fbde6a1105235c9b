"""Every net, one file each; the folder is the list."""

from dml_viz.registry import discover
from dml_viz.training.nets._base import Net

NETS: dict[str, type[Net]] = discover(__name__, Net)
