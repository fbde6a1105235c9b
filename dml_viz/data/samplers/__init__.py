"""Every sampler, one file each; the folder is the list."""

from dml_viz.data.samplers._base import Sampler
from dml_viz.registry import discover

SAMPLERS: dict[str, type[Sampler]] = discover(__name__, Sampler)
