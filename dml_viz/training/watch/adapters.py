"""Callbacks for the trainers of other packages, which find the loss and hook it; no package is needed here."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from torch import nn

Watched = Callable[..., Any]


def lightning(watch: Watched, loss: nn.Module | None, options: Mapping[str, Any]) -> Any:
    """A Lightning callback; ImportError without Lightning."""

    def started(self: Any, trainer: Any, module: Any) -> None:
        watch(loss or loss_in(module), **options)

    try:
        package = import_module("lightning.pytorch")
    except ImportError:
        package = import_module("pytorch_lightning")
    return type("WatchCallback", (package.Callback,), {"on_train_start": started})()


def hugging_face(watch: Watched, loss: nn.Module | None, options: Mapping[str, Any]) -> Any:
    """A callback of transformers; ImportError without transformers."""

    def started(self: Any, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        watch(loss or loss_in(model), **options)

    return type("WatchCallback", (import_module("transformers").TrainerCallback,), {"on_train_begin": started})()


def metric_learning(watch: Watched, trainer: Any, options: Mapping[str, Any]) -> Any:
    """The trainer, whose metric loss is watched; with a ``probe`` its trunk and embedder are the net."""
    losses, models = trainer.loss_funcs, trainer.models
    if "probe" in options and "net" not in options:
        options = {**options, "net": nn.Sequential(*(models[name] for name in ("trunk", "embedder") if name in models))}
    watch(losses.get("metric_loss") or next(iter(losses.values())), **options)
    return trainer


def loss_in(model: nn.Module) -> nn.Module | None:
    """The only module inside ``model`` that is called a loss or comes from a package of losses; None for none or several."""
    inner = [part for part in model.modules() if part is not model]
    named = [part for part in inner if "loss" in f"{type(part).__module__}.{type(part).__name__}".lower()]
    within = {id(deeper) for part in named for deeper in part.modules() if deeper is not part}
    outer = [part for part in named if id(part) not in within]
    return outer[0] if len(outer) == 1 else None
