"""Files made to harm who reads them: bombs, lies, flipped bytes, and files that are none of what their name says."""

import io
import json
import pickle
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as arrow
from PIL import Image
from pyarrow import feather, parquet

from dml_viz.data.files import File

Made = Callable[..., Sequence[File]]  # called without arguments
MB = 1 << 20
Z = np.random.default_rng(0).standard_normal((12, 4)).astype(np.float32)
Y = np.repeat([0, 1, 2], 4)
WORDS = ["bell", "car", "key"]


def npz(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=True, **arrays)
    return stream.getvalue()


def npy(array: object) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.asarray(array), allow_pickle=True)
    return stream.getvalue()


def header(text: str, content: bytes = b"\0" * 64, version: tuple[int, int] = (1, 0), size: int | None = None) -> bytes:
    """A .npy file whose header is ``text``."""
    line = text.encode("latin-1")
    length = struct.pack("<H" if version[0] == 1 else "<I", len(line) if size is None else size)
    return b"\x93NUMPY" + bytes(version) + length + line + content


def about(shape: str, descr: str = "'<f4'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"


def zipped(members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED, mode: int = 0o644) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", kind) as archive:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = mode << 16, kind
            archive.writestr(entry, content)
    return stream.getvalue()


def lying(content: bytes, real: int, said: int) -> bytes:
    """A zip whose directory says that what has ``real`` bytes has ``said`` bytes."""
    return content.replace(struct.pack("<I", real), struct.pack("<I", said))


def flipped(content: bytes, seed: int, times: int = 3) -> bytes:
    rng, bad = np.random.default_rng(seed), bytearray(content)
    for place in rng.integers(0, len(bad), times):
        bad[place] ^= 1 << int(rng.integers(8))
    return bytes(bad)


def picture(width: int, height: int, form: str = "png", mode: str = "L", **more: object) -> bytes:
    stream = io.BytesIO()
    Image.new(mode, (width, height)).save(stream, form, **more)
    return stream.getvalue()


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int, height: int, *chunks: bytes, colour: int = 0) -> bytes:
    """A PNG of any size with ``chunks`` in it, whatever is in them."""
    first = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + first + b"".join(chunks) + chunk(b"IEND", b"")


def folder(content: bytes, count: int = 12, ending: str = "png", **more: int) -> Sequence[File]:
    return [File("a.zip", zipped({f"c{k % 4}/{k}.{ending}": content for k in range(count)}, **more))]


def table(path: str = "a.parquet", **columns: Any) -> Sequence[File]:
    stream = io.BytesIO()
    whole = arrow.table(columns)
    if path.endswith("parquet"):
        parquet.write_table(whole, stream, compression="zstd")
    else:
        feather.write_feather(whole, stream, compression="zstd")
    return [File(path, stream.getvalue())]


def words(rows: int, letters: int) -> arrow.Array:
    """A column whose rows are all one long word, stored once."""
    return arrow.DictionaryArray.from_arrays(arrow.array(np.zeros(rows, np.int32)), arrow.array(["x" * letters]))


def one(name: str, content: bytes) -> Sequence[File]:
    return [File(name, content)]


