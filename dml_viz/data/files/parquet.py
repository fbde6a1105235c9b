"""Tables of Apache Arrow: parquet, Arrow and feather files."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dml_viz.data.files._base import LABELS, File, FileError, Raw, Reader, check_unpacked_size
from dml_viz.data.files._columns import raw_of
from dml_viz.data.files._images import MOST_IMAGES


class Parquet(Reader):
    """A table whose rows have their embedding in one list column, or one number per column, and a column of labels."""

    title = "a parquet, Arrow or feather table"
    suffixes = (".parquet", ".pq", ".arrow", ".feather")

    def read(self, files: Sequence[File]) -> Raw:
        """The columns, read batch by batch, so that a file that unpacks to too much is refused in time."""
        [file] = files
        columns: dict[str, list[Any]] = {}
        size, rows, names = 0, 0, None
        for batch in _batches(file):
            size, rows = size + batch.nbytes, rows + batch.num_rows
            check_unpacked_size(size, file.name)
            _check_rows(rows, file.name)
            names = names or _class_names(batch.schema)
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                columns.setdefault(name, []).append(column)
        raw = raw_of({name: _values(parts) for name, parts in columns.items()}, file.name)
        return replace(raw, names=names)


def _batches(file: File) -> Iterator[Any]:
    import pyarrow as arrow
    from pyarrow import parquet

    source = arrow.BufferReader(file.content)
    if file.content[:4] == b"PAR1":
        opened = parquet.ParquetFile(source)
        _check_rows(opened.metadata.num_rows, file.name)
        check_unpacked_size(sum(opened.metadata.row_group(k).total_byte_size for k in range(opened.num_row_groups)), file.name)
        yield from opened.iter_batches(1024, use_threads=False)
        return
    if file.content[:6] == b"ARROW1":
        opened = arrow.ipc.open_file(source)
        yield from map(opened.get_batch, range(opened.num_record_batches))
        return
    yield from arrow.ipc.open_stream(source)


def _check_rows(rows: int, name: str) -> None:
    if rows > MOST_IMAGES:
        raise FileError(f"{name} has more than {MOST_IMAGES:,} rows; save a part of them, of whole classes")


def _class_names(schema: Any) -> list[str] | None:
    """The names of the classes, if Hugging Face's ``datasets`` wrote the file."""
    about = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
    features = about.get("info", {}).get("features", {})
    kinds = {name: kind for name, kind in features.items() if name.lower() in LABELS and isinstance(kind, dict)}
    return next((kind["names"] for kind in kinds.values() if kind.get("_type") == "ClassLabel"), None)


def _values(parts: list[Any]) -> Any:
    """The values of a column: numbers as an array, lists of one length as a matrix, anything else as a list."""
    import pyarrow as arrow

    column = arrow.chunked_array(parts)
    kind = column.type
    if arrow.types.is_dictionary(kind):
        return _looked_up(column)
    if any(test(kind) for test in (arrow.types.is_list, arrow.types.is_large_list, arrow.types.is_fixed_size_list)):
        whole = column.combine_chunks()
        lengths = np.asarray(arrow.compute.list_value_length(whole).fill_null(-1))
        if len(lengths) and (lengths == lengths[0]).all() and lengths[0] > 0:
            flat = np.asarray(whole.flatten().to_numpy(zero_copy_only=False))
            return flat.reshape(len(lengths), int(lengths[0]))
        return column.to_pylist()
    if column.null_count == 0 and (arrow.types.is_integer(kind) or arrow.types.is_floating(kind)):
        return column.to_numpy()
    return column.to_pylist()


def _looked_up(column: Any) -> Any:
    """The values of a column of places in a dictionary, each a reference to the one value there: a word is stored once."""
    values: list[Any] = []
    for chunk in column.chunks:
        words = [*chunk.dictionary.to_pylist(), None]
        values += [words[index] for index in chunk.indices.fill_null(len(words) - 1).to_pylist()]
    numbers = bool(values) and all(isinstance(value, (int, float)) for value in values)
    return np.asarray(values) if numbers else values
