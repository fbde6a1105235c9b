"""NumPy's archives."""

from collections.abc import Sequence

from dml_viz.data.files._arrays import arrays_of
from dml_viz.data.files._base import IMAGES, LABELS, ROWS, File, Raw, Reader, one_of


class Npz(Reader):
    """An archive with z (or embeddings, features) or images (or x), with y (or labels), and perhaps names."""

    title = "a NumPy archive (.npz) with y and z, or images, or both"
    suffixes = (".npz",)

    def read(self, files: Sequence[File]) -> Raw:
        """The arrays by their names; nothing is unpickled."""
        [file] = files
        found = arrays_of(file)
        images = next((found[name] for name in IMAGES if name in found), None)
        shaped = next((name for name in ("x", "X", "data") if name in found and found[name].ndim > 2), "")
        if images is None and shaped:
            images = found.pop(shaped)
        z = None if images is not None and not set(ROWS) & set(found) else one_of(found, ROWS, "embeddings", file.name)
        y = one_of(found, LABELS, "labels", file.name)
        return Raw(z, y, images, found.get("names"), found.get("is_query"), found.get("is_gallery"))
