"""Every sampler, one file each; the folder is the list."""

from __future__ import annotations

from dml_viz.discovery import discover
from dml_viz.sampler import Sampler

SAMPLERS: dict[str, type[Sampler]] = discover(__name__, Sampler)
