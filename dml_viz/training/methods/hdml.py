"""Hardness-aware synthesis: negatives are moved towards the anchor, the more, the smaller the loss is."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, linear

from dml_viz.embedding.sphere import normalise, squared_distances
from dml_viz.losses import Loss
from dml_viz.params import param
from dml_viz.training.methods._base import ONCE, Batch, Mark, Method, Response, Survey, slopes, with_term

REMEMBERED = 0.95  # share of the mean loss that stays from step to step


@dataclass(frozen=True)
class HDML(Method):
    """Added to the loss: the mean of [d(a, p)² - d(a, ñ)² + m]_+ over triplets (anchor, positive, synthetic negative).

    A negative is pulled to ẑ = a + (d⁺ + (d⁻ - d⁺) exp(-α / J)) / d⁻ (n - a) where d⁻ > d⁺; J is the running mean of the loss.
    A generator of two layers turns ẑ into features, and the net's last layer turns these into ñ. The generator learns to
    reconstruct the features of real rows, and to keep the class of the negative.
    """

    title = "Hardness-aware synthesis"
    sentence = "Negatives are moved towards the anchor as far as the loss has fallen; a generator makes them look like features."
    reference = "Zheng, Chen, Lu, Zhou: Hardness-Aware Deep Metric Learning, CVPR 2019"
    faithful = (
        "the pull as in the official code; a generator of one hidden layer, and weights that suit losses of this size"
    )
    of_features = True
    every = ONCE

    alpha: float = param(
        0.1, r"\alpha", meaning="loss at which a negative is moved by 63 % of the way", domain="(0, 100]", slider=(0.01, 1.0),
        step=0.01, source="90 in the official code, whose losses are larger",
    )  # fmt: skip
    beta: float = param(
        0.5, r"\beta", meaning="the generator's loss at which synthetic triplets count by 63 %", domain="(0, 100]",
        slider=(0.05, 5.0), step=0.05, source="10,000 in the official code, whose losses are larger",
    )  # fmt: skip
    margin: float = param(
        0.2, "m", meaning="margin of the synthetic triplets", unit="squared distance", domain="[0, 4]", slider=(0.0, 1.0),
        step=0.05, source="Schroff et al. 2015",
    )  # fmt: skip

    def init(self, classes: int, width: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        def drawn(rows: int, columns: int) -> Tensor:
            return torch.randn(rows, columns, generator=generator) * math.sqrt(2 / columns)

        hidden = min(width, 128)
        return {"into": drawn(hidden, dim), "out": drawn(width, hidden), "classes": drawn(classes, width) * 0.1}

    def survey(self, seen: Survey, memory: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {"loss": seen.z.new_tensor(1.0)}

    def triplets(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Anchors (T,), the next row (T,) of each anchor's class as its positive, and the nearest negative (T,) beyond that."""
        rows = torch.arange(len(batch.y), device=batch.y.device)
        same = (batch.y[:, None] == batch.y).fill_diagonal_(False)
        behind = (rows - rows[:, None]) % len(rows)
        positive = torch.where(same, behind, len(rows)).argmin(1)
        d2 = squared_distances(batch.z, batch.z)
        other = batch.y[:, None] != batch.y
        beyond = other & (d2 > d2.gather(1, positive[:, None]))
        negative = torch.where(beyond, d2, torch.where(other, d2 + 4, torch.inf)).argmin(1)
        valid = same.any(1) & other.any(1)
        return rows[valid], positive[valid], negative[valid]

    def pulled(self, anchor: Tensor, positive: Tensor, negative: Tensor, mean: Tensor) -> Tensor:
        """The places (T, d) to which negatives (T, d) are moved, at a mean loss of ``mean``."""
        near = torch.linalg.vector_norm(anchor - positive, dim=1, keepdim=True)
        far = torch.linalg.vector_norm(anchor - negative, dim=1, keepdim=True)
        distance = near + (far - near) * torch.exp(-self.alpha / mean.clamp(min=1e-6))
        return torch.where(far > near, anchor + distance / far.clamp(min=1e-12) * (negative - anchor), negative)

    def response(self, loss: Loss, batch: Batch) -> Response:
        gradients = loss.gradients_of_pairs(self.pairs(loss, batch), batch.learnt)
        mean = batch.memory["loss"]
        after = {"loss": REMEMBERED * mean + (1 - REMEMBERED) * gradients.value.to(mean.dtype).nan_to_num(0, 0, 0)}
        anchor, positive, negative = self.triplets(batch)
        zeros = {name: torch.zeros_like(tensor) for name, tensor in batch.own.items()}
        if not len(anchor):
            return Response(gradients, zeros, memory=after)
        easy = self.pulled(batch.z[anchor], batch.z[positive], batch.z[negative], mean)
        if batch.features is None or batch.head is None:
            value, (slope,) = slopes(lambda z: self._hinge(z[anchor], z[positive], normalise(easy)), batch.z)
            return Response(with_term(gradients, 1.0, value, slope, batch.z), zeros, memory=after)
        cost, own = slopes(lambda *w: self._generator(batch, easy, batch.y[negative], *w), *batch.own.values())
        synthetic = self._synthetic(easy, batch.own["into"], batch.own["out"])
        weight = 1 - torch.exp(-self.beta / cost.clamp(min=1e-6))
        value, (slope, *head) = slopes(
            lambda z, *head: self._hinge(z[anchor], z[positive], normalise(linear(synthetic, *head))),
            batch.z,
            *batch.head,
        )
        return Response(
            with_term(gradients, weight, value, slope, batch.z), dict(zip(batch.own, own, strict=True)),
            (weight * head[0], weight * head[1]), after,
        )  # fmt: skip

    def _hinge(self, anchor: Tensor, positive: Tensor, synthetic: Tensor) -> Tensor:
        near, far = (anchor - positive).square().sum(1), (anchor - synthetic).square().sum(1)
        return (near - far + self.margin).relu().mean()

    @staticmethod
    def _synthetic(rows: Tensor, into: Tensor, out: Tensor) -> Tensor:
        """The generator's features (T, h) for rows (T, d)."""
        return linear(linear(rows, into).relu(), out).relu()

    def _generator(
        self, batch: Batch, easy: Tensor, labels: Tensor, into: Tensor, out: Tensor, classes: Tensor
    ) -> Tensor:
        """The loss of the generator, which should reconstruct real features and keep classes, and of its classifier."""
        assert batch.features is not None
        reconstruction = (self._synthetic(batch.z, into, out) - batch.features).square().mean()
        class_loss = cross_entropy(linear(self._synthetic(easy, into, out), classes.detach()), labels)
        return (reconstruction + class_loss) / 2 + cross_entropy(linear(batch.features, classes), batch.y)

    def marks(self, batch: Batch, z: Tensor) -> tuple[Mark, ...]:
        anchor, positive, negative = self.triplets(batch)
        easy = self.pulled(batch.z[anchor], batch.z[positive], batch.z[negative], batch.memory["loss"]).numpy()
        ends = torch.stack([batch.z[negative], torch.from_numpy(easy)], 1).numpy()
        return (
            Mark("the way of a negative", "edges", ends, "negative"),
            Mark("synthetic negative", "points", easy, "negative"),
        )
