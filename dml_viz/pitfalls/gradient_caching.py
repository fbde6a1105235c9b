"""A large batch can be embedded chunk by chunk and still give the gradient of the whole."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses.fastap import FastAP
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example

N, CHUNK = 64, 16


@dataclass(frozen=True)
class GradientCaching(Erratum):
    """The gradient at a small net's weights, of the batch at once and chunk by chunk."""

    title = "Large batches on a small memory"
    losses = ("fastap",)
    circulates = "The authors' heuristic for large batches, which the notes say they did not understand."
    text = (
        "The heuristic is gradient caching. Embed a batch of {n:.0f} in {chunks:.0f} chunks of {chunk:.0f} without a "
        "graph, take the gradient of the loss at the {n:.0f} embeddings, then embed each chunk again and send its "
        "rows' gradients back. The weights' gradient agrees with that of the whole batch to {difference:.0e}, while "
        "only one chunk's activations are held at a time."
    )

    def measure(self) -> dict[str, float]:
        x, y = example(N, 16, 8, spread=0.5)
        loss = FastAP()
        weights = directions(16, 8).requires_grad_()

        def embed(images: Tensor) -> Tensor:
            return normalise(torch.tanh(images @ weights))

        whole = torch.autograd.grad(loss.value(embed(x), y), weights)[0]
        with torch.no_grad():
            z = torch.cat([embed(images) for images in x.split(CHUNK)])
        at_embeddings = loss.gradient(z, y)
        in_chunks = torch.zeros_like(weights)
        for images, gradient in zip(x.split(CHUNK), at_embeddings.split(CHUNK), strict=True):
            in_chunks += torch.autograd.grad(embed(images), weights, gradient)[0]
        return {
            "n": N, "chunk": CHUNK, "chunks": N / CHUNK, "difference": float((in_chunks - whole).abs().max()),
        }  # fmt: skip
