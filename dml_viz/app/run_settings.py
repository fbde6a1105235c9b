"""The run that settings spell, asked for one by one. No Streamlit here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from dml_viz.app.room import Ask
from dml_viz.data.augmentation import Augmentation
from dml_viz.data.datasets import DATASETS
from dml_viz.data.samplers import SAMPLERS
from dml_viz.losses import LOSSES, Loss
from dml_viz.params import Param, params, trained
from dml_viz.training.nets import NETS
from dml_viz.training.run import Run

T = TypeVar("T")


def run_settings(ask: Ask, losses: Sequence[Loss] = ()) -> Run:
    """The run; where ``losses`` are given its loss is the first of them. ValueError where the settings do not go together."""
    data, net = _one_of(ask, "data", DATASETS, "digits"), _one_of(ask, "net", NETS, "mlp")
    if not losses:
        name = _one_of(ask, "loss", LOSSES, "fastap")
        values = {knob.name: ask.setting(f"loss.{name}.{knob.name}", knob) for knob in trained(LOSSES[name])}
        losses = (LOSSES[name](**values),)
    parts: dict[str, Any] = {
        "dataset": _declared(ask, DATASETS[data], data), "net": _declared(ask, NETS[net], net),
        "sampler": _declared(ask, SAMPLERS["p_by_k"], "p_by_k"), "loss": losses[0],
    }  # fmt: skip
    if any(loss.views for loss in losses):
        parts["augmentation"] = _declared(ask, Augmentation, "views")
    unasked = ("every", *(() if any(loss.learns for loss in losses) else ("proxy_lr",)))
    knobs = {knob.name: ask.setting(f"run.{knob.name}", knob) for knob in params(Run) if knob.name not in unasked}
    return Run(**parts, **knobs)


def _declared(ask: Ask, kind: type[T], prefix: str) -> T:
    return kind(**{knob.name: ask.setting(f"{prefix}.{knob.name}", knob) for knob in params(kind)})


def _one_of(ask: Ask, key: str, classes: Mapping[str, Any], default: str) -> str:
    return str(ask.setting(key, Param(key, default, "", key, choices=tuple(classes))))
