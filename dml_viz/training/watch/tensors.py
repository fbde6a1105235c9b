"""The rows, labels, proxies and images of a loop, found among its tensors or in columns, as arrays for a message."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dml_viz.data.wire import in_smallest_type
from dml_viz.training.watch.harmless import Unwatched

SIDE = 32  # pixels of an image
SENTENCES = "sentence_embedding"  # key of the rows in the output of models of sentence-transformers
COLUMNS = ("W", "fc")  # names of square parameters whose columns, not rows, are proxies


def rows_and_labels(given: Sequence[Any]) -> tuple[list[Tensor], Tensor]:
    """The rows and labels among the arguments of a loss; two tables of rows without labels are two views. ValueError without."""
    tensors = [argument for argument in given if isinstance(argument, Tensor)]
    rows = [tensor for tensor in tensors if tensor.ndim == 2 and tensor.is_floating_point()]
    labels = [tensor for tensor in tensors if tensor.ndim == 1 and rows and len(tensor) == len(rows[0])]
    if rows and labels:
        return rows[:1], labels[0]
    if len(rows) == 2 and rows[0].shape == rows[1].shape:
        return rows, torch.arange(len(rows[0]), device=rows[0].device).repeat(2)
    shapes = ", ".join(str(tuple(tensor.shape)) for tensor in tensors) or "no tensor"
    raise ValueError(
        f"the loss is called with {shapes}, and rows (N, d) with labels (N) are shown; call watch.step(z, y, loss=value)"
    )


def proxies_of(loss: nn.Module, dim: int) -> tuple[Tensor, int] | None:
    """The rows (C * K, d) that a loss learns, class by class, and K; None unless one parameter has a side of length d."""
    matrices = [(name, tensor) for name, tensor in loss.named_parameters() if tensor.ndim == 2 and dim in tensor.shape]
    if len(matrices) != 1:
        return None
    [(name, tensor)] = matrices
    owner = loss.get_submodule(name.rpartition(".")[0])
    as_rows = tensor.shape[1] == dim and not (tensor.shape[0] == dim and name.rpartition(".")[2] in COLUMNS)
    rows = tensor if as_rows else tensor.T
    classes = getattr(owner, "num_classes", None) or len(rows)
    return (rows, len(rows) // classes) if isinstance(classes, int) and len(rows) % classes == 0 else (rows, 1)


def thumbnails(x: Tensor) -> np.ndarray | None:
    """Images (N, C, H, W) or (N, H, W) as (N, side, side) uint8, dark as 255, at most 32 px; None for other shapes."""
    grey = x.detach().float().mean(1) if x.ndim == 4 and x.shape[1] in (1, 3, 4) else x.detach().float()
    if grey.ndim != 3 or min(grey.shape[1:]) < 4:
        return None
    if max(grey.shape[1:]) > SIDE:
        grey = nn.functional.adaptive_avg_pool2d(grey, (min(SIDE, grey.shape[1]), min(SIDE, grey.shape[2])))
    low, high = grey.amin(), grey.amax()
    light = (grey - low) / (high - low).clamp(min=1e-12)
    return ((1 - light) * 255).round().nan_to_num(0).to(torch.uint8).cpu().numpy()


def evenly_spaced(rows: int, most: int) -> slice | np.ndarray:
    """The places of at most ``most`` of so many rows, evenly spaced."""
    return slice(None) if rows <= most else np.linspace(0, rows - 1, most).round().astype(np.int64)


def labelled(
    header: dict[str, Any], prefix: str, z: Tensor, y: Tensor, proxies: tuple[Tensor, int] | None, names: Sequence[str] | None
) -> dict[str, np.ndarray]:
    """The arrays of rows, of labels counted from 0, and of the classes' proxies; names of the classes are put into ``header``."""
    classes, labels = np.unique(y.cpu().numpy().astype(np.int64), return_inverse=True)
    ids = classes.tolist()
    header[f"{prefix}names"] = [str(names[c]) if names is not None and 0 <= c < len(names) else str(c) for c in ids]
    arrays = {f"{prefix}z": floats(z), f"{prefix}y": in_smallest_type(labels)}
    if proxies and ids and ids[0] >= 0 and (ids[-1] + 1) * proxies[1] <= len(proxies[0]):
        rows, each = proxies
        indices = (classes[:, None] * each + np.arange(each)).ravel()
        arrays[f"{prefix}proxies"] = floats(rows[torch.from_numpy(indices).to(rows.device)])
    return arrays


def floats(tensor: Tensor) -> np.ndarray:
    """The tensor as float32."""
    return tensor.detach().float().cpu().numpy()


def copied_rows(tensor: Tensor, places: slice | np.ndarray) -> Tensor:
    """A copy of some rows, because the loop may write into its tensors."""
    return tensor[places].clone() if isinstance(places, slice) else tensor[torch.from_numpy(places).to(tensor.device)]


def require_module(loss: Any) -> nn.Module:
    """The loss itself, which is a module; TypeError, which names the way out, for another object."""
    if loss is None:
        raise TypeError("the model that trains has no single loss within; name it: watch.hugging_face(loss)")
    if not isinstance(loss, nn.Module):
        raise TypeError(f"{type(loss).__name__} is no module; call watch.step(z, y, loss=value) in the loop")
    return loss


def labels_of(y: Any) -> Tensor:
    """Labels (N,); ValueError for another shape, or for what are no numbers."""
    try:
        labels = torch.as_tensor(y).detach()
    except (TypeError, ValueError) as error:
        raise ValueError("labels are no numbers; number the classes from 0 on, and give their names as names=") from error
    if labels.ndim != 1:
        raise ValueError(f"labels have shape {tuple(labels.shape)}; give a whole number for each row")
    return labels


def first_rows(output: Any) -> Tensor:
    """The embeddings in the output of a net; ValueError without any."""
    if isinstance(output, Mapping) and SENTENCES in output:
        return output[SENTENCES].detach()
    for part in floats_in(output):
        if part.ndim == 2:
            return part.detach()
    raise ValueError("the net returns no rows (N, d)")


def floats_in(output: Any) -> Iterator[Tensor]:
    """The tensors of floating-point numbers in the output of a module, in their order."""
    parts = output.values() if isinstance(output, Mapping) else output if isinstance(output, (tuple, list)) else [output]
    return (part for part in parts if isinstance(part, Tensor) and part.is_floating_point())


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

    def pop_rows(self) -> list[Tensor]:
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
