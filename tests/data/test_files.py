"""Embeddings from files: every format gives the same rows, and a bad file one sentence that names what is wrong and the fix."""

import io
import json
import zipfile
from collections.abc import Callable, Sequence

import numpy as np
import pandas
import pyarrow as arrow
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image
from pyarrow import feather, parquet

from dml_viz.data.files import READERS, File, FileError, OwnEmbeddings, _base, _checks, read
from dml_viz.data.own import DRAWN, placed_in_child, scored
from dml_viz.embedding.metrics import retrieval
from tests.samples import for_each

rng = np.random.default_rng(0)
Z = rng.standard_normal((12, 4)).astype(np.float32)
Y = np.repeat([0, 1, 2], 4)
NAMES = ("bell", "car", "key")
WORDS = [NAMES[label] for label in Y]


def written(write: Callable[[io.BytesIO], object]) -> bytes:
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def npz(**arrays: object) -> bytes:
    return written(lambda stream: np.savez(stream, **arrays))


def npy(array: object, **more: bool) -> bytes:
    return written(lambda stream: np.save(stream, array, **more))


def csv(frame: pandas.DataFrame, separator: str = ",", header: bool = True) -> bytes:
    return frame.to_csv(None, sep=separator, index=False, header=header).encode()


def table(**columns: object) -> arrow.Table:
    return arrow.table(columns)


WIDE = pandas.DataFrame(Z.astype(float), columns=[f"d{k}" for k in range(4)]).assign(label=WORDS)
LISTED = pandas.DataFrame({"embedding": [json.dumps(row.tolist()) for row in Z.astype(float)], "label": WORDS})
PNG = written(lambda stream: Image.new("L", (9, 7), 128).save(stream, "png"))
GOOD: dict[str, Sequence[File]] = {
    "npz": [File("a.npz", npz(z=Z, y=Y, names=np.array(NAMES)))],
    "npz under other names": [File("a.npz", npz(features=Z, targets=Y[:, None]))],
    "npy pair": [File("labels.npy", npy(Y)), File("rows.npy", npy(Z.astype(np.float64)))],
    "wide csv": [File("a.csv", csv(WIDE))],
    "wide csv with x and y": [File("a.csv", csv(WIDE.rename(columns={"d0": "x", "d1": "y"})))],
    "csv of a spreadsheet": [
        File("a.csv", WIDE.to_csv(sep=";", decimal=",", index=False, lineterminator="\r\n").encode("utf-8-sig"))
    ],
    "csv in UTF-16": [File("a.csv", WIDE.to_csv(sep="\t", index=False).encode("utf-16"))],
    "tsv": [File("a.tsv", csv(WIDE, "\t"))],
    "list column": [File("a.csv", csv(LISTED))],
    "tensorboard": [File("metadata.tsv", "\n".join(WORDS).encode()),
                    File("tensors.tsv", csv(WIDE.drop(columns="label"), "\t", header=False))],
    "tensorboard with a header": [
        File("metadata.tsv", csv(pandas.DataFrame({"label": WORDS, "id": range(12)}), "\t")),
        File("tensors.tsv", csv(WIDE.drop(columns="label"), "\t", header=False)),
    ],
    "parquet": [File("a.parquet", written(lambda s: parquet.write_table(table(emb=Z.tolist(), label=WORDS), s)))],
    "feather": [File("a.feather", written(lambda s: feather.write_feather(table(z=Z.tolist(), label=WORDS), s)))],
    "arrow, wide": [File("a.arrow", written(lambda s: feather.write_feather(
        table(**{f"d{k}": Z[:, k] for k in range(4)}, category=WORDS, label=Y), s, compression="uncompressed")))],
    "parquet with images, as Hugging Face writes it": [
        File("a.parquet", written(lambda s: parquet.write_table(
            table(image=[{"bytes": PNG, "path": "a.png"}] * 12, embedding=Z.tolist(), label=Y), s)))
    ],
}  # fmt: skip


@for_each("name", GOOD)
def test_formats_give_the_same_rows_and_classes(name: str) -> None:
    found = read(GOOD[name])
    assert_allclose(found.z, Z, rtol=1e-6)
    assert found.y.tolist() == Y.tolist()
    assert found.names in (NAMES, ("0", "1", "2"))
    assert len(found.fingerprint) == 64
    if "images" in name:
        assert found.images is not None
        assert found.images.shape == (12, 9, 9)


