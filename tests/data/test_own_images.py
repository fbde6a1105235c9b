"""Images of a visitor's own: every format gives the same images, and a process has them while they are in use."""

import gc
import io
import tracemalloc
import weakref
import zipfile
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas
import pyarrow as arrow
import pytest
import torch
from PIL import Image
from pyarrow import parquet

from dml_viz.data import own_images
from dml_viz.data.datasets._base import split
from dml_viz.data.datasets.own import MissingImagesError, OwnDataset, Shelf, shelf
from dml_viz.data.files import File, FileError, OwnEmbeddings, OwnImages, files_at, read
from dml_viz.data.files import _images as decoding
from dml_viz.data.images import LETTERS, LabelledImages
from dml_viz.data.training_set import training_set
from tests.samples import for_each

rng = np.random.default_rng(0)
CLASSES, EACH, SIDE = 6, 4, 12
X = rng.integers(0, 256, (CLASSES * EACH, SIDE, SIDE)).astype(np.uint8)
Y = np.repeat(np.arange(CLASSES), EACH)
LEFT = 1 << 20  # bytes
NAMES = [f"c{label}" for label in range(CLASSES)]


def encoded(picture: np.ndarray, form: str = "png") -> bytes:
    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, form)
    return stream.getvalue()


PNGS = [encoded(x) for x in X]