class Bomb:
    """An object whose pickle runs code."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("code of a file ran",))


def npzs() -> Iterator[tuple[str, Made]]:
    good = npz(z=Z, y=Y)
    for seed in range(20):
        yield f"flipped {seed}", partial(one, "a.npz", flipped(good, seed))
    for size in (1, 30, 100, 300, len(good) - 1):
        yield f"cut at {size}", partial(one, "a.npz", good[:size])
    for kind in ("O", "V8", "S4", "U3", "M8[s]", "m8[s]", "c16", "?", "f2", "u8", ">f8", "i1"):
        yield f"rows of {kind}", lambda kind=kind: one("a.npz", npz(z=np.zeros((12, 4), kind), y=Y))
    yield "objects", lambda: one("a.npz", npz(z=Z, y=np.array([Bomb()] * 12, object)))
    yield (
        "500 MB that the directory calls 100 bytes",
        lambda: one("a.npz", said_small({"z.npy": npy(np.zeros((61_035, 2048), np.float32)), "y.npy": npy(Y)})),
    )
    yield (
        "127 MB of letters as labels",
        lambda: one("a.npz", zipped({"z.npy": npy(Z), "y.npy": npy(np.array(["x" * 2_700_000] * 12))})),
    )
    yield "a class of each row", lambda: one("a.npz", npz(z=np.ones((10_000, 2)), y=np.arange(10_000)))
    yield ("all sizes said to be 100", lambda: one("a.npz", said_small({"z.npy": npy(np.zeros((30_000, 4096), np.float32))})))
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED):
        yield (
            f"zeros under method {method}",
            lambda method=method: one(
                "a.npz", zipped({"z.npy": npy(np.zeros((9_000, 3_000), np.float32)), "y.npy": npy(np.arange(9_000) % 9)}, method)
            ),
        )
        yield (
            f"zeros said to be small under method {method}",
            lambda method=method: one(
                "a.npz", said_small({"z.npy": npy(np.zeros((9_000, 3_000), np.float32)), "y.npy": npy(Y)}, method)
            ),
        )
    yield "10,000 members", lambda: one("a.npz", zipped({f"m{k}.npy": npy(k) for k in range(10_000)}))
    yield (
        "a label of 100 MB",
        lambda: one("a.npz", zipped({"z.npy": npy(Z[:2]), "y.npy": npy(np.array(["x" * 12_000_000, "b"]))})),
    )
    yield ("masks of another length", lambda: one("a.npz", npz(z=Z, y=Y, is_query=np.ones(99), is_gallery=np.ones((3, 3)))))
    yield "masks of words", lambda: one("a.npz", npz(z=Z, y=Y, is_query=np.array(["<b>"] * 12)))
    yield "names of markup", lambda: one("a.npz", npz(z=Z, y=Y, names=np.array(["<script>", "\u202e", "\0"])))
    yield "images of 0 bytes", lambda: one("a.npz", npz(images=np.zeros((12, 0, 9)), y=Y))
    yield "images of 100 million rows of nothing", lambda: one("a.npz", npz(images=np.zeros((10**8, 0, 0)), y=Y))
    yield (
        "many small images",
        lambda: one("a.npz", zipped({"x.npy": npy(np.zeros((131_073, 4, 4), np.uint8)), "y.npy": npy(np.arange(131_073) % 9)})),
    )


def said_small(members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip whose directory says of each member that it has 100 bytes."""
    content = zipped(members, kind)
    for each in members.values():
        content = lying(content, len(each), 100)
    return content


def npys() -> Iterator[tuple[str, Made]]:
    texts = (
        about("(10**12, 4)"), about("(1000000000000, 4)"), about("(12, 9223372036854775807)"), about("(-1, 4)"), about("(0, 4)"),
        about("()"), about("(" + "1, " * 5000 + ")"), about("(12, 4)", "'O'"), about("(12, 4)", "[('a', 'O')]"),
        about("(12, 4)", "'<f999'"), about("(12, 4)", "'V0'"), about("(12, 0)"), about("(3, 4)", "'<U4000000'"),
        "{" * 9000, "[" * 60_000, "__import__('os').system('true')", "{'descr': '<f4'}", "", "\0" * 99, about("(12.5, 4)"),
    )  # fmt: skip
    for place, text in enumerate(texts):
        yield f"header {place}", partial(lambda text: [File("z.npy", header(text)), File("y.npy", npy(Y))], text)
    yield (
        "a header of 4 GB",
        lambda: [File("z.npy", header(about("(12, 4)"), version=(2, 0), size=2**32 - 1)), File("y.npy", npy(Y))],
    )
    yield "version 9", lambda: [File("z.npy", header(about("(12, 4)"), version=(9, 9))), File("y.npy", npy(Y))]


