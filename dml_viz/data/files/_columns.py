"""Embeddings from the columns of a table, found by their names and by their values; a table from text."""

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from dml_viz.data.files._base import GALLERY, IMAGES, LABELS, QUERY, ROWS, FileError, Raw, holds_real_numbers, listed
from dml_viz.data.files._images import MOST_IMAGES, TESTS

TRUE, NONE = frozenset(("true", "t", "yes", "1", "1.0")), frozenset(("none", "nan", "na", "n/a", "null", ""))
FALSE = NONE | {"false", "f", "no", "0", "0.0"}
OTHERS = ("split", *QUERY, *GALLERY, "path", "category", "id", "index", "unnamed: 0", "file_name")
KNOWN = frozenset(map(str.lower, (*LABELS, *ROWS, *IMAGES, *OTHERS)))  # names that are found in any case
NUMBER = r" *-?(?:0|[1-9]\d{0,17})(?:\.\d*)? *"  # of a class, without leading zeros
MOST_COLUMNS = 4_160  # of the most dimensions, and labels, paths and masks
MOST_CELLS = 26 << 20
LONGEST = 1 << 20  # bytes of a line: 4,096 numbers take a tenth of that


def raw_of(columns: Mapping[str, Any], file: str) -> Raw:
    """The rows, labels and masks in ``columns``, each a matrix, an array or a list; FileError without rows or labels."""
    by_name: dict[str, Any] = {}
    for name, values in columns.items():
        plain = word_of(name)
        by_name[plain if plain in KNOWN and plain not in columns and plain not in by_name else name] = values
    if not by_name or any(not len(values) for values in by_name.values()):
        raise FileError(f"{file} has 0 rows; at least 2 are read")
    label = next((name for name in map(str.lower, LABELS) if name in by_name and not _is_lists(by_name[name])), None)
    images = next((by_name[name] for name in IMAGES if name in by_name), None)
    if label is None:
        if all(_is_lists(values) for values in by_name.values()):  # rows alone are unlabelled
            return Raw(_parsed(next(iter(by_name.values())), file), None)
        words = [name for name, values in by_name.items() if name not in OTHERS and _is_words(values)]
        if len(words) != 1:
            raise FileError(
                f"{file} has no column of labels: it has {listed(columns)}; "
                "call one of them label, or save rows without labels as .npy"
            )
        [label] = words
    z = _rows(by_name, label, file, alone=images is None)
    return Raw(z, by_name[label], images, None, *roles_in(by_name))


def roles_in(columns: Mapping[str, Any]) -> tuple[Any, Any, list[bool] | None]:
    """What says of each row whether it is a query, is in the gallery and is for tests, each None without its column.

    Names of columns are in lower case. A column of empty cells is none.
    """
    full = {name for name in (*QUERY, *GALLERY) if name in columns and any(word_of(value) not in NONE for value in columns[name])}
    query, gallery = (next((columns[name] for name in names if name in full), None) for names in (QUERY, GALLERY))
    return query, gallery, [word_of(split) in TESTS for split in columns["split"]] if "split" in columns else None


def _rows(columns: Mapping[str, Any], label: str, file: str, *, alone: bool) -> Any:
    """The rows; columns of single numbers count only if the rows are ``alone``, without images."""
    named = next((columns[name] for name in map(str.lower, ROWS) if name in columns and name != label), None)
    if named is not None and not _is_numbers(named):
        return _parsed(named, file)
    others = {*OTHERS, word_of(label), *IMAGES}
    rest = {name: values for name, values in columns.items() if word_of(name) not in others}
    lists = [values for values in rest.values() if _is_lists(values)]
    if lists:
        return _parsed(lists[0], file)
    if not alone:
        return None
    for name, values in rest.items():
        if _is_numbers(values) or _is_lists(values):
            continue
        empty = [row for row, value in enumerate(values) if word_of(value) in NONE]
        words = [row for row in sorted({*range(len(values))} - {*empty}) if not _is_number(values[row])]
        if len(empty) + len(words) < len(values) and len(words) < len(values) / 2 and (wrong := words or empty):
            raise FileError(
                f"row {wrong[0]} of {file} has {str(values[wrong[0]])[:40]!r} among the numbers of column {name[:40]!r}; "
                "write a number, or leave the row out"
            )
    numbers = [values for values in rest.values() if _is_numbers(values)]
    if not numbers:
        raise FileError(f"{file} has no column of numbers beside its labels; give one column per dimension, or one of lists")
    return np.column_stack(numbers)


def _parsed(values: Any, file: str) -> Any:
    """Rows from a matrix, from lists, or from lists written as text: "[0.1, -0.2]"."""
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return values
    rows = []
    for row, value in enumerate(values):
        try:
            rows.append(np.asarray(json.loads(value)) if isinstance(value, str) else value)
        except ValueError:
            raise FileError(
                f"row {row} of {file} has {str(value)[:40]!r} for an embedding; write numbers as [0.1, -0.2]"
            ) from None
    return rows


def _is_lists(values: Any) -> bool:
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return True
    first = values[0] if len(values) else None
    return isinstance(first, (list, np.ndarray)) or (isinstance(first, str) and first.lstrip().startswith("["))


def _is_numbers(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.ndim == 1 and holds_real_numbers(values)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _is_words(values: Any) -> bool:
    return not _is_lists(values) and len(values) > 0 and isinstance(values[0], str)


def word_of(value: Any) -> str:
    """A cell's ``value``, or the name of a column, as a word in small letters."""
    return str(value).strip().lower()


def frame_of(content: bytes, name: str, **how: Any) -> Any:
    """The data frame of pandas from a table in UTF-8; FileError for one with too many lines or columns, or too long ones."""
    import pandas

    check_size(content, name, how.get("sep", ","))
    # A class may be called NA, and 007 is another than 7: only an empty cell is none, and labels are read as they are written.
    how = {"encoding": "utf-8-sig", "keep_default_na": False, "na_values": [""], **how}
    names = pandas.read_csv(io.BytesIO(content), nrows=0, **how).columns
    labels = [each for each in names if str(each).strip().lower() in {"text", *map(str.lower, LABELS)}]
    frame = pandas.read_csv(io.BytesIO(content), low_memory=False, dtype=dict.fromkeys(labels, str), **how)
    for each in labels:
        if frame[each].str.fullmatch(NUMBER).fillna(value=False).all():
            frame[each] = pandas.to_numeric(frame[each])
    return frame


def check_size(content: bytes, name: str, separator: str = ",") -> None:
    """Raise FileError for a text with too many lines or columns, or too long lines."""
    end = b"\n" if b"\n" in content else b"\r"
    lines = content.count(end) + 1
    if lines > MOST_IMAGES + 1:
        raise FileError(f"{name} has {lines:,} lines; at most {MOST_IMAGES:,} are read: save a part of them")
    columns = content.partition(end)[0].count(separator.encode()) + 1
    if columns > MOST_COLUMNS:
        raise FileError(f"{name} has {columns:,} columns; at most {MOST_COLUMNS:,} are read")
    at = longest = 0
    for _ in range(lines):
        until = content.find(end, at)
        longest, at = max(longest, (until if until >= 0 else len(content)) - at), until + 1
    if longest > LONGEST:
        raise FileError(
            f"a line of {name} has {longest / 2**20:,.0f} MB; at most {LONGEST >> 20} MB are read: give each point its own line"
        )
    if lines * columns > MOST_CELLS:
        raise FileError(
            f"{name} has {lines:,} lines of {columns:,} columns; at most {MOST_CELLS:,} numbers are read: save fewer rows"
        )
