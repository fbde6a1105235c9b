"""What is taken from a training loop: a batch as its loss sees it, the gradient that comes back, and the points of a probe."""

import random
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dml_viz.data.wire import pack
from dml_viz.training.watch.sender import APART, Sender
from dml_viz.training.watch.tensors import (
    batch_of,
    first_rows,
    floats,
    labelled,
    labels_of,
    picked,
    proxies_of,
    rows_of,
    spread,
    thumbnails,
    value_of,
)
from dml_viz.training.watch.unwatched import Unwatched

VERSION = 1
EVERY = 10
FIRST = frozenset((1, 2, 3, 5))
MOST_ROWS, BATCH_ROWS = 500, 256  # drawn of a frame; sent of the batch beside a probe
SHARE, CREDIT = 0.008, 0.1  # of the loop's time, and seconds at first, that watching may take


@dataclass
class Taken:
    """A batch at a step: rows z (n, d), labels y (n,), value, gradient (n, d), proxies, and the probe's rows."""

    step: int
    z: Tensor
    y: Tensor
    rows: int  # of the batch, of which n are taken
    value: Tensor | None
    proxies: tuple[Tensor, int] | None  # (C * K, d), K
    probe: Tensor | None = None
    grad: Tensor | None = None
    seed: Tensor | None = None  # by which the loss's gradient was multiplied, as by a scaler
    sent: bool = False


class Probe:
    """Points (x, y) that ``net`` embeds at every frame: in evaluation mode, and with its state as it was afterwards."""

    def __init__(self, net: nn.Module, x: Any, y: Any) -> None:
        parallel = isinstance(net, (nn.parallel.DistributedDataParallel, nn.DataParallel))
        inner = net.module if parallel else net
        if not isinstance(inner, nn.Module):
            raise TypeError(f"net is a {type(net).__name__}; give the module that embeds")
        self.net, labels = inner, labels_of(y)
        places = spread(len(labels), MOST_ROWS)
        self.x = (
            {name: rows_of(part, places) for name, part in x.items()} if isinstance(x, Mapping) else rows_of(x, places)
        )
        self.y = labels[places]
        self.images = None if isinstance(self.x, dict) else thumbnails(self.x)

    def embed(self, chunk: int) -> Tensor:
        """The rows (n, d) of the points, ``chunk`` of them at a time."""
        first = next(self.net.parameters(), torch.empty(0))
        with _undisturbed(self.net, first.device), torch.no_grad():
            return torch.cat(
                [first_rows(self._of(slice(at, at + chunk), first)) for at in range(0, len(self.y), chunk)]
            )

    def _of(self, part: slice, like: Tensor) -> Any:
        if isinstance(self.x, dict):
            return self.net(**{name: tensor[part].to(like.device) for name, tensor in self.x.items()})
        return self.net(self.x[part].to(like.device))


