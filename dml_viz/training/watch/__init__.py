"""Watch your own training loop in the app: ``from dml_viz import watch``, then ``watch(loss)``.

Only torch and NumPy are imported. Nothing here raises an error in the loop or waits for the app; an error is printed once.
"""

from collections.abc import Sequence
from typing import Any

from torch import nn

from dml_viz.training.watch import adapters
from dml_viz.training.watch.hook import Watching
from dml_viz.training.watch.pace import ALL, EVERY, SHARE
from dml_viz.training.watch.sender import Sender, of_primary_process


class Watcher:
    """``watch(loss)`` hooks a module called as ``loss(z, y)``; ``watch.step(z, y, loss=value)`` is for loops without one."""

    def __init__(self) -> None:
        self._loops: dict[str, Watching] = {}

    def __call__(
        self,
        loss: nn.Module,
        *,
        net: nn.Module | None = None,
        probe: tuple[Any, Any] | None = None,
        every: int = EVERY,
        name: str = "",
        names: Sequence[str] | None = None,
        to: str = "",
        share: float | None = None,
    ) -> Watching:
        """Show each ``every``-th call of ``loss`` in the app, fewer where that takes over ``share`` of the loop's time (0.01).

        With a share of 1 every frame is shown, and the loop waits for it. The loss's value is kept at every step. The last step
        is shown at the end of the process, when ``loss`` is gone, or at ``.remove()`` of the result, which ends the watching;
        it is left out where its batch has more than about 4 million numbers, or was written into.

        With ``net`` and ``probe``, (x, y) of at most 500 points, all frames show these; without, each shows another batch. ``x``
        is the input of the net: a tensor, a dict of tensors, or texts for a model of sentence-transformers. ``name`` is the title
        of the run, ``names`` are those of the classes 0 to C - 1. ``to`` is the address that ``dml-viz watch`` prints (default:
        ``DML_VIZ_WATCH``, or an app on this machine; else the file ``run.dml``).

        Of a loss that is compiled with ``fullgraph=True``, watch what ``torch.compile`` returns.
        """
        sender = Sender(to)
        given: Any = loss
        module = given if isinstance(given, nn.Module) else None
        if module is None:
            sender.say(f"{given!r:.60} is no module, so that its calls are not seen; call watch.step(z, y, loss=value)")
        watching = Watching(sender, str(name or _title(loss)), _every(every, sender), names, module, _share(share, sender))
        if module is not None and of_primary_process(sender.say):
            watching.hook_loss(net, probe)
        return watching

    def step(
        self,
        z: Any,
        y: Any,
        *,
        loss: Any,
        grad: Any = None,
        every: int = EVERY,
        name: str = "run",
        names: Sequence[str] | None = None,
        proxies: Any = None,
        to: str = "",
        share: float | None = None,
    ) -> None:
        """Show a step of the loop ``name``: rows z (N, d), labels y (N,), the loss's value, and its gradient at z if known.

        Call it at every step; without ``grad``, before ``backward``, which then gives the gradient of z. ``proxies`` (C, d) are
        rows that the loss learns, one for each class. A loop in another dimension d needs another name.
        """
        name = str(name)
        if name not in self._loops:
            sender = Sender(to)
            self._loops[name] = Watching(sender, name, _every(every, sender), names, None, _share(share, sender))
        if of_primary_process(self._loops[name].sender.say):
            self._loops[name].record_step(z, y, loss, grad, proxies)

    def lightning(self, loss: nn.Module | None = None, **options: Any) -> Any:
        """A callback for ``lightning.Trainer`` that watches ``loss``, or the only loss of the module that is trained."""
        return adapters.lightning(self, loss, options)

    def hugging_face(self, loss: nn.Module | None = None, **options: Any) -> Any:
        """A callback for ``transformers.Trainer`` that watches ``loss``, or the only loss of the model that is trained.

        The trainer of sentence-transformers takes the callback, too: a text, its positive and its negatives are points.
        """
        return adapters.hugging_face(self, loss, options)

    def metric_learning(self, trainer: Any, **options: Any) -> Any:
        """Watch the loss of a trainer of pytorch-metric-learning, with its trunk and embedder as the net; return the trainer."""
        return adapters.metric_learning(self, trainer, options)


watch = Watcher()


def _share(share: float | None, sender: Sender) -> float | None:
    """A share above 0, at most 1; for another None, which is the default, and a sentence."""
    if share is None or (isinstance(share, (int, float)) and 0 < share <= ALL):
        return share
    sender.say(f"share = {share!r} is not above 0 and at most 1; {SHARE} is taken")
    return None


def _every(every: int, sender: Sender) -> int:
    """A whole number of steps from 1 on; for anything else the default, and a sentence."""
    try:
        if 1 <= int(every) == every:
            return int(every)
    except (TypeError, ValueError, OverflowError):
        pass
    sender.say(f"every = {every!r} is no whole number from 1 on; {EVERY} is taken")
    return EVERY


def _title(loss: nn.Module) -> str:
    """The class of a loss, behind ``torch.compile``, and of the loss that it wraps: "CrossBatchMemory of ContrastiveLoss"."""
    outer = getattr(loss, "_orig_mod", loss)
    within = getattr(outer, "loss", None)
    return type(outer).__name__ + (f" of {_title(within)}" if isinstance(within, nn.Module) else "")
