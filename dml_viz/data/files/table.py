"""Tables as text: CSV and TSV, and the files that TensorBoard's projector reads."""

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from dml_viz.data.files._base import File, FileError, Raw, Reader
from dml_viz.data.files._columns import frame_of, raw_of
from dml_viz.data.files._images import images_of_sprite

COMMA = re.compile(rb"[;\n]-?\d+,\d")  # in a number, as spreadsheets write it in much of Europe
EXTRA = ("sprite", "projector_config", "events.out.tfevents")  # beginnings of names of TensorBoard's other files


class TableReader(Reader):
    """One table, wide or with the embedding in one column as "[...]"; or ``tensors.tsv`` with ``metadata.tsv``.

    TensorBoard's other files may be among them; ``sprite.png`` is read, too: the images, row by row in a square.
    """

    title = "a CSV or TSV table, or TensorBoard's tensors.tsv with metadata.tsv"
    suffixes = (".csv", ".tsv", ".txt")

    @classmethod
    def takes(cls, files: Sequence[File]) -> bool:
        """Whether the files are one table or two, or two with TensorBoard's other files."""
        rest = [file for file in files if file.suffix not in cls.suffixes]
        from_tensorboard = all(PurePath(file.name).name.startswith(EXTRA) for file in rest)
        return from_tensorboard if len(files) - len(rest) == 2 else len(files) == 1 and not rest

    def read(self, files: Sequence[File]) -> Raw:
        """The embeddings and labels of one table, or of TensorBoard's two files, with its sprite's images."""

        def table(file: File, header: int | None) -> Any:
            content = _in_utf_8(file)
            first = content.partition(b"\n")[0]
            separator = "\t" if file.suffix == ".tsv" else max("\t;|,", key=lambda sign: first.count(sign.encode()))
            decimal = "," if separator == ";" and COMMA.search(content[:4096]) else "."
            return frame_of(content, file.name, sep=separator, header=header, decimal=decimal)

        sprites = [file for file in files if file.name.lower().endswith("sprite.png")]
        files = [file for file in files if file.suffix in self.suffixes]
        if len(files) == 1:
            columns = table(files[0], 0)
            return raw_of({str(name): columns[name].to_numpy() for name in columns}, files[0].name)
        tensors, labels = sorted(files, key=lambda file: "meta" in file.name.lower() or "label" in file.name.lower())
        rows = table(tensors, None)
        if rows.dtypes.map(lambda kind: kind.kind == "O").any():
            raise FileError(f"{tensors.name} has words among its numbers; TensorBoard's vectors have neither header nor names")
        one_column = b"\t" not in labels.content.partition(b"\n")[0]
        words = table(labels, None if one_column else 0)  # TensorBoard: a header where there are several columns
        images = {"images": images_of_sprite(sprites[0].content, len(rows), sprites[0].name)} if sprites else {}
        if one_column:
            return Raw(rows.to_numpy(), words[0].to_numpy(), **images)
        columns = {str(name): words[name].to_numpy() for name in words}
        return raw_of({**columns, "z": rows.to_numpy(), **images}, labels.name)


def _in_utf_8(file: File) -> bytes:
    """The text of a file in UTF-8; FileError if it is neither that nor marked as UTF-16."""
    try:
        if file.content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return file.content.decode("utf-16").encode()
        file.content.decode()
        return file.content
    except UnicodeDecodeError as error:
        raise FileError(f"{file.name} is not text in UTF-8; save it as CSV UTF-8") from error
