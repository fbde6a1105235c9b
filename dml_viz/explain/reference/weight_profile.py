"""A loss in small: the weight of every pair of one scene against the similarity of the pair."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch

from dml_viz.analysis import response_to
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import preset_embeddings
from dml_viz.losses import Loss

SCENE = "overlapping"


@dataclass(frozen=True, eq=False)
class Miniature:
    """Of K pairs, counted once with both orders together, the similarity s, the weight dL/ds and whether they are positive (K,).

    ``ends`` (K, 2) are a pair's row and its other end: another row, or where ``proxies`` a proxy. ``subject`` is the scene.
    """

    s: np.ndarray
    weight: np.ndarray
    positive: np.ndarray
    ends: np.ndarray
    proxies: bool
    subject: Embeddings


@lru_cache(maxsize=256)
def miniature(loss: Loss) -> Miniature:
    """The pairs of the scene `SCENE` under ``loss``, what it learns being as training starts it.

    A loss of views sees the scene's points, one after the other, as two views of one image each.
    """
    plain = preset_embeddings(SCENE)
    z, y = plain.z, plain.y
    if type(loss).views:
        z = z[: len(z) // 2 * 2]
        y = torch.arange(len(z)) // 2
    subject = Embeddings(z, y, plain.provenance)
    found = response_to(subject, loss)
    subject = replace(subject, learnt=found.inputs.learnt)
    return Miniature(found.similarities, found.pair_weights, found.positive, found.ends, found.of_proxies, subject)
