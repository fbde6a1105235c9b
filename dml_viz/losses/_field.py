"""The gradients of many losses on one batch, side by side: what all of them ask of its pairs is computed once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType

import torch
from torch import Tensor

from dml_viz.losses._base import Gradients, Loss
from dml_viz.losses._pairs import Pairs

NOTHING: Mapping[str, Mapping[str, Tensor]] = MappingProxyType({})
TABLES = tuple(name for name, made in vars(Pairs).items() if isinstance(made, cached_property))


def gradients_of(
    losses: Mapping[str, Loss], z: Tensor, y: Tensor, learnt: Mapping[str, Mapping[str, Tensor]] = NOTHING
) -> dict[str, Gradients]:
    """Each loss's value and gradients by name, without a graph, on a checked batch of unit rows z (N, d) with labels y (N,).

    ``learnt`` holds the learnt tensors of the losses that have some, by the loss's name. They are what `Loss.gradients` gives:
    tangent, except those of losses of raw rows, which take z as it is.
    """
    known: dict[str, Tensor] = {}
    found = {}
    with torch.no_grad():
        for name, loss in losses.items():
            given = learnt.get(name, {})
            pairs = loss.pairs(z, y, given)
            shared = pairs.among_themselves and pairs.z is z
            if shared:
                vars(pairs).update(known)
            found[name] = loss.felt(pairs, given)
            if shared:
                known |= {table: vars(pairs)[table] for table in TABLES if table in vars(pairs)}
    return found