def pickles() -> Iterator[tuple[str, Made]]:
    for ending in ("pt", "pth", "pkl", "pickle", "ckpt", "bin", "joblib"):
        yield ending, partial(one, f"a.{ending}", pickle.dumps(Bomb()))
    yield "as npz", lambda: one("a.npz", pickle.dumps(Bomb()))
    yield "as npy", lambda: [File("z.npy", pickle.dumps(Bomb())), File("y.npy", pickle.dumps(Bomb()))]


def zips() -> Iterator[tuple[str, Made]]:
    small = picture(9, 9)
    for way in ("../", "/", "..\\", "c:\\", "a/../../", "//host/", "\\\\host\\", "./../", "a/b/../../../", "C:", "x/../../x/"):
        yield (f"way out {way}", partial(lambda way: one("a.zip", zipped({f"{way}c{k}/{k}.png": small for k in range(9)})), way))
    yield "links", lambda: folder(b"/etc/passwd", mode=0o120777)
    yield "1,000 images of 16 million pixels", lambda: folder(picture(4096, 4095), 1000)
    yield (
        "images that say less than they are",
        lambda: one("a.zip", said_small({f"c{k % 4}/{k}.png": b"\0" * (15 * MB + k) for k in range(8)})),
    )
    for kind in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED):
        yield f"zeros under method {kind}", lambda kind=kind: folder(b"\0" * (15 * MB), 8, kind=kind)
    yield "a zip in a zip", lambda: one("a.zip", zipped({"a.zip": zipped({"c0/0.png": small})}))
    yield "200,000 members", lambda: folder(b"", 200_000, kind=zipfile.ZIP_STORED)
    yield "131,000 images of one pixel", lambda: folder(picture(1, 1), 131_000, kind=zipfile.ZIP_STORED)
    yield "long names", lambda: one("a.zip", zipped({f"{'d' * 60_000}/{k}.png": small for k in range(12)}))
    yield "deep folders", lambda: one("a.zip", zipped({f"{'d/' * 30_000}{k}.png": small for k in range(12)}))
    yield (
        "a table of 16 MB",
        lambda: one("a.zip", zipped({"c/0.png": small, "metadata.csv": b"file_name,label\n" + b",\n" * (7 * MB)})),
    )
    yield (
        "a table of many columns",
        lambda: one("a.zip", zipped({"c/0.png": small, "metadata.csv": b"a," * (7 * MB) + b"\n1\n"})),
    )
    yield (
        "a table of nested lists",
        lambda: one("a.zip", zipped({"c/0.png": small, "metadata.jsonl": b'{"a":' + b"[" * (4 * MB)})),
    )


