"""A loss as stand-alone PyTorch: the code that this app is tested with, its knobs put in and all else left out."""

from __future__ import annotations

from dml_viz.to_pytorch.writing import snippet

__all__ = ["snippet"]
