"""The two files that the page opens on: icons of unseen classes as their pixels, and as the recorded run embeds them."""

import io

import numpy as np

from dml_viz.data.files import File, OwnEmbeddings, read
from dml_viz.data.own import Scored, scored
from dml_viz.engine.recordings import FOLDER
from dml_viz.threads import once

RECORDED = FOLDER / "start.npz"


def example() -> tuple[File, File]:
    """The recorded run's last embeddings with their images, preceded by the images themselves as rows: two files."""
    with np.load(RECORDED, allow_pickle=False) as recorded:
        y, images, names = recorded["y"], recorded["images"], recorded["names"]
    content = io.BytesIO()
    np.savez_compressed(content, z=images.reshape(len(y), -1).astype(np.float32), y=y, images=images, names=names)
    return File("pixels by cosine.npz", content.getvalue()), File("after training.npz", RECORDED.read_bytes())


@once
def scored_example() -> tuple[Scored, ...]:
    """The two files of the example, read and scored."""
    files = [read([file]) for file in example()]
    return tuple(scored(each) for each in files if isinstance(each, OwnEmbeddings))
