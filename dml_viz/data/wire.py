"""Named arrays and a small header as one message of bytes, which a browser reads without copying.

Layout: length of the header as a little-endian uint32, the header as UTF-8 JSON padded with spaces to a multiple of
eight bytes, then the arrays, each padded to a multiple of eight. The header's ``arrays`` gives dtype, shape and offset
(counted from the end of the header) of each.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

DTYPES = {"f4": np.float32, "u1": np.uint8, "u2": np.uint16, "i4": np.int32}


def pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """One message of ``header`` (JSON values; numbers that are not finite become null) and ``arrays``."""
    table: dict[str, tuple[str, list[int], int]] = {}
    body = bytearray()
    for name, array in arrays.items():
        code = f"{array.dtype.kind}{array.dtype.itemsize}"
        if code not in DTYPES:
            raise ValueError(f"array {name!r} has dtype {array.dtype}; send one of {', '.join(DTYPES)}")
        table[name] = (code, list(array.shape), len(body))
        body += np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        body += bytes(-len(body) % 8)
    head = json.dumps(finite({**header, "arrays": table}), separators=(",", ":")).encode()
    head += b" " * (-(len(head) + 4) % 8)
    return len(head).to_bytes(4, "little") + head + bytes(body)


def unpack(message: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of a message made by `pack`."""
    start = 4 + int.from_bytes(message[:4], "little")
    header = json.loads(message[4:start])
    arrays = {
        name: np.frombuffer(message, DTYPES[code], math.prod(shape), start + offset).reshape(shape)
        for name, (code, shape, offset) in header.pop("arrays").items()
    }
    return header, arrays


def messages(file: bytes) -> Iterator[bytes]:
    """The messages of a file, each preceded by its length (uint32, little-endian); a last message cut short is left out."""
    start = 0
    while (end := start + 4 + int.from_bytes(file[start : start + 4], "little")) <= len(file):
        yield file[start + 4 : end]
        start = end


def joined(messages: Iterable[bytes]) -> bytes:
    """A file of ``messages``, as the function `messages` reads it."""
    return b"".join(len(message).to_bytes(4, "little") + message for message in messages)


def in_smallest_type(labels: NDArray[np.integer]) -> NDArray[np.integer]:
    """Whole numbers from 0 on in the smallest dtype of `DTYPES` that can store them all; ValueError where none can."""
    least, most = int(labels.min(initial=0)), int(labels.max(initial=0))
    for kind in (np.uint8, np.uint16, np.int32):
        if least >= 0 and most <= np.iinfo(kind).max:
            return labels.astype(kind)
    raise ValueError(f"labels run from {least} to {most}; send some from 0 to {np.iinfo(np.int32).max}")


def finite(value: Any) -> Any:
    """``value`` as JSON takes it: arrays are lists, and what is no finite number is None."""
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return finite(value.tolist())
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value
