"""A batch with a value and a gradient from a file, and one to try the page with."""

import io
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from dml_viz.data.files import File, FileError, arrays_of
from dml_viz.explain.name_that_loss.model_forms import WITH_ROWS, ObservedBatch
from dml_viz.losses import LearntTensor, Shape
from dml_viz.losses.fastap import FastAP

MOST_ROWS, MOST_DIMS = 256, 1_024


def batch_of(file: File, arrays: Callable[[File], Mapping[str, Any]] = arrays_of) -> ObservedBatch:
    """The batch in an archive with z, y and grad, perhaps value and learnt tensors; FileError if something is wrong.

    ``arrays`` reads the archive.
    """
    if file.suffix != ".npz":
        raise FileError(f"{file.name} is no NumPy archive; save one with np.savez, as the page shows")
    try:
        content = arrays(file)
    except FileError:
        raise
    except Exception as error:
        raise FileError(f"{file.name} cannot be read as a NumPy archive; save it again with np.savez") from error
    missing = [name for name in ("z", "y", "grad") if name not in content]
    if missing:
        raise FileError(f"{file.name} has no {' and no '.join(missing)}; it holds {', '.join(content) or 'nothing'}")
    z, grad = (_numbers(content[name], name, file.name, 2) for name in ("z", "grad"))
    y = np.asarray(content["y"]).ravel()
    if z.shape != grad.shape or len(y) != len(z) or not 2 <= len(z) <= MOST_ROWS or not 2 <= z.shape[1] <= MOST_DIMS:
        raise FileError(
            f"z, grad and y are {z.shape}, {grad.shape}, {y.shape}; give (N, d) twice, and (N,), to {MOST_ROWS} x {MOST_DIMS}"
        )
    if y.dtype.kind not in "iu":
        raise FileError(f"y of {file.name} is {y.dtype}; give whole numbers, the classes as the loss gets them")
    if not (np.linalg.norm(z, axis=1) > 0).all():
        raise FileError(f"a row of z in {file.name} is zero and has no direction; leave such rows out")
    declared = [each for name, each in WITH_ROWS.items() if name in content]
    learnt = {each.name: torch.from_numpy(_of_classes(content[each.name], each, file.name, z)) for each in declared}
    if learnt and y.min() < 0:
        raise FileError(f"y of {file.name} has a class below 0; give the numbers of the rows of {' and '.join(learnt)}")
    value = float(_numbers(content["value"], "value", file.name, None).ravel()[0]) if "value" in content else None
    labels = torch.from_numpy(y.astype(np.int64) if learnt else np.unique(y, return_inverse=True)[1])
    return ObservedBatch(torch.from_numpy(z), labels, grad, value, learnt)


def _of_classes(array: np.ndarray, declared: LearntTensor, file: str, z: np.ndarray) -> np.ndarray:
    """A learnt tensor of a file for the rows ``z`` (N, d), as float64; FileError if it has not the declared shape."""
    rows = declared.shape is Shape.PROXIES
    numbers = _numbers(array, declared.name, file, 2 if rows else 1)
    if rows and numbers.shape[1] != z.shape[1]:
        raise FileError(f"{declared.name} of {file} are {numbers.shape}; give (classes, {z.shape[1]}), a row for each class")
    return numbers


def file_of_loop(title: str, taken: Mapping[str, Any], rows: float) -> File:
    """The batch of ``rows`` rows ``taken`` last from a watched loop, as a file; FileError if its loss cannot be named."""
    if "grad" not in taken:
        raise FileError("the loop has sent no gradient; watch the loss in a loop that calls backward")
    if len(taken["z"]) != rows or rows > MOST_ROWS:
        raise FileError(f"the batch has {rows:,.0f} rows; up to {MOST_ROWS} are compared, and all of a batch")
    content = io.BytesIO()
    np.savez(content, **taken)
    return File(f"{title}.npz", content.getvalue())


def example() -> File:
    """A batch under FastAP's published code, whose backward pass is M / 2 times the gradient for M queries with a positive."""
    draw = torch.Generator().manual_seed(1)
    y = torch.arange(6).repeat_interleave(4)
    z = torch.nn.functional.normalize(torch.randn(6, 8, generator=draw)[y] + torch.randn(24, 8, generator=draw), dim=1).double()
    gradients = FastAP(bins=16).gradients(z, y)
    content = io.BytesIO()
    np.savez(content, z=z.numpy(), y=y.numpy(), value=float(gradients.value), grad=gradients.z.numpy() * len(y) / 2)
    return File("published FastAP.npz", content.getvalue())


def _numbers(array: np.ndarray, name: str, file: str, ndim: int | None) -> np.ndarray:
    if array.dtype.kind not in "fiu" or (ndim is not None and array.ndim != ndim) or not array.size:
        raise FileError(f"{name} of {file} is {array.dtype} of shape {array.shape}; give a float array of {ndim or 0} dimensions")
    if not np.isfinite(array).all():
        raise FileError(f"{name} of {file} has values that are not finite; give a batch before the loss fails")
    return np.ascontiguousarray(array, np.float64)
