"""Product-quantised codes: each part of the embedding stays near one of a few learnt codewords, whose number replaces it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses import Loss
from dml_viz.params import param
from dml_viz.training.methods._base import Mark, Method, Response, StepBatch, value_and_slopes, with_term


@dataclass(frozen=True)
class Codes(Method):
    """Added to the loss, over all parts: the mean ‖x - c‖² to the nearest codeword, and Gini terms, Σ p̄² - mean Σ p².

    p are the shares of a softmax of -‖x - c‖² / τ over the K codewords of a part, p̄ their mean over the batch: all codewords
    should be used, each row by one. A row is stored in M log2 K bits.
    """

    title = "Product-quantised codes"
    sentence = "The embedding is cut into M slices, and each slice is held near one of K learnt codewords: M numbers replace it."
    reference = (
        "Klein, Wolf: End-to-End Supervised Product Quantization for Image Search and Retrieval, CVPR 2019, arXiv:1711.08589"
    )
    faithful = "reconstructed: shares by distance, not by a net; no classifier beside the loss; weights are ours"
    rate = 5.0

    parts: int = param(4, "slices that the embedding is cut into", "M", label="slices", domain="[1, 16]", slider=(1, 8, 1))
    words: int = param(
        16, "codewords of each slice", "K", domain="[2, 256]", slider=(2, 64, 1), source="256 in Klein and Wolf 2019"
    )
    temperature: float = param(
        0.1, "what distances are divided by in the shares", r"\tau", domain="(0, 10]", slider=(0.01, 1.0, 0.01)
    )
    weight: float = param(0.1, "what the terms are multiplied by", r"\lambda", domain="[0, 100]", slider=(0.0, 1.0, 0.05))

    def initial_tensors(self, classes: int, width: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        parts = min(self.parts, dim)
        return {"codewords": torch.randn(parts, self.words, dim // parts, generator=generator) / dim**0.5}

    @staticmethod
    def parts_of_rows(z: Tensor, codewords: Tensor) -> Tensor:
        """The parts (M, N, w) of rows z (N, d); coordinates that are left over belong to no part."""
        parts, _, width = codewords.shape
        return z[:, : parts * width].reshape(len(z), parts, width).transpose(0, 1)

    def nearest_codewords(self, z: Tensor, codewords: Tensor) -> Tensor:
        """The number (M, N) of the nearest codeword of each part of rows z (N, d)."""
        return torch.cdist(self.parts_of_rows(z, codewords), codewords).argmin(2)

    def rebuilt(self, z: Tensor, codewords: Tensor) -> Tensor:
        """The rows z (N, d) with each part replaced by its nearest codeword; coordinates that are left over become 0."""
        parts, _, width = codewords.shape
        rows = torch.zeros_like(z)
        words = codewords[torch.arange(parts)[:, None], self.nearest_codewords(z, codewords)]  # (M, N, w)
        rows[:, : parts * width] = words.transpose(0, 1).flatten(1)
        return rows

    def extra_search_rows(self, z: Tensor, parameters: Mapping[str, Tensor]) -> dict[str, tuple[Tensor, Tensor]]:
        return {"codes": (z, self.rebuilt(z, parameters["codewords"]))}

    def bits(self, dim: int) -> float:
        """The bits of a code of a row of ``dim`` numbers."""
        return min(self.parts, dim) * math.log2(self.words)

    def pictured_widths(self, dim: int) -> tuple[int, ...]:
        parts = min(self.parts, dim)
        return (dim // parts,) * parts

    def response(self, loss: Loss, batch: StepBatch) -> Response:
        gradients = super().response(loss, batch).gradients
        value, (of_rows, of_words) = value_and_slopes(self._terms, batch.z, batch.parameters["codewords"])
        response = with_term(gradients, self.weight, value, of_rows, batch.z)
        return Response(response, {"codewords": self.weight * of_words})

    def _terms(self, z: Tensor, codewords: Tensor) -> Tensor:
        apart = (self.parts_of_rows(z, codewords)[:, :, None] - codewords[:, None]).square().sum(3)  # (M, N, K)
        shares = (-apart / self.temperature).softmax(2)
        gini = shares.mean(1).square().sum() - shares.square().sum(2).mean(1).sum()
        return apart.amin(2).mean(1).sum() + gini

    def marks(self, batch: StepBatch, z: Tensor) -> tuple[Mark, ...]:
        codewords = batch.parameters["codewords"]
        parts, count, width = codewords.shape
        words = z.new_zeros(count, z.shape[1])
        words[:, : parts * width] = codewords.transpose(0, 1).flatten(1)
        ends = torch.stack([z, self.rebuilt(z, codewords)], 1)
        return (
            Mark("from a point to its codeword", "edges", ends.numpy(), "exact"),
            Mark(f"{count} codewords" + (" of each slice" if parts > 1 else ""), "points", words.numpy(), "query"),
        )
