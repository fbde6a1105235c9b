"""Tree of positives: the positive pairs of a class are the edges of a spanning tree."""

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.sphere import squared_chords
from dml_viz.losses import Loss, Pairs
from dml_viz.params import param
from dml_viz.training.methods._base import Mark, Method, StepBatch


@dataclass(frozen=True)
class Tree(Method):
    """Keep few positive pairs of a class: edges of the minimum spanning tree of its points, or nearest neighbours.

    Each class has a tree of its own; there is no tree of classes.
    """

    title = "Tree of positives"
    sentence = "Of a class, only neighbours on the shortest tree that joins its points are positives: a long class may stay long."
    reference = (
        "Xu, Yang, Deng, Zheng: Deep Asymmetric Metric Learning via Rich Relationship Mining, CVPR 2019, "
        "https://openaccess.thecvf.com/content_CVPR_2019/papers/Xu_Deep_Asymmetric_Metric_Learning_via_Rich_Relationship_Mining_CVPR_2019_paper.pdf"
    )
    faithful = "the tree only; the paper's two streams of data of unequal size are left out"

    keep: str = param(
        "tree",
        "which positive pairs are kept",
        choices=("tree", "nearest"),
        source="the tree in Xu et al. 2019; nearest keeps each point's nearest positive alone",
    )

    def refuses(self, loss: Loss) -> str:
        if wrong := super().refuses(loss):
            return wrong
        why = f"reads which pairs are positive; {loss.title} reads labels alone"
        return "" if loss.masked else f"{self.title} takes a loss that {why}. Choose another, such as Contrastive"

    def pairs(self, loss: Loss, batch: StepBatch) -> Pairs:
        pairs = Pairs(batch.z, batch.y, ends_constant=loss.one_sided, learnt=batch.learnt)
        vars(pairs)["positive"] = self.positive_mask(batch.z, batch.y)
        return pairs

    def positive_mask(self, z: Tensor, y: Tensor) -> Tensor:
        """A mask (N, N) of the positive pairs of unit rows z (N, d) that are kept: edges of a class's tree, or nearest ones."""
        d2 = squared_chords(z, z)
        same = (y[:, None] == y).fill_diagonal_(False)
        if self.keep == "nearest":
            nearest = torch.where(same, d2, torch.inf).argmin(1, keepdim=True)
            mask = torch.zeros_like(same).scatter_(1, nearest, True) & same
            return mask | mask.T
        from scipy.sparse.csgraph import minimum_spanning_tree  # takes longer to import than all that most workers need

        # Lengths plus 1 have the same tree; a length of 0 would count as no edge.
        lengths = torch.where(same, d2 + 1, 0).double().cpu().numpy()
        tree = minimum_spanning_tree(lengths).toarray() > 0
        return torch.from_numpy(tree | tree.T).to(z.device)

    def marks(self, batch: StepBatch, z: Tensor) -> tuple[Mark, ...]:
        edges = self.positive_mask(batch.z, batch.y).triu().nonzero().numpy()
        same = int((batch.y[:, None] == batch.y).sum() - len(batch.y)) // 2
        return (Mark(f"{len(edges)} of {same} positive pairs are kept", "edges", batch.z.numpy()[edges]),)