def images() -> Iterator[tuple[str, Made]]:
    for width, height in ((100_000, 100_000), (2**31 - 1, 1), (1, 2**31 - 1), (0, 9), (65_535, 255), (16_777_216, 1)):
        yield (
            f"{width} x {height}",
            partial(lambda wide, high: folder(png(wide, high, chunk(b"IDAT", zlib.compress(b"\0" * 9)))), width, height),
        )
    yield (
        "text of 100 MB in a PNG",
        lambda: folder(
            png(9, 9, chunk(b"zTXt", b"a\0\0" + zlib.compress(b"x" * (100 * MB))), chunk(b"IDAT", zlib.compress(b"\0" * 90)))
        ),
    )
    yield (
        "a profile of 100 MB",
        lambda: folder(
            png(9, 9, chunk(b"iCCP", b"a\0\0" + zlib.compress(b"\0" * (100 * MB))), chunk(b"IDAT", zlib.compress(b"\0" * 90)))
        ),
    )
    yield "pixels without end", lambda: folder(png(9, 9, chunk(b"IDAT", zlib.compress(b"\0" * (200 * MB)))))
    yield "a script", lambda: folder(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n{} loop\n")
    yield (
        "a drawing",
        lambda: folder(b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>", ending="png"),
    )
    yield "a TIFF of many pages", lambda: folder(pages(), 8, "tif")
    yield (
        "a GIF of one pixel that says more",
        lambda: folder(b"GIF89a\xff\xff\xff\xff\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\2\2D\1\0;", ending="gif"),
    )
    yield "transparent ones of 16 million pixels", lambda: folder(picture(4096, 4095, mode="RGBA"), 40)
    yield "thin ones", lambda: folder(picture(1 << 24, 1, "png"), 40)
    yield "JPEGs of 16 million pixels", lambda: folder(picture(4096, 4095, "jpeg"), 1000, "jpg")
    yield "progressive JPEGs", lambda: folder(picture(4096, 4095, "jpeg", progressive=True), 1000, "jpg")
    yield "an image with its end cut off", lambda: folder(picture(900, 900, "jpeg")[:900], ending="jpg")


def pages() -> bytes:
    stream = io.BytesIO()
    Image.new("L", (99, 99)).save(stream, "tiff", save_all=True, append_images=[Image.new("L", (99, 99))] * 500)
    return stream.getvalue()


def tables() -> Iterator[tuple[str, Made]]:
    labels = [WORDS[label] for label in Y]
    [good] = table(z=Z.tolist(), label=labels)
    for seed in range(30):
        yield f"flipped {seed}", partial(one, "a.parquet", flipped(good.content, seed, 4))
    for ending in ("parquet", "arrow"):
        yield (
            f"1 million long words as {ending}",
            lambda ending=ending: table(
                f"a.{ending}", z=arrow.array(np.zeros(1_000_000, np.float32)), label=words(1_000_000, 1000)
            ),
        )
        yield (
            f"3 million long words as {ending}",
            lambda ending=ending: table(
                f"a.{ending}", z=arrow.array(np.zeros(3_000_000, np.float32)), label=words(3_000_000, 1000)
            ),
        )
        yield (
            f"columns of long words as {ending}",
            lambda ending=ending: table(f"a.{ending}", **{f"d{k}": words(100_000, 10_000) for k in range(20)}),
        )
        yield (
            f"1 billion rows of nothing as {ending}",
            lambda ending=ending: table(f"a.{ending}", a=arrow.nulls(10**9 if ending == "arrow" else 10**7)),
        )
    yield "20,000 columns", lambda: table("a.parquet", **{f"d{k}": Z[:, 0] for k in range(20_000)})
    yield "lists of 100 million zeros", lambda: table(z=arrow.array([np.zeros(10**8, np.int8)] * 2), label=["a", "b"])
    yield "a long word", lambda: table(z=Z.tolist(), label=["x" * (100 * MB)] + ["y"] * 11)
    yield (
        "runs",
        lambda: table("a.arrow", a=arrow.RunEndEncodedArray.from_arrays([100_000], ["x" * 10_000]), label=["a"] * 100_000),
    )
    yield "metadata that is no JSON", lambda: described(b"{" * 9000)


def described(huggingface: bytes) -> Sequence[File]:
    stream = io.BytesIO()
    parquet.write_table(arrow.table({"z": Z.tolist(), "label": Y}).replace_schema_metadata({"huggingface": huggingface}), stream)
    return [File("a.parquet", stream.getvalue())]


def texts() -> Iterator[tuple[str, Made]]:
    yield (
        "1 million columns",
        lambda: one("a.csv", b"a," * 1_000_000 + b"b\n" + b"1," * 1_000_000 + b"2\n" + b"3," * 1_000_000 + b"4\n"),
    )
    yield "10 million columns", lambda: one("a.csv", b"a," * 10_000_000 + b"b\n" + b"1," * 10_000_000 + b"2\n")
    yield "20 million lines", lambda: one("a.csv", b"a,label\n" + b"1,a\n" * 20_000_000)
    yield "60 million empty lines", lambda: one("a.csv", b"\n" * 60_000_000)
    yield "old ends of lines", lambda: one("a.csv", b"a,label\r" + b"1,a\r" * 5_000_000)
    yield "one field of 120 MB", lambda: one("a.csv", b'a,label\n"' + b"x" * (120 * MB) + b'",a\n')
    yield "a field without end", lambda: one("a.csv", b'a,label\n"' + b"1,a\n" * 3_000_000)
    yield "quotes alone", lambda: one("a.csv", b'"' * (20 * MB))
    yield "separators alone", lambda: one("a.csv", b"," * (20 * MB))
    yield "short lines under many columns", lambda: one("a.csv", b"a," * 4_000 + b"label\n" + b"1\n" * 130_000)
    yield "lists in lists", lambda: one("a.csv", b"embedding,label\n" + b'"' + b"[" * 900_000 + b'",a\n')
    yield "huge numbers", lambda: one("a.csv", b"a,b,label\n" + (b"1" * 900_000 + b",2,x\n") * 20)
    yield "exponents", lambda: one("a.csv", b"a,b,label\n" + b"1e999999999,1e-999999999,x\n" * 90)
    yield "zeros", lambda: one("a.csv", b"\0" * (20 * MB))
    yield "no text", lambda: one("a.csv", np.random.default_rng(0).bytes(5 * MB))
    yield "UTF-16 of many columns", lambda: one("a.csv", ("a," * 1_000_000 + "\n1\n").encode("utf-16"))
    yield "half of UTF-16", lambda: one("a.csv", b"\xff\xfe" + b"a" * 999_999)
    yield "one name for all columns", lambda: one("a.csv", b"label," * 4_000 + b"\n" + b"1," * 4_000 + b"\n")
    yield "formulas", lambda: one("a.csv", b"a,b,label\n" + b"=cmd|'/c calc'!A0,2,<script>\n" * 90)
    yield ("long numbers in JSON", lambda: one("a.csv", b"embedding,label\n" + (b'"[' + b"9" * 90_000 + b', 1]",a\n') * 40))
    yield ("two tables of other lengths", lambda: [File("tensors.tsv", b"1\t2\n" * 100_000), File("metadata.tsv", b"a\n" * 9)])
    yield (
        "a sprite of 16 million pixels",
        lambda: [
            File("tensors.tsv", b"1\t2\n" * 9000),
            File("metadata.tsv", b"a\nb\n" * 4500),
            File("sprite.png", picture(4096, 4095)),
        ],
    )
    yield "wide and long", lambda: one("a.tsv", b"1\t" * 4_000 + b"\n" + (b"1\t" * 4_000 + b"\n") * 9_000)
    yield "empty", lambda: one("a.csv", b"")


def others() -> Iterator[tuple[str, Made]]:
    for name in ("a.docx", "a", ".npz", "a.npz.exe", "a.NPZ", "a.zip", "a.arrow", "a.feather", "a.jsonl", "\0.npz"):
        yield f"named {name!r}", partial(one, name, b"hello")
    yield "2,000 files of other kinds", lambda: [File(f"a{k}.npy", npy(Y)) for k in range(2000)]
    yield "no name", lambda: one("", json.dumps({"z": 1}).encode())


KINDS: dict[str, Callable[[], Iterator[tuple[str, Made]]]] = {
    "npz": npzs,
    "npy headers": npys,
    "pickles": pickles,
    "zips": zips,
    "images": images,
    "parquet and Arrow": tables,
    "CSV": texts,
    "others": others,
}


def corpus() -> Iterator[tuple[str, str, Made]]:
    """The kind, the name and the maker of each hostile file."""
    for kind, made in KINDS.items():
        for name, make in made():
            yield kind, name, make
