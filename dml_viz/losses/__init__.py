"""Every loss, one file each; the folder is the list. What losses share is in the files whose names begin with ``_``."""

from dml_viz.losses._base import FAMILIES, Gradients, Loss, Weights
from dml_viz.losses._layout import Layout, layout_of
from dml_viz.losses._logsumexp import log_one_and_sum, log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.registry import discover

LOSSES: dict[str, type[Loss]] = discover(__name__, Loss)

__all__ = [
    "FAMILIES",
    "LOSSES",
    "Gradients",
    "Layout",
    "Loss",
    "Pairs",
    "Weights",
    "layout_of",
    "log_one_and_sum",
    "log_sum",
]
