"""What a loss is called where it stands among others."""

from __future__ import annotations

from dml_viz.losses._base import Loss
from dml_viz.params import knobs


def called(loss: Loss) -> str:
    """The title of ``loss``; where it names several forms, the one that the knobs select."""
    title = type(loss).title
    forms = title.split(", ")
    return next((value for value in knobs(loss).values() if isinstance(value, str) and value in forms), title)
