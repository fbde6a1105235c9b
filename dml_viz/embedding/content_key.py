"""Keys by which caches tell contents apart: equal contents have equal keys, whatever objects hold them."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import blake2b
from types import FunctionType
from typing import Any, Protocol, runtime_checkable

import numpy as np
from torch import Tensor


@runtime_checkable
class HasContentKey(Protocol):
    """An object that names its content itself, such as a file by its fingerprint."""

    @property
    def content_key(self) -> str:
        """The key, equal for equal content."""


def content_key(*contents: object) -> str:
    """The key of ``contents``: plain values, arrays, tensors, collections and data classes of these, and `HasContentKey`.

    A data class counts with its fields that are compared. TypeError, with the way out, for other objects.
    """
    digest = blake2b(digest_size=16)
    for part in _parts(contents):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _parts(value: Any) -> Iterator[bytes | memoryview]:
    kind = type(value)
    yield f"{kind.__module__}.{kind.__qualname__}".encode()
    if value is None or isinstance(value, bool | int | float | str | bytes | np.generic | Enum):
        yield repr(value).encode()
    elif isinstance(value, HasContentKey) and not isinstance(value, type):
        yield value.content_key.encode()
    elif isinstance(value, Tensor | np.ndarray):
        array = np.ascontiguousarray(value.numpy(force=True) if isinstance(value, Tensor) else value)
        yield f"{array.shape} {array.dtype}".encode()
        yield array.tobytes()
    elif isinstance(value, Mapping):
        yield from _parts(sorted(value.items(), key=lambda item: content_key(item[0])))
    elif isinstance(value, Set):
        yield from _parts(sorted(map(content_key, value)))
    elif isinstance(value, Sequence):
        yield str(len(value)).encode()
        for item in value:
            yield from _parts(item)
    elif isinstance(value, FunctionType | type) and "<" not in value.__qualname__:
        yield f"{value.__module__}.{value.__qualname__}".encode()
    elif is_dataclass(value):
        for field in fields(value):
            if field.compare:
                yield field.name.encode()
                yield from _parts(getattr(value, field.name))
    else:
        raise TypeError(f"{kind.__qualname__} has no content_key; give it one, or a data class of plain fields")
