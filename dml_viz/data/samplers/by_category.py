"""Classes of a few categories: their negatives are similar, and so harder to separate."""

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.data.samplers._base import ClassTable, Sampler
from dml_viz.params import param


@dataclass(frozen=True)
class ByCategory(Sampler):
    """Random categories, P classes with at least two samples in these categories, and K of these samples each.

    If the categories have fewer than P such classes, more categories are taken. If a class has fewer than K samples in them,
    each of these comes equally often, to within one. Raises ValueError for a batch P x K above 8192.
    """

    title = "Few categories"
    sentence = "Every batch is of a few categories, icon sets or families of shapes, so that its negatives are alike."

    categories: int = param(
        4,
        "categories in a batch: icon sets of icons, families of glyphs",
        "Q",
        domain="[1, 64]",
        slider=(1, 8, 1),
        source="Cakir et al. 2019, Deep Metric Learning to Rank, section 4: two categories",
    )
    classes: int = param(16, "classes in a batch", "P", domain="[2, 512]", slider=(2, 16, 1), source="as P classes x K samples")
    samples: int = param(
        4,
        "images of each class in a batch",
        "K",
        domain="[2, 512]",
        slider=(2, 64, 1),
        source="as P classes x K samples, but icons have one image of a class in a set",
    )

    def draw(self, table: ClassTable, generator: torch.Generator, steps: int) -> Tensor:
        """The next ``steps`` batches from a CPU generator, int64 (steps, P K), K samples of one class after the other."""
        exists = torch.arange(table.members.shape[1]) < table.sizes[:, None]
        categories, numbers = torch.unique(table.categories, return_inverse=True)
        owners = torch.where(exists, numbers[table.members], -1)  # (C, M)
        class_count = min(self.classes, int((table.sizes > 1).sum()) or len(table.sizes))
        return torch.stack([self._batch(table, owners, len(categories), class_count, generator) for _ in range(steps)])

    def _batch(self, table: ClassTable, owners: Tensor, categories: int, class_count: int, generator: torch.Generator) -> Tensor:
        """One batch (P K,); ``owners`` (C, M) are the categories of each class's samples, -1 where a class has fewer than M."""
        order = torch.randperm(categories, generator=generator)
        for taken in range(min(self.categories, categories), categories + 1):
            usable = torch.isin(owners, order[:taken])
            many = usable.sum(1)
            ready = (many > (1 if taken < categories else 0)).nonzero()[:, 0]
            if len(ready) >= class_count:
                break
        rows = ready[torch.randperm(len(ready), generator=generator)[:class_count]]
        keys = torch.rand(class_count, owners.shape[1], generator=generator).masked_fill_(~usable[rows], -1.0)
        shuffled = keys.argsort(1, descending=True)
        places = shuffled.gather(1, torch.arange(self.samples) % many[rows, None])
        return table.members[rows[:, None], places].flatten()
