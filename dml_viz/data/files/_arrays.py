"""Arrays from the bytes of ``.npy`` and ``.npz`` files, without unpickling, and never above the allowed size."""

import io
import math
import sys
import zipfile

import numpy as np
from numpy.lib import format as npy

from dml_viz.data.files._base import File, FileError, check_unpacked_size, listed, read_up_to_declared_size


def array_of(content: bytes, name: str) -> np.ndarray:
    """The array in ``content``; FileError for Python objects, signs beyond Unicode, and headers that promise too many values."""
    stream = io.BytesIO(content)
    version = npy.read_magic(stream)
    header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = header(stream)
    if dtype.hasobject:
        raise FileError(
            f"{name} holds Python objects, which can run code when they are read; save numbers or text: "
            "np.asarray(z, np.float32), np.asarray(y, str)"
        )
    if math.prod(shape) * dtype.itemsize > len(content) - stream.tell():
        raise FileError(f"{name} ends before its {' x '.join(map(str, shape))} values do; save the file again")
    if dtype.kind == "U":
        signs = np.frombuffer(content, f"{dtype.byteorder}u4", math.prod(shape) * dtype.itemsize // 4, stream.tell())
        if signs.max(initial=0) > sys.maxunicode:
            raise FileError(f"{name} holds signs beyond Unicode, and so no text; save the text again: np.asarray(y, str)")
    return np.load(io.BytesIO(content), allow_pickle=False)


def arrays_of(file: File) -> dict[str, np.ndarray]:
    """The arrays of an archive by name; FileError as for `array_of`, and where they would unpack to too many bytes."""
    if not zipfile.is_zipfile(io.BytesIO(file.content)):
        raise FileError(f"{file.name} is no archive of arrays, or is cut short; save it again with np.savez")
    with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        check_unpacked_size(sum(member.file_size for member in members), file.name)
        names = {member: member.filename.removesuffix(".npy") for member in members}
        return {
            name: array_of(read_up_to_declared_size(archive, member), f"{listed([name])} of {file.name}")
            for member, name in names.items()
        }
