"""The points of a probe, embedded by a net in the middle of a loop, which is not disturbed."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dml_viz.training.watch.tensors import evenly_spaced, first_rows, input_rows, labels_of, thumbnails

MOST_ROWS = 500  # points of a frame


class Probe:
    """Points (x, y) that ``net`` embeds at every frame: in evaluation mode, and with its state restored afterwards."""

    def __init__(self, net: nn.Module, x: Any, y: Any) -> None:
        parallel = isinstance(net, (nn.parallel.DistributedDataParallel, nn.DataParallel))
        inner = net.module if parallel else net
        if not isinstance(inner, nn.Module):
            raise TypeError(f"net is a {type(net).__name__}; give the module that embeds")
        self.net, labels = inner, labels_of(y)
        places = evenly_spaced(len(labels), MOST_ROWS)
        self.x: Any
        if isinstance(x, Mapping):
            self.x = {name: input_rows(part, places) for name, part in x.items()}
        elif len(x) and isinstance(x[0], str):
            self.x = np.array(x, object)[places].tolist()
        else:
            self.x = input_rows(x, places)
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


def mark(device: torch.device) -> Any:
    """A recorded event of a GPU, by which its time is measured; None for other devices."""
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