class Watching:
    """What watches one loop: it counts the calls of a loss, and takes some of them."""

    def __init__(
        self, sender: Sender, name: str, every: int, names: Sequence[str] | None, loss: nn.Module | None = None
    ) -> None:
        self.sender, self.name, self.every, self.names = sender, name, max(1, int(every)), names
        self.step = self.due = 0
        self.spent = self._next = 0.0  # seconds
        self._loss = weakref.ref(loss) if loss is not None else lambda: None
        self._probe: Probe | None = None
        self._net = ""
        self._handle: Any = None
        self._taken: Taken | None = None
        self._began = time.perf_counter()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy of the loss is not watched, nor is one that is saved and loaded."""
        return Unwatched, ()

    def attach(self, net: nn.Module | None, probe: tuple[Any, Any] | None) -> None:
        """Hook the loss, and embed the points of ``probe`` with ``net``."""
        with self._harmless():
            loss = self._loss()
            if not isinstance(loss, nn.Module):
                raise TypeError(f"{type(loss).__name__} is no module; call watch.step(z, y, loss=value) in the loop")
            self._handle = loss.register_forward_hook(self, with_kwargs=True)
        with self._harmless():
            if (net is None) != (probe is None):
                raise TypeError("a probe needs the net that embeds it: watch(loss, net=net, probe=(x, y))")
            if net is not None and probe is not None:
                self._probe, self._net = Probe(net, *probe), type(net).__name__

    def remove(self) -> None:
        """Watch no longer."""
        if self._handle is not None:
            self._handle.remove()
        self.sender.close()

    def saw(self, z: Any, y: Any, value: Any, grad: Any, proxies: Any) -> None:
        """A step of a loop without a module."""
        with self._harmless():
            if self._counted():
                rows = None if proxies is None else (torch.as_tensor(proxies).detach(), 1)
                self._take(torch.as_tensor(z), labels_of(y), torch.as_tensor(value), rows, grad)

    def __call__(self, loss: nn.Module, given: tuple[Any, ...], named: dict[str, Any], output: Any) -> None:
        """A call of the loss."""
        with self._harmless():
            if torch.compiler.is_compiling() or not torch.is_grad_enabled() or not self._counted():
                return
            z, y = batch_of((*given, *named.values()))
            if z.requires_grad:
                self._take(z, y, value_of(output), proxies_of(loss, z.shape[1]), None)

    def _counted(self) -> bool:
        """Count a step; whether it is taken: each ``every``-th is due, and left out where watching took its share of the time."""
        self.step += 1
        if self.step % self.every and self.step not in FIRST:
            return False
        self.due += 1
        passed = time.perf_counter() - self._began
        if passed < self._next or self.spent + self.sender.spent > CREDIT + SHARE * passed:
            return False
        self._next = passed + APART
        return True

    def _take(
        self, z: Tensor, y: Tensor, value: Tensor | None, proxies: tuple[Tensor, int] | None, grad: Any
    ) -> None:  # fmt: skip
        if self._taken and not self._taken.sent:
            self._offer(self._taken)  # nothing came back of the one before
        places = spread(len(z), BATCH_ROWS if self._probe else MOST_ROWS)
        seen = z.detach()
        taken = Taken(
            self.step, picked(seen, places), picked(y.detach(), places), len(z),
            None if value is None else value.detach().float().mean(), proxies,
        )  # fmt: skip
        if proxies:
            taken.proxies = proxies[0].detach().clone(), proxies[1]
        if self._probe:
            taken.probe = self._probed(max(32, len(z)))
        self._taken = taken
        if grad is not None or not z.requires_grad:
            taken.grad = None if grad is None else picked(torch.as_tensor(grad).detach(), places)
            self._offer(taken)
            return
        if value is not None and value.requires_grad and value.numel() == 1:
            value.register_hook(self._hook(lambda slope: setattr(taken, "seed", slope.detach().clone())))

        def came(slope: Tensor) -> None:
            taken.grad = picked(slope.detach(), places)
            self._offer(taken)

        z.register_hook(self._hook(came))

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
        """A frame as it travels."""
        probe = self._probe if taken.probe is not None else None
        z, y = (taken.probe, probe.y) if probe and taken.probe is not None else (taken.z, taken.y)
        header: dict[str, Any] = {
            "version": VERSION, "name": self.name, "net": self._net, "step": taken.step, "every": self.every,
            "due": self.due, "delivered": self.sender.delivered, "seconds": time.perf_counter() - self._began,
            "probe": probe is not None, "rows": taken.rows, "device": str(taken.z.device),
            "value": None if taken.value is None else float(taken.value),
            "seed": 1.0 if taken.seed is None else float(taken.seed.float().mean()),
        }  # fmt: skip
        arrays = labelled(header, "", z, y, taken.proxies, self.names)
        if probe:
            arrays |= labelled(header, "batch.", taken.z, taken.y, taken.proxies, self.names)
            if self.sender.wants_images and probe.images is not None:
                arrays["images"] = probe.images
        if taken.grad is not None:
            arrays["grad"] = floats(taken.grad)
        return pack(header, arrays)

    def _hook(self, do: Callable[[Tensor], object]) -> Callable[[Tensor], None]:
        def hook(slope: Tensor) -> None:
            with self._harmless():
                do(slope)

        return hook

    @contextmanager
    def _harmless(self) -> Iterator[None]:
        """Let no error out, and count the time that is taken."""
        began = time.perf_counter()
        try:
            yield
        except Exception as error:
            self.sender.say(
                f"{error}" if isinstance(error, (TypeError, ValueError)) else f"{type(error).__name__}: {error}"
            )
        finally:
            self.spent += time.perf_counter() - began


@contextmanager
def _undisturbed(net: nn.Module, device: torch.device) -> Iterator[None]:
    """Evaluation mode inside the block; afterwards every module's mode and all random states are as before."""
    modes = [(module, module.training) for module in net.modules()]
    states = random.getstate(), np.random.get_state()
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices):
        net.eval()
        try:
            yield
        finally:
            for module, training in modes:
                module.training = training
            random.setstate(states[0])
            np.random.set_state(states[1])
