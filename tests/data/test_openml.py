"""Data sets of OpenML, from the answers that scikit-learn recorded of it; too large ones are refused before they are fetched."""

from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import unquote
from urllib.request import Request

import numpy as np
import pytest
from sklearn.datasets import _openml, load_iris
from sklearn.datasets.tests.test_openml import _monkey_patch_webbased_functions as answer

from dml_viz.data import openml
from dml_viz.data.files import FileError, OwnEmbeddings


@pytest.mark.parametrize("which", ["iris", "61"])
def test_iris_is_the_iris_of_scikit_learn(which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, 61, gzip_response=False)
    found = openml.fetch_dataset(which, tmp_path)
    assert isinstance(found, OwnEmbeddings)
    wanted = load_iris()
    # scikit-learn recorded a part; two flowers are other in scikit-learn's own copy of the data.
    assert found.names == ("Iris-setosa", "Iris-versicolor", "Iris-virginica")
    assert found.z.shape == (150, 4)
    assert (np.abs(found.z - wanted.data).max(1) < 0.05).sum() >= 147
    assert (found.y == wanted.target).all()
    assert found.title == "iris (OpenML 61)"
    monkeypatch.setattr(_openml, "urlopen", lambda *_, **__: pytest.fail("what was fetched is kept"))
    again = openml.fetch_dataset("61", tmp_path)
    assert again.fingerprint == found.fingerprint


@pytest.mark.parametrize(
    ("which", "name", "lost", "dim", "counts"),
    [
        (40675, "glass2", "", 9, {"0": 87, "1": 76}),
        (42585, "penguins", "2 rows", 4, {"Adelie": 151, "Chinstrap": 68, "Gentoo": 123}),
        (40945, "Titanic", "1 column and 264 rows", 5, {"0": 618, "1": 427}),
    ],
)
def test_classes_that_are_numbers_and_rows_without_gaps_are_read(
    which: int, name: str, lost: str, dim: int, counts: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, which, gzip_response=True)
    found = openml.fetch_dataset(str(which), tmp_path)
    assert isinstance(found, OwnEmbeddings)
    without = f", without {lost} that lack values" if lost else ""
    assert (found.title, found.z.shape[1]) == (f"{name} (OpenML {which}{without})", dim)
    assert dict(zip(found.names, np.bincount(found.y).tolist(), strict=True)) == counts


@pytest.mark.parametrize(
    ("which", "wanted"), [(1, "does not say how large data set 1 is"), (40589, "no two columns of numbers with one target")]
)
def test_data_of_unknown_size_or_with_several_targets_are_refused(
    which: int, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, which, gzip_response=True)
    with pytest.raises(FileError, match=wanted):
        openml.fetch_dataset(str(which), tmp_path)


def test_data_that_are_too_large_are_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, 61, gzip_response=False)
    monkeypatch.setattr(openml, "MOST_ROWS", 100)
    monkeypatch.setattr(_openml, "fetch_openml", lambda **_: pytest.fail("it is too large"))
    with pytest.raises(FileError, match="61 of OpenML has 150 rows of 5 columns; at most 100 rows"):
        openml.fetch_dataset("61", tmp_path)


def raises(error: Exception) -> object:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("which", "error", "wanted"),
    [
        ("iris", URLError("no network"), "OpenML cannot be reached from this server"),
        ("iris", TimeoutError(), "OpenML cannot be reached"),
        ("999999", HTTPError("", 412, "unknown", {}, None), "999999 of OpenML cannot be read: .*not found"),  # type: ignore[arg-type]
        ("1", HTTPError("", 403, "closed", {}, None), "no data set 1 that it gives out .*403"),  # type: ignore[arg-type]
        ("", ValueError(), "name a data set"),
        ("x" * 200, ValueError(), "name a data set"),
    ],
)
def test_data_that_cannot_be_fetched_get_one_sentence(
    which: str, error: Exception, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_openml, "urlopen", raises(error))
    monkeypatch.setitem(openml.AGAIN, "delay", 0.0)
    with pytest.raises(FileError, match=wanted) as found:
        openml.fetch_dataset(which, tmp_path)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    "which", ["../../../tmp/a", "/etc", "..", "a/b", "a\\b", "a%2fb", "a?b", "a#b", "C:a", "...", "\u00e9", "-/-", "\0"]
)
def test_a_name_makes_no_folder_and_asks_nobody(which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_openml, "urlopen", lambda *_, **__: pytest.fail("a bad name is asked for"))
    for ask in (openml.fetch_dataset, openml.cache_dataset_size):
        with pytest.raises(FileError, match="is no name of a data set of OpenML; names have letters"):
            ask(which, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("which", ["Fashion-MNIST", "mnist_784", "BNG(breast-w)", "a.b c", "wine, red"])
def test_a_name_is_asked_for_as_it_is(which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(request: Request, **_: object) -> None:
        asked.append(unquote(request.full_url))
        raise URLError("no network")

    monkeypatch.setattr(_openml, "urlopen", answer)
    monkeypatch.setitem(openml.AGAIN, "delay", 0.0)
    openml.cache_dataset_size(which, tmp_path)
    assert f"/data_name/{which}/" in asked[0]


def test_stored_data_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").write_bytes(b"0" * 100)
    monkeypatch.setattr(openml, "MOST_CACHED", 10)
    answer(monkeypatch, 61, gzip_response=False)
    openml.fetch_dataset("61", tmp_path)
    assert not (tmp_path / "old").exists()
