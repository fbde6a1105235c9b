"""Two NumPy arrays, rows and labels, in two files."""

from collections.abc import Sequence

from dml_viz.data.files._arrays import array_of
from dml_viz.data.files._base import File, FileError, Raw, Reader


class Npy(Reader):
    """A pair of files: the rows, an array (N, d), and the labels, an array (N,)."""

    title = "two NumPy arrays (.npy), embeddings and labels"
    suffixes = (".npy",)

    @classmethod
    def takes(cls, files: Sequence[File]) -> bool:
        """Whether all files are arrays."""
        return bool(files) and all(file.suffix == ".npy" for file in files)

    def read(self, files: Sequence[File]) -> Raw:
        """The array of two dimensions as rows, the other one as labels; rows alone are unlabelled."""
        arrays = [array_of(file.content, file.name) for file in files]
        if len(arrays) == 1 and arrays[0].ndim == 2 and arrays[0].shape[1] > 1:
            return Raw(arrays[0], None)
        if len(files) != 2:
            given = f"{len(files)} arrays are given" if len(files) > 1 else f"{files[0].name} is one array"
            raise FileError(f"{given}; bring two files together, the embeddings (N, d) and the labels (N,)")
        # Labels may be a column (N, 1), as pytorch-metric-learning's testers return them.
        arrays = sorted((a.ravel() if a.shape[1:] == (1,) else a for a in arrays), key=lambda array: -array.ndim)
        if [array.ndim for array in arrays] != [2, 1]:
            shapes = " and ".join(str(array.shape) for array in arrays)
            raise FileError(f"the arrays have shapes {shapes}; bring embeddings (N, d) and labels (N,)")
        return Raw(*arrays)
