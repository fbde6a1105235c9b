"""Tables as text: CSV and TSV, and the pair of files that TensorBoard's projector reads."""

import io
from collections.abc import Sequence
from pathlib import PurePath

from dml_viz.data.files._base import File, FileError, Raw, Reader
from dml_viz.data.files._columns import raw_of


class Table(Reader):
    """One table, wide or with the embedding in one column as "[...]"; or ``tensors.tsv`` with ``metadata.tsv``."""

    title = "a CSV or TSV table, or TensorBoard's tensors.tsv with metadata.tsv"
    suffixes = (".csv", ".tsv", ".txt")

    @classmethod
    def takes(cls, names: Sequence[str]) -> bool:
        """Whether all files, at most two, are tables."""
        return 1 <= len(names) <= 2 and all(PurePath(name).suffix.lower() in cls.suffixes for name in names)

    def read(self, files: Sequence[File]) -> Raw:
        """The table's columns, or the two tables side by side."""
        import pandas

        def table(file: File, header: int | None) -> "pandas.DataFrame":
            separator = "\t" if file.suffix == ".tsv" or b"\t" in file.content[:4096] else ","
            text = io.BytesIO(file.content)
            return pandas.read_csv(text, sep=separator, header=header, comment=None, low_memory=False)

        if len(files) == 1:
            columns = table(files[0], 0)
            return raw_of({str(name): columns[name].to_numpy() for name in columns}, files[0].name)
        tensors, labels = sorted(files, key=lambda file: "meta" in file.name.lower() or "label" in file.name.lower())
        rows = table(tensors, None)
        if rows.dtypes.map(lambda kind: kind.kind == "O").any():
            raise FileError(
                f"{tensors.name} has words among its numbers; TensorBoard's vectors have neither header nor names"
            )
        one_column = b"\t" not in labels.content.partition(b"\n")[0]
        words = table(labels, None if one_column else 0)  # TensorBoard: a header where there are several columns
        if one_column:
            return Raw(rows.to_numpy(), words[0].to_numpy())
        found = {str(name): words[name].to_numpy() for name in words}
        return raw_of({**found, "z": rows.to_numpy()}, labels.name)
