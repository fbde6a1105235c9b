"""Data sets of OpenML, by name or number, as scikit-learn fetches them: numeric columns as rows, the target as labels."""

import re
import shutil
import warnings
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import quote

import numpy as np
from sklearn.datasets import _openml as openml

from dml_viz.data.files._base import FileError, Raw
from dml_viz.data.files._checks import MOST_NUMBERS, MOST_ROWS, OwnEmbeddings, checked
from dml_viz.data.files._images import OwnImages

FOLDER, MOST_CACHED = Path.home() / ".cache" / "dml-viz" / "openml", 1 << 30  # bytes
LONGEST = 100  # letters of a name
NAME = re.compile(r"[\w .()+,-]*\w[\w .()+,-]*", re.ASCII)
AGAIN = {"n_retries": 1, "delay": 1.0}  # seconds
FILLED = 0.5  # least share of rows with a value for which a column is used


def fetch_dataset(which: str, folder: Path = FOLDER) -> OwnEmbeddings | OwnImages:
    """The data set with name or number ``which``, cached in ``folder``; FileError, a sentence, where it cannot be fetched.

    A data set that is too large is refused before it is downloaded.
    """
    which = _checked(which)
    if folder.exists() and sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) > MOST_CACHED:
        shutil.rmtree(folder, ignore_errors=True)
    within = str(folder / "openml")  # the folder of scikit-learn's own cache
    try:
        with warnings.catch_warnings(action="ignore"):  # versions, and data sets that are marked as inactive
            # Private functions of scikit-learn, because the public one downloads before the size is known.
            number = _number(which, within)
            qualities = openml._get_data_qualities(number, within, **AGAIN)
            sizes = {quality["name"]: float(quality["value"] or 0) for quality in qualities}
            rows, columns = (int(sizes.get(f"NumberOf{what}", 0)) for what in ("Instances", "Features"))
            if not rows:
                raise FileError(f"OpenML does not say how large data set {which} is, so it is not fetched")
            if rows > MOST_ROWS or rows * columns > MOST_NUMBERS:
                raise FileError(
                    f"data set {which} of OpenML has {rows:,} rows of {columns:,} columns; at most {MOST_ROWS:,} rows and "
                    f"{MOST_NUMBERS:,} numbers are read"
                )
            # The parser of pandas fails where classes are numbers (scikit-learn 1.9.1 with pandas 3.1).
            how = {"as_frame": True, "parser": "liac-arff", "data_home": str(folder)}
            dataset = openml.fetch_openml(data_id=number, **how, **AGAIN)
    except FileError:
        raise
    except HTTPError as error:
        raise FileError(f"OpenML has no data set {which} that it gives out (it answers {error.code})") from error
    except (URLError, OSError) as error:
        raise FileError(
            "OpenML cannot be reached from this server; download the data set as CSV on another machine and drop it here"
        ) from error
    except Exception as error:  # the answers of OpenML can be wrong in many ways
        raise FileError(f"data set {which} of OpenML cannot be read: {str(error).partition(chr(10))[0][:200]}") from error
    table = dataset.data.select_dtypes("number")
    if table.shape[1] < 2 or getattr(dataset.target, "ndim", 0) != 1:
        raise FileError(f"data set {which} of OpenML has no two columns of numbers with one target")
    filled = table.loc[:, table.notna().mean() >= FILLED]
    whole = filled.notna().all(axis=1) & dataset.target.notna()
    lost = {"column": table.shape[1] - filled.shape[1], "row": int((~whole).sum())}
    table, target = filled[whole], dataset.target[whole]
    z = table.to_numpy(np.float32)
    labels = [f"{label:g}" if isinstance(label, float) else str(label) for label in target]
    side = round(table.shape[1] ** 0.5)
    pixels = side * side == table.shape[1] and all("pixel" in str(name).lower() for name in table)
    digest = sha256(z.tobytes() + "\n".join(labels).encode()).hexdigest()
    gaps = " and ".join(f"{count:,} {what}{'s' * (count > 1)}" for what, count in lost.items() if count)
    left_out = f", without {gaps} that lack values" if gaps else ""
    title = f"{dataset.details.get('name', which)} (OpenML {number}{left_out})"
    return checked(Raw(z, labels, z.reshape(-1, side, side) if pixels else None), title, digest, lambda _: None)


def cache_dataset_size(which: str, folder: Path = FOLDER) -> None:
    """Put OpenML's answer on the size of a data set into the cache, where `fetch_dataset` finds it; errors are left to that."""
    which, within = _checked(which), str(folder / "openml")
    with suppress(Exception), warnings.catch_warnings(action="ignore"):
        openml._get_data_qualities(_number(which, within), within, **AGAIN)


def _checked(which: str) -> str:
    which = which.strip()
    if not which or len(which) > LONGEST:
        raise FileError("name a data set of OpenML, such as iris, or its number, such as 61")
    if not NAME.fullmatch(which):  # scikit-learn makes folders of a name
        raise FileError(
            f"{which!r} is no name of a data set of OpenML; names have letters from a to z, digits, spaces and . _ ( ) + , -"
        )
    return which


def _number(which: str, folder: str) -> int:
    if which.isdecimal():
        return int(which)
    return int(openml._get_data_info_by_name(quote(which, safe=""), "active", folder, **AGAIN)["did"])
