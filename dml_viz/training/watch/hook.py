"""The hook on a training loop: it copies a batch of its loss, the gradient at the batch, and the points of a probe."""

import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from dml_viz.data.wire import pack
from dml_viz.training.watch.columns import Columns, classes_of
from dml_viz.training.watch.pace import AT_MOST, LONG, Pace
from dml_viz.training.watch.probe import MOST_ROWS, Probe, mark
from dml_viz.training.watch.sender import Sender
from dml_viz.training.watch.tensors import batch_of, floats, labelled, labels_of, picked, proxies_of, spread, value_of
from dml_viz.training.watch.unwatched import Unwatched

VERSION = 1
BATCH_ROWS = 256  # most rows of the batch that are sent beside a probe
SETTLED = 8  # frames after which the loop's log says how often they come


@dataclass
class Taken:
    """A copy of a step's batch: rows z (n, d), labels y (n,), value, gradient (n, d), proxies, and the probe's rows."""

    step: int
    z: Tensor
    y: Tensor
    rows: int  # of the batch, of which n are copied
    value: Tensor | None
    proxies: tuple[Tensor, int] | None  # (C * K, d), K
    probe: Tensor | None = None
    grad: Tensor | None = None
    seed: Tensor | None = None  # by which the loss's gradient was multiplied, as by a scaler
    sent: bool = False
    marks: tuple[Any, Any] = (None, None)  # of a GPU's time, before and after the probe


