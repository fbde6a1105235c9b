"""The messages of a watched loop: frames, with the points of a probe, and values of its loss alone."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dml_viz.data.wire import pack
from dml_viz.training.watch.tensors import evenly_spaced, first_rows, floats, labelled, labels_of, thumbnails

VERSION = 2
MOST_ROWS = 500  # points of a frame


class Probe:
    """Points (x, y) that ``net`` embeds at every frame: in evaluation mode, and with its state restored afterwards."""

    def __init__(self, net: nn.Module, x: Any, y: Any) -> None:
        parallel = isinstance(net, (nn.parallel.DistributedDataParallel, nn.DataParallel))
        inner = net.module if parallel else net
        if not isinstance(inner, nn.Module):
            raise TypeError(f"net is a {type(net).__name__}; give the module that embeds")
        self.net, labels = inner, labels_of(y)
        rows = {len(part) for part in x.values()} if isinstance(x, Mapping) else {len(x)}
        if rows != {len(labels)}:
            has = " and ".join(map(str, sorted(rows)))
            raise ValueError(f"the probe has {has} points and {len(labels)} labels; give each point its label")
        places = evenly_spaced(len(labels), MOST_ROWS)
        self.x: Any
        if isinstance(x, Mapping):
            self.x = {name: torch.as_tensor(part)[places] for name, part in x.items()}
        elif len(x) and isinstance(x[0], str):
            self.x = np.array(x, object)[places].tolist()
        else:
            self.x = torch.as_tensor(x)[places]
        self.y = labels[places]
        self.images = thumbnails(self.x) if isinstance(self.x, Tensor) else None

    def embed(self, chunk: int) -> Tensor:
        """The rows (n, d) of the points, ``chunk`` of them at a time."""
        first = next(self.net.parameters(), torch.empty(0))
        with _undisturbed(self.net, first.device), torch.no_grad():
            return torch.cat([first_rows(self._of(slice(at, at + chunk), first)) for at in range(0, len(self.y), chunk)])

    def _of(self, part: slice, like: Tensor) -> Any:
        if isinstance(self.x, list):  # texts, for a model of sentence-transformers
            net: Any = self.net
            made = (net.preprocess if hasattr(net, "preprocess") else net.tokenize)(self.x[part])
            return net({name: value.to(like.device) if isinstance(value, Tensor) else value for name, value in made.items()})
        if isinstance(self.x, dict):
            return self.net(**{name: tensor[part].to(like.device) for name, tensor in self.x.items()})
        return self.net(self.x[part].to(like.device))


def record_timing_event(device: torch.device) -> Any:
    """Record an event on a GPU, by which its time is measured, and return the event; None for other devices."""
    if device.type != "cuda":
        return None
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


@contextmanager
def _undisturbed(net: nn.Module, device: torch.device) -> Iterator[None]:
    """Set ``net`` to evaluation mode inside the block; restore every module's mode and all random states afterwards."""
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


@dataclass
class BatchCopy:
    """The copy of a step's batch: rows z (n, d), labels y (n,), value, gradient (n, d), proxies, and the probe's rows."""

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


def frame_message(
    taken: BatchCopy, facts: dict[str, Any], values: np.ndarray, probe: Probe | None, names: Sequence[str] | None, *, images: bool
) -> bytes:
    """The message of a frame: its step, ``facts`` about the loop, and the ``values`` of the loss that wait."""
    known = probe if taken.probe is not None else None
    z, y = (taken.probe, known.y) if known and taken.probe is not None else (taken.z, taken.y)
    header: dict[str, Any] = {
        **facts,
        "version": VERSION,
        "step": taken.step,
        "probe": known is not None,
        "rows": taken.rows,
        "device": str(taken.z.device),
        "value": None if taken.value is None else float(taken.value),
        "seed": 1.0 if taken.seed is None else float(taken.seed.float().mean()),
    }
    arrays = {"values": values, **labelled(header, "", z, y, taken.proxies, names)}
    if known:
        arrays |= labelled(header, "batch.", taken.z, taken.y, taken.proxies, names)
        if images and known.images is not None:
            arrays["images"] = known.images
    if taken.grad is not None:
        arrays["grad"] = floats(taken.grad)
    return pack(header, arrays)


def values_message(facts: dict[str, Any], values: np.ndarray) -> bytes:
    """The message of the ``values`` of the loss at steps that have no frame."""
    return pack({**facts, "version": VERSION, "kind": "values"}, {"values": values})