def test_every_format_is_tried() -> None:
    tried = {next(kind for kind in READERS.values() if kind.takes(files)) for files in GOOD.values()}
    assert tried == {kind for kind in READERS.values() if not kind.refuses and kind is not READERS["images"]}


def bomb() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("z.npy", b"\0" * (_base.MOST_BYTES + 1))
    return stream.getvalue()


def promising(rows: int) -> bytes:
    """A file whose header promises many more rows than it has."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": (rows, 4)})
    return stream.getvalue() + b"\0" * 64


def with_row(row: int, value: float) -> np.ndarray:
    z = Z.copy()
    z[row] = value
    return z


OBJECTS = np.array([{"a": 1}] * 12, object)
BAD: dict[str, tuple[Sequence[File], str]] = {
    "nothing": ([], "nothing is in no format"),
    "a word document": ([File("a.docx", b"PK")], "in no format that is read here"),
    "no ending": ([File("embeddings", b"")], "in no format"),
    "torch": ([File("a.pt", b"PK")], "is a pickle.*np.savez"),
    "pickle": ([File("a.pkl", b"\x80\x04")], "is a pickle"),
    "checkpoint": ([File("A.CKPT", b"")], "is a pickle"),
    "pickled objects": ([File("a.npz", npz(z=Z, y=OBJECTS))], r"holds Python objects.*np\.asarray\(y, str\)"),
    "pickled pair": ([File("z.npy", npy(Z)), File("y.npy", npy(OBJECTS))], "y.npy holds Python objects"),
    "one array": ([File("y.npy", npy(Y))], "bring two files together"),
    "three arrays": ([File(f"{k}.npy", npy(Y)) for k in range(3)], "3 arrays are given"),
    "two label arrays": ([File("a.npy", npy(Y)), File("b.npy", npy(Y))], r"shapes \(12,\) and \(12,\)"),
    "no zip": ([File("a.npz", b"hello")], "is no archive of arrays"),
    "cut short": ([File("a.npz", npz(z=Z, y=Y)[:200])], "is no archive of arrays"),
    "empty": ([File("a.npz", b"")], "is no archive of arrays"),
    "zip bomb": ([File("a.npz", bomb())], "unpacks to .* MB"),
    "a header that promises": ([File("z.npy", promising(10**12)), File("y.npy", npy(Y))], "ends before its"),
    "no embeddings": ([File("a.npz", npz(y=Y))], "has no embeddings: it holds y"),
    "no labels": ([File("a.npz", npz(z=Z, kinds=Y))], "has no labels: it holds kinds, z"),
    "many arrays of long names": (
        [File("a.npz", npz(**{f"{k:02}{'n' * 200}": Y for k in range(20)}))], "holds 00n{38}, .*, 11n{38} and 8 more; call the"),
    "nan": ([File("a.npz", npz(z=with_row(3, np.nan), y=Y))], r"1 of the 12 rows .* has a value .* finite \(row 3\).*isfinite"),
    "infinite": ([File("a.npz", npz(z=with_row(0, np.inf), y=Y))], "not finite"),
    "too large for float32": ([File("a.npz", npz(z=Z.astype(float) * 1e300, y=Y))], "12 of the 12 rows .* 32 bits .* and so on"),
    "too small for float32": ([File("a.npz", npz(z=Z.astype(float) * 1e-300, y=Y))], r"32 bits .*save z / np.abs\(z\)"),
    "complex numbers": ([File("a.npz", npz(z=Z + 1j, y=Y))], r"complex numbers; save z\.real"),
    "zero rows": ([File("a.npz", npz(z=with_row(5, 0), y=Y))], r"zeros alone .*\(row 5\)"),
    "flat rows": ([File("a.npz", npz(z=Z.ravel(), y=Y))], r"shape \(48,\); save an array \(N, d\)"),
    "images for rows": ([File("a.npz", npz(z=np.zeros((12, 3, 8, 8)), y=Y))], r"shape \(12, 3, 8, 8\)"),
    "one dimension": ([File("a.npz", npz(z=Z[:, :1], y=Y))], "have 1 dimension; 2 to 4,096"),
    "too many dimensions": ([File("a.npz", npz(z=np.ones((4, 5000)), y=Y[:4]))], "5,000 dimensions"),
    "too many rows": ([File("a.npz", npz(z=np.ones((65_537, 2)), y=np.ones(65_537)))], "65,537 rows; at most 65,536"),
    "too many numbers": ([File("a.npz", npz(z=np.ones((9000, 4096), np.int8), y=np.arange(9000) % 9))], "at most 33,554,432"),
    "one row": ([File("a.npz", npz(z=Z[:1], y=Y[:1]))], "1 row; at least 2"),
    "words for numbers": ([File("a.npz", npz(z=Z.astype(str).astype("U3") + "x", y=Y))], "not all numbers"),
    "complex": ([File("a.npz", npz(z=OBJECTS.astype(str).reshape(12, 1), y=Y))], "not all numbers"),
    "labels too few": ([File("a.npz", npz(z=Z, y=Y[:7]))], r"12 rows and labels of shape \(7,\)"),
    "one-hot labels": ([File("a.npz", npz(z=Z, y=np.eye(3)[Y]))], r"labels of shape \(12, 3\)"),
    "labels missing": ([File("a.csv", csv(WIDE.assign(label=[*WORDS[:10], None, None])))], r"2 of the 12 .* \(rows 10, 11\)"),
    "labels not numbers": ([File("a.npz", npz(z=Z, y=np.where(Y == 1, np.nan, Y)))], "4 of the 12 rows"),
    "labels without a picture": ([File("a.npz", npz(z=Z, y=np.array(["\ud800", "\u200b", "a"])[Y]))], "8 of the 12 .* no label"),
    "names without a picture": ([File("a.npz", npz(z=Z, y=Y, names=["a", "\u200d", "b"]))], r"no label \(rows 4, 5, 6, 7\)"),
    "names far from 0": ([File("a.npz", npz(z=Z, y=Y + np.uint64(2**63), names=NAMES))], "12 of .* too far from 0 for a list"),
    "signs beyond Unicode": (
        [File("a.npz", npz(z=Z, y=np.full(12, 0x7FFFFFFF, "u4").view("U1")))], r"y of a.npz holds signs .*np\.asarray\(y, str\)"),
    "one class": ([File("a.npz", npz(z=Z, y=np.zeros(12)))], "of one class, '0'"),
    "no two of a class": ([File("a.npz", npz(z=Z, y=np.arange(12)))], "no row of a.npz has another of its class"),
    "no query has a match": ([File("a.npz", npz(z=Z, y=Y, is_query=Y == 0, is_gallery=Y == 1))], "no query of a.npz has a row"),
    "no query": ([File("a.npz", npz(z=Z, y=Y, is_query=Y < 0, is_gallery=Y == 1))], "marks none of its 12 rows as a query"),
    "names too few": ([File("a.npz", npz(z=Z, y=Y, names=["a", "b"]))], "2 names for classes 0 to 2; give one for each class"),
    "names from 1 on": ([File("a.npz", npz(z=Z, y=Y + 1, names=["a", "b", "c"]))], "3 names for classes 1 to 3"),
    "names of rows": ([File("a.npz", npz(z=Z, y=Y, names=[str(k) for k in Y]))], "12 names for classes 0 to 2"),
    "words for a mask": ([File("a.npz", npz(z=Z, y=Y, is_query=np.array(["perhaps"] * 12)))], "row 0 of a.npz has 'perhaps'"),
    "a number for a mask": ([File("a.npz", npz(z=Z, y=Y, is_query=Y))], "row 8 of a.npz has '2' for is_query or query"),
    "a column of roles": ([File("a.csv", csv(WIDE.assign(Query=["no", "gallery"] * 6)))], "row 1 of a.csv has 'gallery' for "),
    "a list for a mask": ([File("a.parquet", written(lambda s: parquet.write_table(
        table(z=Z.tolist(), label=Y, gallery=[[1], [1, 2]] * 6), s)))], r"row 0 of a.parquet has '\[1\]' for is_gallery"),
    "half of a column": ([File("a.parquet", written(lambda s: parquet.write_table(
        table(a=[1.0, None, None, None], b=[1.0, 2.0, 3.0, 4.0], label=["a", "a", "b", "b"]), s)))], "'None' among the numbers"),
    "half of a column of text": ([File("a.csv", b"a,b,label\n1,1,x\nNA,2,x\nNA,3,y\nNA,4,y\n")], "'NA' among the numbers"),
    "no rows": ([File("a.parquet", written(lambda s: parquet.write_table(table(a=[], label=[]), s)))], "has 0 rows"),
    "ragged rows": ([File("a.parquet", written(lambda s: parquet.write_table(
        table(z=[[1.0, 2.0]] * 3 + [[1.0]], label=["a", "a", "b", "b"]), s)))], "row 3 of a.parquet has 1 numbers where"),
    "a list that is no list": ([File("a.csv", b'embedding,label\n"[1, 2]",a\n"[1 2]",a\n')], r"row 1 of a.csv has '\[1 2\]'"),
    "no label column": ([File("a.csv", csv(WIDE.drop(columns="label")))], "no column of labels.*call one of them label, or save"),
    "long columns": ([File("a.csv", b"n" * 9000 + b",b\n1,2\n3,4\n")], "it has n{40}, b; call one of them label"),
    "no numbers": ([File("a.csv", b"label,split\na,train\nb,train\n")], "no column of numbers"),
    "words among tensors": ([File("tensors.tsv", b"a\tb\n1\t2\n"), File("metadata.tsv", b"a\nb\n")], "words among its numbers"),
    "a word among numbers": ([File("a.csv", csv(WIDE).replace(b"\n", b"\nn/a", 1))], "row 0 .* 'n/a.* of column 'd0'"),
    "another encoding": ([File("a.csv", "d0,label\n1,é\n".encode("latin-1"))], "save it as CSV UTF-8"),
    "half a csv": ([File("a.csv", b'a,"b\n')], "cannot be read as"),
    "no parquet": ([File("a.parquet", b"PAR1 and nothing more")], "cannot be read as"),
    "no arrow": ([File("a.arrow", b"hello")], "cannot be read as"),
    "no image": ([File("a.parquet", written(lambda s: parquet.write_table(
        table(image=[{"bytes": b"no", "path": ""}] * 12, z=Z.tolist(), label=Y), s)))], "image 0 of a.parquet is no image"),
    "images of another number": ([File("a.npz", npz(z=Z, y=Y, images=np.zeros((3, 8, 8))))], r"have shape \(3, 8, 8\)"),
    "images not finite": ([File("a.npz", npz(z=Z, y=Y, images=np.full((12, 8, 8), np.nan)))], "images of a.npz hold values"),
}  # fmt: skip


@for_each("name", BAD)
def test_a_bad_file_gets_one_sentence(name: str) -> None:
    files, wanted = BAD[name]
    with pytest.raises(FileError, match=wanted) as error:
        read(files)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 640


def test_a_parquet_file_that_unpacks_without_end_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    content = GOOD["parquet"][0]
    monkeypatch.setattr(_base, "MOST_BYTES", 100)
    with pytest.raises(FileError, match="unpacks to"):
        read([content])


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([12345671] * 6 + [12345672] * 6, ("12345671", "12345672")),
        ([0.5] * 6 + [2.0] * 6, ("0.5", "2")),
        ([True] * 6 + [False] * 6, ("False", "True")),
        (["a<b>\n c"] * 6 + ["d"] * 6, ("a‹b› c", "d")),
        (["x" * 200 + "1"] * 6 + ["x" * 200 + "2"] * 6, tuple(f"{'x' * 79}… ({k})" for k in range(2))),
    ],
)
def test_every_class_has_a_name_of_its_own_that_pictures_show_as_it_is(labels: list[object], names: tuple[str, ...]) -> None:
    found = read([File("<i>a</i>.npz", npz(z=Z, y=np.array(labels)))])
    assert found.names == names
    assert found.title == "‹i›a‹/i›.npz"


@pytest.mark.parametrize("factor", [1e-42, 1e-30, 1e37])
def test_rows_of_any_length_are_drawn_at_length_1(factor: float) -> None:
    found = scored(read([File("a.npz", npz(z=Z.astype(float) * factor, y=Y))]))
    assert_allclose(found.embeddings.z.norm(dim=1), 1, rtol=1e-6)


@pytest.mark.parametrize("files", [[File("a.npz", npz(z=Z))], [File("a.npy", npy(Z))]], ids=["npz", "npy"])
def test_rows_alone_are_drawn_without_labels(files: list[File]) -> None:
    found = read(files)
    assert isinstance(found, OwnEmbeddings)
    assert not found.labelled
    assert found.names == ("no label",)
    assert placed_in_child(found).plane[0].shape == (12, 2)
    assert read([File("b.npz", npz(z=Z, y=Y))]).labelled


def test_a_file_of_too_many_numbers_is_told_how_many_rows_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"{_checks.MOST_NUMBERS:,} numbers" in _checks.LIMITS
    monkeypatch.setattr(_checks, "MOST_NUMBERS", 50)
    with pytest.raises(FileError, match=r"a.npz has 12 x 6 numbers; at most 50 are read: save 8 of the rows"):
        read([File("a.npz", npz(z=np.ones((12, 6))))])


@pytest.mark.parametrize("size", [60, 700])
def test_a_file_is_scored_on_all_rows_and_drawn_in_part(size: int) -> None:
    z, y = rng.standard_normal((size, 6)), rng.integers(0, 9, size)
    shares: list[float] = []
    file = read([File("a.npz", npz(z=z, y=y))])
    found = placed_in_child(file)
    assert found.stages == ("nearest", "ranked", "map")
    for stage in found.stages[: 2 + (size < DRAWN)]:  # a map of 700 rows takes seconds
        found.find_out(stage, shares.append)
    assert found.knows() == (size < DRAWN)
    wanted = retrieval(z.astype(np.float32), y)
    assert found.score.recall == wanted.recall
    assert_allclose([found.score.map, found.score.map_at_r], [wanted.map, wanted.map_at_r], rtol=1e-12)
    assert_allclose(found.class_ap, [wanted.ap[y == label].mean() for label in range(9)])
    assert len(found.drawn_rows) == min(size, DRAWN) == len(found.embeddings.y)
    assert size > DRAWN or (found.map == scored(file).map).all()
    assert size < DRAWN or shares.count(1) == 2  # of the nearest rows, and of the ranks; few rows take no process


@pytest.mark.parametrize("kind", [bool, float, str])
def test_queries_are_ranked_against_the_gallery_alone(kind: type) -> None:
    query = np.arange(12) % 4 == 0
    found = scored(read([File("a.npz", npz(z=Z, y=Y, is_query=query.astype(kind), is_gallery=(~query).astype(kind)))]))
    unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    right = [Y[~query][np.argmax(unit[~query] @ row)] == label for row, label in zip(unit[query], Y[query], strict=True)]
    assert found.score.recall[1] == np.mean(right)
    assert found.queries_in_words == "3 queries in a gallery of 9"


@pytest.mark.parametrize("labels", [Y.astype(float), Y.astype(np.float32), Y.astype(str), Y])
def test_names_are_those_of_numbered_classes_however_the_numbers_are_saved(labels: np.ndarray) -> None:
    assert read([File("a.npz", npz(z=Z, y=labels, names=np.array(NAMES)))]).names == NAMES
    two = read([File("a.npz", npz(z=Z, y=labels.astype(float) > 0, names=np.array(["no", "yes"])))])
    assert two.names == ("no", "yes")


@pytest.mark.parametrize(
    ("written_as", "names"),
    [
        (["NA", "None", "nan"], ("NA", "None", "nan")),
        (["007", "7", "08"], ("007", "08", "7")),
        (["2", "10", "-1"], ("-1", "2", "10")),
        (["1.0", "2.5", "10"], ("1", "2.5", "10")),
    ],
)
def test_labels_of_a_table_are_read_as_they_are_written(written_as: Sequence[str], names: tuple[str, ...]) -> None:
    lines = [f"{row},1,{written_as[label]}" for row, label in enumerate(Y)]
    assert read([File("a.csv", "\n".join(["a,b,label", *lines]).encode())]).names == names


@pytest.mark.parametrize("names", [["a", "b", "A", "a "], ["x", "X", "x ", " X"], ["X", "Z", "x", "z"]])
def test_columns_whose_names_differ_in_case_or_blanks_alone_are_dimensions_each(names: list[str]) -> None:
    table = WIDE.set_axis([*names, "Label"], axis=1).assign(LABEL=range(12))
    assert_array_equal(read([File("a.csv", csv(table))]).z, Z.astype(float).astype(np.float32))


def test_a_row_whose_mark_is_not_a_number_is_no_query() -> None:
    marks = np.where(Y == 1, 1.0, np.nan)
    assert read([File("a.npz", npz(z=Z, y=Y, is_query=marks))]).query.sum() == 4


@pytest.mark.parametrize("words", [("yes", "no"), ("T", "F"), (" True", "FALSE"), ("1", ""), (1.0, np.nan)])
def test_a_column_says_in_any_of_these_words_which_rows_are_queries(words: tuple[object, object]) -> None:
    yes, no = words
    query = [yes if label == 1 else no for label in Y]
    assert read([File("a.csv", csv(WIDE.assign(Is_Query=query, gallery="")))]).query.tolist() == (Y == 1).tolist()