class Watching:
    """The watching of one loop: it counts the calls of a loss, and copies the batches of some of them."""

    def __init__(
        self, sender: Sender, name: str, every: int, names: Sequence[str] | None, loss: nn.Module | None = None
    ) -> None:
        self.sender, self.name, self.names, self.pace = sender, name, names, Pace(every)
        self.spent = 0.0  # seconds
        self._loss = weakref.ref(loss) if loss is not None else lambda: None
        self._probe: Probe | None = None
        self._net = ""
        self._handle: Any = None
        self._columns: Columns | None = None
        self._taken: Taken | None = None
        self._began = time.perf_counter()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy of the loss, or a loss loaded from a file, is not watched."""
        return Unwatched, ()

    def attach(self, net: nn.Module | None, probe: tuple[Any, Any] | None) -> None:
        """Hook the loss, and embed the points of ``probe`` with ``net``."""
        with self._harmless():
            loss = self._loss()
            if loss is None:
                raise TypeError(
                    "the model that is trained has no single loss within; name it: watch.hugging_face(loss)"
                )
            if not isinstance(loss, nn.Module):
                raise TypeError(f"{type(loss).__name__} is no module; call watch.step(z, y, loss=value) in the loop")
            for earlier in [hook for hook in loss._forward_hooks.values() if isinstance(hook, Watching)]:
                earlier.remove()  # as where the cell of a notebook is run again
            self._columns = Columns(loss)
            self._handle = loss.register_forward_hook(self, with_kwargs=True)
            # Torch checks the key alone; a value of True would be logged by loops that log all numbers in their losses.
            loss._forward_hooks_with_kwargs[self._handle.id] = None  # type: ignore[assignment]
        with self._harmless():
            if (net is None) != (probe is None):
                raise TypeError("a probe needs the net that embeds it: watch(loss, net=net, probe=(x, y))")
            if net is not None and probe is not None:
                self._probe, self._net = Probe(net, *probe), type(net).__name__

    def remove(self) -> None:
        """End the watching."""
        if self._handle is not None:
            for handle in (self._handle, *(self._columns.handles if self._columns else ())):
                handle.remove()
        self.sender.close()

    def saw(self, z: Any, y: Any, value: Any, grad: Any, proxies: Any) -> None:
        """Count a step of a loop without a module, and perhaps copy its batch."""
        with self._harmless():
            if self._counted():
                rows = None if proxies is None else (torch.as_tensor(proxies).detach(), 1)
                self._take([torch.as_tensor(z)], labels_of(y), torch.as_tensor(value), rows, grad)

    def __call__(self, loss: nn.Module, given: tuple[Any, ...], named: dict[str, Any], output: Any) -> None:
        """Count a call of the loss, and perhaps copy its batch."""
        with self._harmless():
            made = self._columns.taken() if self._columns else []
            if torch.compiler.is_compiling() or not torch.is_grad_enabled() or not self._counted():
                return
            every = (*given, *named.values())
            rows, y = (made, classes_of(made, every)) if made else batch_of(every)
            if made or rows[0].requires_grad:
                self._take(rows, y, value_of(output), None if made else proxies_of(loss, rows[0].shape[1]), None)

    def _counted(self) -> bool:
        """Count a step; return whether its batch is copied."""
        pace = self.pace
        taken = pace.takes(time.perf_counter(), self.spent + self.sender.spent)
        if taken and pace.due == SETTLED and pace.wider:
            self.sender.say(pace.wider)
        if pace.step == 2 and (wait := pace.wait(self.spent + self.sender.spent)) > LONG:
            self.sender.say(f"the next frame comes in about {wait:.0f} s: watching takes at most {AT_MOST}")
        return taken

    def _take(
        self, rows: Sequence[Tensor], y: Tensor, value: Tensor | None, proxies: tuple[Tensor, int] | None, grad: Any
    ) -> None:  # fmt: skip
        if self._taken and not self._taken.sent:
            self._offer(self._taken)  # the last batch, whose gradient never came
        seen = torch.cat([part.detach() for part in rows]) if len(rows) > 1 else rows[0].detach()
        places = spread(len(seen), BATCH_ROWS if self._probe else MOST_ROWS)
        taken = Taken(
            self.pace.step, picked(seen, places), picked(y.detach(), places), len(seen),
            None if value is None else value.detach().float().mean(), proxies,
        )  # fmt: skip
        if proxies:
            taken.proxies = proxies[0].detach().clone(), proxies[1]
        if self._probe:
            began = mark(seen.device)
            taken.probe = self._probed(max(32, len(seen)))
            taken.marks = began, mark(seen.device)
        self._taken = taken
        if grad is not None or not all(part.requires_grad for part in rows):
            taken.grad = None if grad is None else picked(torch.as_tensor(grad).detach(), places)
            self._offer(taken)
            return
        if value is not None and value.requires_grad and value.numel() == 1:
            value.register_hook(self._hook(lambda slope: setattr(taken, "seed", slope.detach().clone())))

        slopes: dict[int, Tensor] = {}
        parts = len(rows)

        def received(place: int, slope: Tensor) -> None:
            slopes[place] = slope.detach()
            if len(slopes) == parts:
                taken.grad = picked(torch.cat([slopes[k] for k in range(parts)]), places)
                self._offer(taken)

        for place, part in enumerate(rows):
            part.register_hook(self._hook(partial(received, place)))

    def _probed(self, chunk: int) -> Tensor | None:
        assert self._probe
        try:
            return self._probe.embed(chunk)
        except Exception as error:
            self._probe = None
            self.sender.say(f"the probe is left out, and batches are shown: {type(error).__name__}: {error}")
            return None

    def _offer(self, taken: Taken) -> None:
        taken.sent = True
        self.sender.offer(lambda: self._message(taken))

    def _message(self, taken: Taken) -> bytes:
        """The message of a frame."""
        probe = self._probe if taken.probe is not None else None
        z, y = (taken.probe, probe.y) if probe and taken.probe is not None else (taken.z, taken.y)
        header: dict[str, Any] = {
            "version": VERSION, "name": self.name, "net": self._net, "step": taken.step, "every": self.pace.every,
            "apart": self.pace.apart, "due": self.pace.due, "delivered": self.sender.delivered,
            "seconds": time.perf_counter() - self._began, "probe": probe is not None, "rows": taken.rows,
            "device": str(taken.z.device), "value": None if taken.value is None else float(taken.value),
            "seed": 1.0 if taken.seed is None else float(taken.seed.float().mean()),
        }  # fmt: skip
        arrays = labelled(header, "", z, y, taken.proxies, self.names)
        if probe:
            arrays |= labelled(header, "batch.", taken.z, taken.y, taken.proxies, self.names)
            if self.sender.wants_images and probe.images is not None:
                arrays["images"] = probe.images
        if taken.grad is not None:
            arrays["grad"] = floats(taken.grad)
        began, ended = taken.marks
        if ended:  # recorded by now, because the probe's rows have been copied
            self.sender.spent += began.elapsed_time(ended) / 1000
        header["wait"] = self.pace.wait(self.spent + self.sender.spent)
        return pack(header, arrays)

    def _hook(self, do: Callable[[Tensor], object]) -> Callable[[Tensor], None]:
        def hook(slope: Tensor) -> None:
            with self._harmless():
                do(slope)

        return hook

    @contextmanager
    def _harmless(self) -> Iterator[None]:
        """Catch every error of the block and print it, and count the block's time."""
        began = time.perf_counter()
        try:
            yield
        except Exception as error:
            self.sender.say(
                f"{error}" if isinstance(error, (TypeError, ValueError)) else f"{type(error).__name__}: {error}"
            )
        finally:
            self.spent += time.perf_counter() - began
