"""All losses on one subject: what each asks of it, and what of that is worth sending to a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from torch import Tensor

from dml_viz.explain.gradients.model_felt import Felt, felt
from dml_viz.explain.gradients.model_likeness import Likeness, likeness
from dml_viz.explain.gradients.model_stood import Stood
from dml_viz.losses import Loss

MANY = 1000  # partners of points, that a picture of a loss is sent at most
FEWEST = 8  # partners of a point, where there are so many


@dataclass(frozen=True, eq=False)
class Model:
    """A subject z (N, d), y (N,) under several losses by name, each with what it stands on."""

    z: Tensor
    y: Tensor
    losses: Mapping[str, Loss]
    stood: Mapping[str, Stood]

    @cached_property
    def titles(self) -> dict[str, str]:
        """What each loss is called, by the form that its knobs select."""
        return {name: loss.name for name, loss in self.losses.items()}

    @cached_property
    def felt(self) -> dict[str, Felt]:
        """What each loss asks of the subject."""
        return {name: felt(loss, self.stood[name]) for name, loss in self.losses.items()}

    @cached_property
    def likeness(self) -> Likeness:
        """How alike the gradients along the sphere are."""
        return likeness([np.where(found.lengths[:, None] > 0, found.along, 0) for found in self.felt.values()])

    def partners(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Of each point the partners (N, K) with the largest weights, proxies counted from N on, and these weights (N, K).

        The heaviest come first; a partner without weight is -1.
        """
        found = self.felt[name]
        n, m = found.weight.shape
        many = min(m, max(FEWEST, MANY // n))
        order = np.argsort(-np.abs(found.weight), axis=1, kind="stable")[:, :many]
        weight = np.take_along_axis(found.weight, order, 1)
        return np.where(weight == 0, -1, order + (n if found.of_proxies else 0)), weight

    def table(self, names: Sequence[str]) -> str:
        """The per-point table as CSV: a row for each point and loss, with the gradient and its heaviest pair.

        ``names`` are those of the classes.
        """
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        axes = range(self.z.shape[1])
        rows.writerow((
            "point", "class", *(f"z{k}" for k in axes), "loss", "value", "length", *(f"g{k}" for k in axes), "radial",
            "heaviest partner", "weight",
        ))  # fmt: skip
        points, labels = self.z.tolist(), self.y.tolist()
        for name, found in self.felt.items():
            partners, weights = self.partners(name)
            radial = (found.ambient * self.z.numpy()).sum(1)
            for i, (place, label) in enumerate(zip(points, labels, strict=True)):
                partner = partners[i, 0] if partners.shape[1] else -1
                other = "" if partner < 0 else f"proxy {partner - len(points)}" if partner >= len(points) else partner
                rows.writerow((
                    i, names[label], *place, name, found.value, found.lengths[i], *found.along[i].tolist(), radial[i],
                    other, weights[i, 0] if partner >= 0 else "",
                ))  # fmt: skip
        return text.getvalue()
