"""The messages of a watched loop: frames, and values of its loss alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from dml_viz.data.wire import pack
from dml_viz.training.watch.probe import Probe
from dml_viz.training.watch.tensors import floats, labelled

VERSION = 2


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
