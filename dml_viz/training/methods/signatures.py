"""Class signatures: one row for each class; classes with near signatures are hard to separate, and are drawn together."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses import Loss
from dml_viz.params import param
from dml_viz.training.methods._base import ONCE, Mark, Method, Response, StepBatch, Survey, class_mean_directions, sample_classes


@dataclass(frozen=True)
class Signatures(Method):
    """Hard batches of classes: a random class and those with the nearest signatures. A signature is a running mean of a class.

    Nothing is pulled to a signature; the loss is the run's own.
    """

    title = "Class signatures"
    sentence = "Each class has a running mean, its signature; a batch holds a class and those with the nearest signatures."
    reference = (
        "Suh, Han, Kim, Lee: Stochastic Class-based Hard Example Mining for Deep Metric Learning, CVPR 2019, "
        "https://openaccess.thecvf.com/content_CVPR_2019/papers/"
        "Suh_Stochastic_Class-Based_Hard_Example_Mining_for_Deep_Metric_Learning_CVPR_2019_paper.pdf"
    )
    faithful = (
        "simplified: a class is drawn with the classes near it, where the paper takes an image and the wrong classes near that. "
        "Signatures are running means, not learnt; the hardest images of these classes are not picked"
    )
    every = ONCE

    groups: int = param(
        1,
        "classes that are drawn at random, each with those nearest to it",
        "A",
        domain="[1, 64]",
        slider=(1, 8, 1),
        source="the paper draws classes at random, weighted by nearness",
    )
    momentum: float = param(
        0.9,
        "share of a signature that stays at a step in which its class is drawn",
        r"\mu",
        domain="[0, 1)",
        slider=(0.0, 0.99, 0.01),
    )

    def survey(self, seen: Survey, memory: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {"signatures": class_mean_directions(seen.z, seen.y, int(seen.y.max()) + 1)}

    def draw(self, sample: Tensor, y: Tensor, memory: Mapping[str, Tensor], generator: torch.Generator, done: float) -> Tensor:
        signatures = memory["signatures"]
        count = len(y[sample].unique())
        order = torch.randperm(len(signatures), generator=generator)
        near = (signatures @ signatures.T).argsort(dim=1, descending=True, stable=True)  # (C, C), a class itself first
        classes = dict[int, None]()  # in order, each once
        for group, first in enumerate(order[: self.groups].tolist()):
            size = -(-count * (group + 1) // self.groups)
            for label in near[first].tolist():
                if len(classes) < size:
                    classes[label] = None
        return sample_classes(list(classes), y, len(sample) // count, generator)

    def response(self, loss: Loss, batch: StepBatch) -> Response:
        gradients, before = super().response(loss, batch).gradients, batch.memory["signatures"]
        means = class_mean_directions(batch.z, batch.y, len(before))
        present = torch.zeros(len(before), dtype=torch.bool, device=batch.y.device)
        present[batch.y] = True
        after = normalise(self.momentum * before + (1 - self.momentum) * means)
        return Response(gradients, memory={"signatures": torch.where(present[:, None], after, before)})

    def marks(self, batch: StepBatch, z: Tensor) -> tuple[Mark, ...]:
        return (
            Mark("a class's signature", "points", batch.memory["signatures"].numpy(), "query"),
            Mark("drawn for this batch", "rings", batch.z.numpy()),
        )
