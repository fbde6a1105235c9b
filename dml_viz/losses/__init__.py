"""Every loss, one file each; the folder is the list. What losses share is in the files whose names begin with ``_``."""

from dml_viz.losses._base import FAMILIES, Loss
from dml_viz.losses._layout import Layout, common_layout, layout_of
from dml_viz.losses._learnt_tensor import LearntTensor, Shape
from dml_viz.losses._logsumexp import log_one_and_sum, log_sum
from dml_viz.losses._pairs import Pairs
from dml_viz.losses._results import Gradients, Weights
from dml_viz.registry import discover

_FOUND: dict[str, type[Loss]] = discover(__name__, Loss)
# The published losses, and all losses that a run or a link can name.
LOSSES = {name: kind for name, kind in _FOUND.items() if not kind.by_user}
KNOWN = {**LOSSES, **_FOUND}

__all__ = ["FAMILIES", "KNOWN", "LOSSES", "Gradients", "Layout", "LearntTensor", "Loss", "Pairs", "Shape", "Weights"]
__all__ += ["common_layout", "layout_of", "log_one_and_sum", "log_sum"]