def zipped(members: dict[str, bytes], **more: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = more.get("mode", 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return stream.getvalue()


def tree(pattern: str = "mine/c{label}/{place}.png") -> dict[str, bytes]:
    return {
        pattern.format(label=label, place=place, part="train" if label % 2 else "test"): png
        for place, (label, png) in enumerate(zip(Y.tolist(), PNGS, strict=True))
    }


def npz(**arrays: object) -> list[File]:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return [File("a.npz", stream.getvalue())]


def table(**more: object) -> bytes:
    frame = pandas.DataFrame({"file_name": [f"images/{k}.png" for k in range(len(Y))], "label": [NAMES[y] for y in Y], **more})
    return frame.to_csv(index=False).encode()


def columns(**more: object) -> list[File]:
    stream = io.BytesIO()
    parquet.write_table(arrow.table({"image": [{"bytes": png, "path": "a.png"} for png in PNGS], **more}), stream)
    return [File("a.parquet", stream.getvalue())]


FLAT = {f"images/{k}.png": png for k, png in enumerate(PNGS)}
WAYS: dict[str, Sequence[File]] = {
    "folder": [File(name, png) for name, png in tree().items()],
    "zip": [File("a.zip", zipped({**tree(), "__MACOSX/mine/c0/._0.png": b"no", "mine/c0/.DS_Store": b"no"}))],
    "zip with a table": [File("a.zip", zipped({**FLAT, "metadata.csv": table()}))],
    "a table of Open Metric Learning": [
        File(
            "a.zip",
            zipped(
                {
                    **{f"mine/{name}": png for name, png in FLAT.items()},
                    "mine/df.csv": table(
                        split=["train" if y % 2 else "validation" for y in Y],
                        is_query=[None if y % 2 else True for y in Y],
                        is_gallery=[None if y % 2 else True for y in Y],
                    ).replace(b"file_name", b"path"),
                }
            ),
        )
    ],
    "a table with spaces and a column of queries in words": [
        File(
            "a.zip",
            zipped(
                {**FLAT, "metadata.csv": table(split=["Train " if y % 2 else " Test" for y in Y], query=[NAMES[y] for y in Y])}
            ),
        )
    ],
    "train and test": [File("a.zip", zipped(tree("root/{part}/c{label}/{place}.png")))],
    "npz": npz(x=X, y=Y, names=np.array(NAMES)),
    "npz with channels first": npz(images=np.repeat(X[:, None], 3, 1), labels=Y, names=np.array(NAMES)),
    "npz from 0 to 1": npz(X=X / 255, y=Y, names=np.array(NAMES)),
    "parquet": columns(label=[NAMES[y] for y in Y], width=[SIDE] * len(Y)),
}


@for_each("way", WAYS)
def test_every_format_gives_the_same_images_and_classes(way: str) -> None:
    found = read(WAYS[way])
    assert isinstance(found, OwnImages)
    order = np.lexsort((found.images.x.reshape(len(Y), -1)[:, 0], found.images.y))
    wanted = np.lexsort((X.reshape(len(Y), -1)[:, 0], Y))
    assert (found.images.x[order] == X[wanted]).all()
    assert (found.images.y[order] == Y[wanted]).all()
    assert found.images.names == tuple(NAMES)
    named = way in ("train and test", "a table of Open Metric Learning", "a table with spaces and a column of queries in words")
    assert found.images.unseen == ((0, 2, 4) if named else ())
    assert split(found.images, "unseen classes").train_classes == (1, 3, 5)


def test_nested_folders_are_classes_of_a_category() -> None:
    members = {
        f"root/{'Greek' if y < 3 else 'Latin'}/character{y % 3}/{k}.png": png
        for k, (y, png) in enumerate(zip(Y, PNGS, strict=True))
    }
    found = read([File("omniglot.zip", zipped(members))])
    assert isinstance(found, OwnImages)
    assert found.images.names[:2] == ("Greek/character0", "Greek/character1")
    assert found.images.category_names == ("Greek", "Latin")
    assert found.images.categories == (0, 0, 0, 1, 1, 1)
    halves = {
        name.replace("root/Latin", "images_evaluation/Latin").replace("root", "images_background"): png
        for name, png in members.items()
    }
    found = read([File("omniglot.zip", zipped(halves))])
    assert isinstance(found, OwnImages)
    assert found.images.names[3] == "Latin/character0"
    assert found.images.unseen == (3, 4, 5)


def test_embeddings_with_images_are_both() -> None:
    found = read(npz(z=rng.standard_normal((len(Y), 3)), y=Y, images=X))
    assert isinstance(found, OwnEmbeddings)
    assert found.trainable is not None
    assert (found.trainable.images.x == X).all()
    assert found.images is not None
    few = read(npz(z=rng.standard_normal((6, 3)), y=[0, 0, 0, 1, 1, 1], images=X[:6]))
    assert isinstance(few, OwnEmbeddings)
    assert few.trainable is None
    assert few.images is not None


def test_images_become_square_grey_and_small() -> None:
    wide = np.zeros((40, 200, 3), np.uint8)
    wide[:, 100:] = 255
    clear = np.zeros((30, 30, 4), np.uint8)
    letter = np.zeros((40, 20, 4), np.uint8)
    letter[:30, :, 3] = 255
    deep = Image.fromarray((np.arange(900).reshape(30, 30) * 70).astype(np.uint16))
    stream = io.BytesIO()
    deep.save(stream, "png")
    pictures = {
        "wide": encoded(wide, "jpeg"),
        "clear": encoded(clear),
        "letter": encoded(letter),
        "deep": stream.getvalue(),
        "gif": encoded(X[0], "gif"),
    }
    found = read([File("a.zip", zipped({f"{name}/{k}.{name}.png": png for name, png in pictures.items() for k in range(2)}))])
    assert isinstance(found, OwnImages)
    by_name = {name: found.images.x[found.images.y == place][0] for place, name in enumerate(found.images.names)}
    assert found.images.x.shape == (10, 30, 30) or found.images.x.shape[1] <= decoding.SIDES[0]
    assert by_name["clear"].min() == 255, "what is transparent is white"
    assert by_name["letter"][0, 0] == 255, "what is cut out is black to its corner, and white around"
    assert by_name["letter"].min() == 0
    assert by_name["deep"].min() < 5
    assert by_name["deep"].max() > 250, "sixteen bits are not cut"
    assert by_name["wide"][:, 0].max() < 20
    assert by_name["wide"][len(by_name["wide"]) // 2, -1] > 235


def test_so_many_images_are_made_smaller_that_they_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "MOST_PIXELS", 24 * 16**2)
    big = [encoded(np.kron(x, np.ones((8, 8), np.uint8))) for x in X]
    found = read([File("a.zip", zipped({f"c{y}/{k}.png": png for k, (y, png) in enumerate(zip(Y, big, strict=True))}))])
    assert isinstance(found, OwnImages)
    assert found.images.x.shape[1:] == (16, 16)


def bomb(width: int, height: int) -> bytes:
    """A PNG whose header promises far more pixels than there are."""
    png = bytearray(encoded(np.zeros((2, 2), np.uint8)))
    png[16:24] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    import zlib

    png[29:33] = zlib.crc32(bytes(png[12:29])).to_bytes(4, "big")
    return bytes(png)


def with_first(content: bytes) -> list[File]:
    return [File("a.zip", zipped({**tree(), "mine/c0/0.png": content}))]


BAD: dict[str, tuple[Callable[[], Sequence[File]], str]] = {
    "no image": (lambda: with_first(b"no image"), r"mine/c0/0.png of a.zip is no image that can be read; leave it out"),
    "half an image": (lambda: with_first(PNGS[0][:60]), "mine/c0/0.png of a.zip is no image"),
    "an empty image": (lambda: with_first(b""), "is no image"),
    "a script named as an image": (lambda: with_first(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"), "is no image"),
    "an image bomb": (lambda: with_first(bomb(60_000, 60_000)), "c0/0.png of a.zip is too large"),
    "an image of too many pixels": (lambda: with_first(bomb(5_000, 5_000)), r"too large \(5,000 x 5,000 pixels\)"),
    "a member without end": (lambda: with_first(b"\0" * (17 << 20)), "unpacks to 17 MB; at most 16 are read of one"),
    "a zip bomb": (lambda: [File("a.zip", zipped({f"c{k}/0.png": bytes(15 << 20) for k in range(11)}))], "unpacks to 165 MB"),
    "a way out of the folder": (lambda: [File("a.zip", zipped({"../../etc/0.png": PNGS[0]}))], "lies outside its folder"),
    "a way from the top": (lambda: [File("a.zip", zipped({"/etc/0.png": PNGS[0]}))], "lies outside its folder"),
    "a way out of another system": (lambda: [File("a.zip", zipped({"c0\\..\\..\\0.png": PNGS[0]}))], "lies outside its folder"),
    "a link": (lambda: [File("a.zip", zipped({"c0/0.png": b"/etc/passwd"}, mode=0o120777))], "is a link to another file"),
    "no zip": (lambda: [File("a.zip", b"hello")], "a.zip cannot be read as"),
    "half a zip": (lambda: [File("a.zip", zipped(tree())[:500])], "a.zip cannot be read as"),
    "a damaged zip": (lambda: [File("a.zip", zipped(tree())[:60] + b"\xff" * 9 + zipped(tree())[69:])], "no image|read as"),
    "no images": (lambda: [File("a.zip", zipped({"c0/a.txt": b"hello"}))], "a.zip holds no images"),
    "no classes": (lambda: [File("a.zip", zipped(FLAT))], "all images of a.zip lie in one folder, 'images'"),
    "an empty table": (
        lambda: [File("a.zip", zipped({**tree(), "metadata.csv": b"file_name,label\n"}))],
        "metadata.csv of a.zip has no rows; write one",
    ),
    "one image loose": (lambda: [File("a.zip", zipped({**tree(), "loose.png": PNGS[0]}))], "loose.png of a.zip lies in no"),
    "three classes": (lambda: npz(x=X[:12], y=Y[:12]), "has 3 classes with two images or more; training takes 4"),
    "one of each class": (lambda: npz(x=X, y=np.arange(24)), "has 0 classes with two images"),
    "no labels": (lambda: npz(x=X), "has no labels: it holds nothing|has no labels"),
    "labels too few": (lambda: npz(x=X, y=Y[:5]), "24 rows and labels of shape"),
    "five dimensions": (lambda: npz(x=X[:, None, None], y=Y), r"shape \(24, 1, 1, 12, 12\)"),
    "five channels": (lambda: npz(x=rng.random((24, 8, 8, 5)), y=Y), r"shape \(24, 8, 8, 5\)"),
    "no pixels": (lambda: npz(x=np.zeros((24, 0, 0)), y=Y), r"shape \(24, 0, 0\)"),
    "not finite": (lambda: npz(x=np.full((24, 8, 8), np.inf), y=Y), "hold values that are not finite"),
    "words for pixels": (lambda: npz(x=np.full((24, 8, 8), "a"), y=Y), "have shape"),
    "too many": (
        lambda: npz(x=np.zeros((decoding.MOST_IMAGES + 1, 1, 1), np.uint8), y=np.zeros(decoding.MOST_IMAGES + 1)),
        "images; at most 131,072 are read|of one class",
    ),
    "a table of files that are not there": (
        lambda: [File("a.zip", zipped({"images/0.png": PNGS[0], "metadata.csv": table()}))],
        r"names images/1.png, which is not there \(23 such rows\)",
    ),
    "a table without names": (lambda: [File("a.zip", zipped({**FLAT, "metadata.csv": b"label\na"}))], "has no names"),
    "a table without labels": (lambda: [File("a.zip", zipped({**FLAT, "metadata.csv": b"file_name\n0.png"}))], "has no labels"),
    "a table that is none": (lambda: [File("a.zip", zipped({**FLAT, "metadata.csv": b'path,"\n'}))], "read as|has no"),
    "parquet of no images": (lambda: columns(label=Y, image=[{"bytes": b"no", "path": ""}] * 24), "image 0 of a.parquet is no"),
    "parquet of paths alone": (lambda: columns(label=Y, image=[{"bytes": None, "path": "a"}] * 24), "image 0 of a.parquet"),
}


@for_each("name", BAD)
def test_bad_images_get_one_sentence_and_leave_memory_as_it_was(name: str) -> None:
    make, wanted = BAD[name]
    files = make()
    Image.init()  # its readers are loaded once, and stay
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match=wanted) as error:
            read(files)
        assert "\n" not in str(error.value)
        assert len(str(error.value)) < 400
        _, peak = tracemalloc.get_traced_memory()
        assert peak < 24 << 20, "a bomb is refused before it goes off"
        del error
        if tracemalloc.get_traced_memory()[0] > LEFT:
            gc.collect()
        assert tracemalloc.get_traced_memory()[0] < LEFT
    finally:
        tracemalloc.stop()


def test_a_local_folder_is_read_like_an_uploaded_one(tmp_path) -> None:  # type: ignore[no-untyped-def]
    for name, png in tree().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(png)
    found = read(files_at(tmp_path / "mine"))
    assert isinstance(found, OwnImages)
    assert found.fingerprint == read(WAYS["folder"]).fingerprint
    assert found.title == "mine"


@pytest.fixture
def brought() -> Iterator[OwnImages]:
    found = read(npz(x=X, y=Y))
    assert isinstance(found, OwnImages)
    shelf().put(found.fingerprint[:LETTERS], found.images, "a session")
    yield found
    own_images.release_images("a session")


def test_images_are_freed_with_their_last_user(brought: OwnImages) -> None:
    own = OwnDataset(brought.fingerprint[:LETTERS], 16)
    assert own.load() is brought.images
    shelf().put(own.file, brought.images, "another session")
    data = training_set(own, "unseen classes", torch.device("cpu"))
    assert data.x.dtype == torch.uint8
    assert torch.equal(data.images_at(torch.tensor([3])), data.x[[3]] / 255)
    own_images.release_images("a session")
    assert own.load() is brought.images
    own_images.release_images("another session")
    with pytest.raises(MissingImagesError, match="bring the file again"):
        own.load()
    with pytest.raises(MissingImagesError):
        training_set(own, "unseen classes", torch.device("cpu"))


def test_a_smaller_side_has_means_of_pixels() -> None:
    big = read(npz(x=np.kron(X, np.ones((1, 4, 4), np.uint8)), y=Y))
    assert isinstance(big, OwnImages)
    shelf().put("f" * LETTERS, big.images, "test")
    small = OwnDataset("f" * LETTERS, 16).load().x
    assert small.shape == (24, 16, 16)
    assert np.abs(small.mean((1, 2)) - big.images.x.mean((1, 2))).max() < 1
    assert OwnDataset("f" * LETTERS, 64).load().x.shape == big.images.x.shape
    own_images.release_images("test")


def test_images_whose_last_user_leaves_while_they_are_made_smaller_are_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    big, mine = np.kron(X, np.ones((1, 4, 4), np.uint8)), Shelf()
    mine.put("a", LabelledImages(big, Y, tuple(NAMES), (0,) * CLASSES, ("yours",)), "a session")
    whole = mine.full_size_images

    def leaves(file: str) -> LabelledImages:
        found = whole(file)
        mine.release("a session")
        return found

    monkeypatch.setattr(mine, "full_size_images", leaves)
    smaller = weakref.ref(mine.images_up_to_side("a", 16))
    gc.collect()
    assert smaller() is None


def test_a_worker_frees_images_that_no_call_needs(brought: OwnImages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_images, "IDLE", 0.0)
    monkeypatch.setattr(own_images, "Timer", lambda *_: pytest.fail("nothing is left to wait for"))
    assert own_images.call_with_images("e" * LETTERS, brought.images, lambda: 3) == 3
    with pytest.raises(MissingImagesError):
        shelf().full_size_images("e" * LETTERS)
