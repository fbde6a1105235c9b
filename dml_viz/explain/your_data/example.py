"""Two files to try the page with: icons of unseen classes as their pixels, and as the recorded run embeds them."""

import io

import numpy as np

from dml_viz.data.files import File
from dml_viz.engine.recordings import FOLDER

RECORDED = FOLDER / "start.npz"


def example() -> tuple[File, File]:
    """The recorded run's last embeddings with their images, and before it the images themselves as rows."""
    with np.load(RECORDED, allow_pickle=False) as found:
        y, images, names = found["y"], found["images"], found["names"]
    content = io.BytesIO()
    np.savez_compressed(content, z=images.reshape(len(y), -1).astype(np.float32), y=y, images=images, names=names)
    return File("pixels by cosine.npz", content.getvalue()), File("after training.npz", RECORDED.read_bytes())
