"""Files that can run code when they are read."""

from collections.abc import Sequence

from dml_viz.data.files._base import File, FileError, Raw, Reader


class RefusedPickles(Reader):
    """Refuses pickles and files of torch.save, with the line that converts them."""

    title = "a pickle"
    suffixes = (".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".bin", ".joblib")
    refuses = True

    def read(self, files: Sequence[File]) -> Raw:
        """Raise FileError with the line of Python that converts the file."""
        raise FileError(
            f"{files[0].name} is a pickle, which can run code when it is read; save arrays: "
            "np.savez('embeddings.npz', z=z.detach().cpu().numpy(), y=y.cpu().numpy())"
        )
