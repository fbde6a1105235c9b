"""A loss in small: the weight of every pair of one scene against the similarity of the pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from dml_viz.analysis import response_to
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import preset_embeddings
from dml_viz.losses import Loss

SCENE = "overlapping"


@dataclass(frozen=True, eq=False)
class Miniature:
    """Of K pairs the similarity s, the weight dL/ds and whether they are positive, each (K,).

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
    response = response_to(Embeddings(z, y, plain.provenance), loss)
    found, pairs, learnt = response.ordered, response.pairs, response.inputs.learnt
    rows = z if found.rows is None else found.rows
    weights, ends = (found.proxy, pairs.to) if found.proxy is not None else (found.pair, rows)
    if weights is None:
        weights = z.new_zeros(len(z), len(ends))
    counted = pairs.positive | pairs.negative
    return Miniature(
        s=_of(rows @ ends.T, counted),
        weight=_of(weights, counted),
        positive=_of(pairs.positive, counted),
        ends=counted.nonzero().numpy(),
        proxies=found.proxy is not None,
        subject=Embeddings(z, y, plain.provenance, learnt),
    )


def _of(table: Tensor, counted: Tensor) -> np.ndarray:
    return table[counted].detach().numpy()
