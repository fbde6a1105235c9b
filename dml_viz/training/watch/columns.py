"""Rows that a loss computes itself: a loss of sentence-transformers gets columns of texts, which its own model embeds."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from dml_viz.training.watch.tensors import SENTENCES
from dml_viz.training.watch.unwatched import Unwatched


class Columns:
    """Hooks on the models in ``loss``, if it has any, which collect the rows that they return during a call."""

    def __init__(self, loss: nn.Module) -> None:
        self._rows: list[Tensor] = []
        models = [part for part in loss.children() if hasattr(part, "encode")]
        self.handles = [part.register_forward_hook(self) for part in models]
        if models:
            self.handles.append(loss.register_forward_pre_hook(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy of the model, or a model loaded from a file, is not hooked."""
        return Unwatched, ()

    def __call__(self, module: nn.Module, given: Any, output: Any = None) -> None:
        """Forget the rows of the last call when the loss is called; collect the rows that its model returns."""
        if output is None:
            self._rows.clear()
        elif isinstance(output, Mapping) and isinstance(output.get(SENTENCES), Tensor):
            self._rows.append(output[SENTENCES])

    def rows_of_last_call(self) -> list[Tensor]:
        """The rows of the last call, column after column, which are then forgotten; only columns as wide as the first."""
        rows, self._rows = self._rows, []
        return [column for column in rows if column.shape[1:] == rows[0].shape[1:]]


def classes_of(rows: Sequence[Tensor], given: Sequence[Any]) -> Tensor:
    """A label for each row: the batch's own, or a class for each text with its positive, and one for each negative."""
    columns = len(given[0])
    size = sum(map(len, rows)) // columns
    each = torch.arange(size, device=rows[0].device)
    tensors = (argument for argument in given[1:] if isinstance(argument, Tensor))
    labels = next((tensor.reshape(-1) for tensor in tensors if tensor.numel() == size), None)
    if columns == 1 and labels is not None:
        return labels
    if columns == 2 and labels is not None and labels.min() >= 0 and labels.max() <= 1:
        return torch.cat([each, torch.where(labels > 0.5, each, each + size)])
    if columns > 1 and labels is None:
        return torch.cat([each, *(each + size * column for column in range(columns - 1))])
    raise ValueError("the texts of this loss have no classes, and no pairs from 0 to 1; call watch.step(z, y, loss=value)")
