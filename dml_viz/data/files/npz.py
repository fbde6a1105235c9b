"""NumPy archives."""

from collections.abc import Sequence

from dml_viz.data.files._arrays import arrays_of
from dml_viz.data.files._base import GALLERY, IMAGES, LABELS, QUERY, ROWS, File, Raw, Reader, first_of


class Npz(Reader):
    """An archive with z (or embeddings, features) or images (or x), with y (or labels), and perhaps names.

    An archive of rows alone is unlabelled.
    """

    title = "a NumPy archive (.npz) with y and z, or images, or both"
    suffixes = (".npz",)

    def read(self, files: Sequence[File]) -> Raw:
        """The arrays by their names; nothing is unpickled."""
        [file] = files
        arrays = arrays_of(file)
        images = next((arrays[name] for name in IMAGES if name in arrays), None)
        shaped = next((name for name in ("x", "X", "data") if name in arrays and arrays[name].ndim > 2), "")
        if images is None and shaped:
            images = arrays.pop(shaped)
        z = first_of(arrays, ROWS, "embeddings", file.name) if images is None or set(ROWS) & set(arrays) else None
        # Labels under another name are asked for; rows alone have none.
        alone = z is not None and set(arrays) <= {*ROWS, *IMAGES}
        y = None if alone else first_of(arrays, LABELS, "labels", file.name)
        query, gallery = (next((arrays[name] for name in names if name in arrays), None) for names in (QUERY, GALLERY))
        return Raw(z, y, images, arrays.get("names"), query, gallery)
