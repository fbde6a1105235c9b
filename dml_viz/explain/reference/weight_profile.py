"""The response of a loss to one small scene."""

from functools import lru_cache

import torch

from dml_viz.analysis import LossResponse, response_to
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import preset_embeddings
from dml_viz.losses import Loss

SCENE = "overlapping"


@lru_cache(maxsize=256)
def response_on_one_scene(loss: Loss) -> LossResponse:
    """The response of ``loss`` to the small scene `SCENE`, with learnt tensors as training starts them.

    A loss of views sees the scene's points, one after the other, as two views of one image each.
    """
    plain = preset_embeddings(SCENE)
    z, y = plain.z, plain.y
    if type(loss).views:
        z = z[: len(z) // 2 * 2]
        y = torch.arange(len(z)) // 2
    return response_to(Embeddings(z, y, plain.provenance), loss)
