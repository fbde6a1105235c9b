"""Hardness-aware synthesis: negatives are moved towards the anchor, the more, the smaller the loss is."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, linear

from dml_viz.embedding.sphere import normalise, squared_chords
from dml_viz.losses import Loss
from dml_viz.params import param
from dml_viz.training.methods._base import ONCE, Mark, Method, Response, StepBatch, Survey, times, value_and_slopes, with_term

REMEMBERED = 0.95  # share of a mean that stays from step to step


@dataclass(frozen=True)
class HDML(Method):
    """The loss J_m and J_syn, the mean of [d(ã, p̃)² - d(ã, ñ)² + m]_+ over synthetic triplets: w J_m + (1 - w) J_syn.

    A negative is pulled to ẑ = a + (d⁺ + (d⁻ - d⁺) exp(-α / J)) / d⁻ (n - a) where d⁻ > d⁺; J is the running mean of J_m. A
    generator of two layers turns a, p and ẑ into features, and the net's last layer turns these into ã, p̃ and ñ. The generator
    learns to reconstruct the features of real rows, and to keep the classes of synthetic ones; w = exp(-β / J_gen), and J_gen is
    the running mean of its loss. Points that no net embeds have no features, so nothing is generated: the synthetic triplets are
    a, p and ẑ, and w is 0, as with a generator that has learnt all.
    """

    title = "Hardness-aware synthesis"
    sentence = (
        "Negatives are moved towards the anchor as far as the loss has fallen; the better a generator makes them features, the "
        "more they count in place of the real ones."
    )
    of_points = (
        "Negatives are moved towards the anchor as far as the loss has fallen. Points have no net and no generator, so these "
        "negatives take the place of the real ones."
    )
    reference = "Zheng, Chen, Lu, Zhou: Hardness-Aware Deep Metric Learning, CVPR 2019, arXiv:1903.05503"
    faithful = (
        "pull, generator and the weights of both losses as in the official code. Other than there, synthetic triplets have the "
        "triplet loss whatever the run's is, and means run, where the code averages blocks of 64 steps. α and β suit these losses"
    )
    of_features = True
    every = ONCE

    alpha: float = param(
        0.1,
        "loss at which a negative is moved by 63 % of the way",
        r"\alpha",
        domain="(0, 100]",
        slider=(0.01, 1.0, 0.01),
        source="90 in the official code, whose losses are larger",
    )
    beta: float = param(
        0.5,
        "the generator's loss at which synthetic triplets count 63 %, real ones 37 %",
        r"\beta",
        domain="(0, 100]",
        slider=(0.05, 5.0, 0.05),
        source="10,000 in the official code, whose losses are larger",
    )
    margin: float = param(
        0.2,
        "margin of the synthetic triplets",
        "m",
        domain="[0, 4] squared distance",
        slider=(0.0, 1.0, 0.05),
        source="Schroff et al. 2015",
    )

    def initial_tensors(self, classes: int, width: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        def weights(rows: int, columns: int) -> Tensor:
            return torch.randn(rows, columns, generator=generator) * math.sqrt(2 / columns)

        hidden = min(width, 128)
        return {"into": weights(hidden, dim), "out": weights(width, hidden), "classes": weights(classes, width) * 0.1}

    def survey(self, seen: Survey, memory: Mapping[str, Tensor]) -> dict[str, Tensor]:
        # As before the first loss: nothing is pulled, and the loss alone counts.
        return {name: seen.z.new_tensor(torch.inf) for name in ("loss", "generator")}

    def triplets(self, batch: StepBatch) -> tuple[Tensor, Tensor, Tensor]:
        """Anchors (T,), the next row (T,) of each anchor's class as its positive, and the nearest negative (T,) beyond that."""
        rows = torch.arange(len(batch.y), device=batch.y.device)
        same = (batch.y[:, None] == batch.y).fill_diagonal_(False)
        behind = (rows - rows[:, None]) % len(rows)
        positive = torch.where(same, behind, len(rows)).argmin(1)
        d2 = squared_chords(batch.z, batch.z)
        other = batch.y[:, None] != batch.y
        beyond = other & (d2 > d2.gather(1, positive[:, None]))
        negative = torch.where(beyond, d2, torch.where(other, d2 + 4, torch.inf)).argmin(1)
        valid = same.any(1) & other.any(1)
        return rows[valid], positive[valid], negative[valid]

    def harder_negatives(self, anchor: Tensor, positive: Tensor, negative: Tensor, mean: Tensor) -> Tensor:
        """Negatives (T, d) moved towards their anchors, nearer for a lower loss ``mean``; inside the sphere: not normalised."""
        near = torch.linalg.vector_norm(anchor - positive, dim=1, keepdim=True)
        far = torch.linalg.vector_norm(anchor - negative, dim=1, keepdim=True)
        distance = near + (far - near) * torch.exp(-self.alpha / mean.clamp(min=1e-6))
        return torch.where(far > near, anchor + distance / far.clamp(min=1e-12) * (negative - anchor), negative)

    def response(self, loss: Loss, batch: StepBatch) -> Response:
        gradients = super().response(loss, batch).gradients
        mean, after = batch.memory["loss"], {"loss": _with_one_more(batch.memory["loss"], gradients.value)}
        anchor, positive, negative = triplet = self.triplets(batch)
        zeros = {name: torch.zeros_like(tensor) for name, tensor in batch.parameters.items()}
        if not len(anchor):
            return Response(gradients, zeros, memory=after)

        def triplets(z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            return z[anchor], z[positive], self.harder_negatives(z[anchor], z[positive], z[negative], mean)

        if (features := batch.features) is None or batch.head is None:
            value, (slope,) = value_and_slopes(lambda z: self._hinge(*map(normalise, triplets(z))), batch.z)
            return Response(with_term(times(0, gradients), 1, value, slope, batch.z), zeros, memory=after)
        into, out, classes = (batch.parameters[name] for name in ("into", "out", "classes"))
        rows, labels = torch.cat(triplets(batch.z)), torch.cat([batch.y[indices] for indices in triplet])

        def cost_of_generator(into: Tensor, out: Tensor) -> Tensor:
            # Real features are reconstructed, and rows of synthetic triplets keep their labels.
            reconstruction = (self._synthetic(batch.z, into, out) - features).square().mean()
            return (reconstruction + cross_entropy(linear(self._synthetic(rows, into, out), classes), labels)) / 2

        cost, of_generator = value_and_slopes(cost_of_generator, into, out)
        _, of_classes = value_and_slopes(lambda w: cross_entropy(linear(features, w), batch.y), classes)
        after["generator"] = _with_one_more(batch.memory["generator"], cost)
        value, (slope, *head) = value_and_slopes(
            lambda z, *head: self._hinge(*(normalise(linear(self._synthetic(each, into, out), *head)) for each in triplets(z))),
            batch.z,
            *batch.head,
        )
        real = torch.exp(-self.beta / batch.memory["generator"].clamp(min=1e-6))
        return Response(
            with_term(times(real, gradients), 1 - real, value, slope, batch.z),
            dict(zip(("into", "out", "classes"), (*of_generator, *of_classes), strict=True)),
            ((1 - real) * head[0], (1 - real) * head[1]),
            after,
        )

    def _hinge(self, anchor: Tensor, positive: Tensor, synthetic: Tensor) -> Tensor:
        near, far = (anchor - positive).square().sum(1), (anchor - synthetic).square().sum(1)
        return (near - far + self.margin).relu().mean()

    @staticmethod
    def _synthetic(rows: Tensor, into: Tensor, out: Tensor) -> Tensor:
        """The generator's features (T, h) for rows (T, d)."""
        return linear(linear(rows, into).relu(), out).relu()

    def marks(self, batch: StepBatch, z: Tensor) -> tuple[Mark, ...]:
        anchor, positive, negative = self.triplets(batch)
        easy = self.harder_negatives(batch.z[anchor], batch.z[positive], batch.z[negative], batch.memory["loss"]).numpy()
        ends = torch.stack([batch.z[negative], torch.from_numpy(easy)], 1).numpy()
        return (Mark("the way of a negative", "edges", ends, "negative"), Mark("synthetic negative", "points", easy, "negative"))


def _with_one_more(mean: Tensor, value: Tensor) -> Tensor:
    """The running mean after one more ``value``; the first one is the mean."""
    one_more = value.to(mean.dtype).nan_to_num(0, 0, 0)
    return torch.where(mean.isinf(), one_more, REMEMBERED * mean + (1 - REMEMBERED) * one_more)
