"""NumPy's archives."""

from collections.abc import Sequence

from dml_viz.data.files._arrays import arrays_of
from dml_viz.data.files._base import IMAGES, LABELS, ROWS, File, Raw, Reader, one_of


class Npz(Reader):
    """An archive with z (or embeddings, features), y (or labels), and perhaps images and names."""

    title = "a NumPy archive (.npz) with z and y"
    suffixes = (".npz",)

    def read(self, files: Sequence[File]) -> Raw:
        """The arrays by their names; nothing is unpickled."""
        [file] = files
        found = arrays_of(file)
        images = next((found[name] for name in IMAGES if name in found), None)
        if images is None and "x" in found and found["x"].ndim > 2:
            images = found.pop("x")
        z = one_of(found, ROWS, "embeddings", file.name)
        y = one_of(found, LABELS, "labels", file.name)
        return Raw(z, y, images, found.get("names"), found.get("is_query"), found.get("is_gallery"))
