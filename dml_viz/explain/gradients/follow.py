"""Losses as the browser follows them while points are dragged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dml_viz.analysis import fresh_learnt
from dml_viz.embedding.scene import DIMENSIONS, MOST_CLASSES
from dml_viz.losses import Loss
from dml_viz.params import knobs


def followed(losses: Mapping[str, Loss], part: str, shown: str) -> dict[str, Any]:
    """The settings of the overlay "gradients": every loss as the browser follows it, and whose arrows are shown."""
    return {
        "shown": shown, "part": part, "losses": {name: _followed(name, loss) for name, loss in losses.items()},
    }  # fmt: skip


def _followed(name: str, loss: Loss) -> dict[str, Any]:
    stars = "proxies" in loss.learns and loss.per_class == 1
    learnt = {}
    for dim in DIMENSIONS:
        drawn = fresh_learnt(loss, MOST_CLASSES, dim)
        learnt[str(dim)] = {
            other: tensor.flatten().tolist() for other, tensor in drawn.items() if not (stars and other == "proxies")
        }
    return {
        "loss": type(loss).__module__.rpartition(".")[2], "title": loss.name, "knobs": knobs(loss),
        "learnt": learnt, "rows": loss.per_class, "stars": stars, "unit": loss.unit,
    }  # fmt: skip
