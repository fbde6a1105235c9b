"""What a type checker knows of the library in a program of its user; `make types` reads it, nothing runs it."""

from typing import assert_type

import torch
from torch import Tensor, nn

import dml_viz
from dml_viz import watch
from dml_viz.embedding.metrics import Retrieval, retrieval
from dml_viz.losses import LOSSES, Loss
from dml_viz.training.watch.hook import Watching


def check(loss: nn.Module, z: Tensor, y: Tensor) -> None:
    """Each result has its type, none is Any."""
    assert_type(watch(loss, every=10), Watching)
    assert_type(watch.step(z, y, loss=1.0), None)
    assert_type(dml_viz.look(z, y), str)
    assert_type(LOSSES["fastap"], type[Loss])
    assert_type(LOSSES["fastap"]().value(z, y), torch.Tensor)
    assert_type(retrieval(z.numpy(), y.numpy()), Retrieval)
