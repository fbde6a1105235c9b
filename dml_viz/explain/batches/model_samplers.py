"""Five ways to fill a batch, and how hard the triplets in it are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import torch
from sklearn.cluster import KMeans
from torch import Tensor

from dml_viz.data.samplers._base import ClassTable
from dml_viz.data.samplers.by_category import ByCategory
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.data.training_set import training_set
from dml_viz.embedding.sphere import normalise, squared_chords
from dml_viz.engine.recordings import FOLDER, ROWS, ROWS_OF

CLUSTERS, MARGIN = 4, 0.2
BATCHES = 30  # batches of each way in a mean
# Categories, classes and samples of each in a batch; there are fewer classes of glyphs.
SIZES: Mapping[str, tuple[int, int, int]] = MappingProxyType({"icons": (4, 16, 4), "glyphs": (2, 8, 8)})
KINDS: Mapping[str, str] = MappingProxyType({"icons": "icon sets", "glyphs": "families of shapes"})
FILLINGS: Mapping[str, str] = MappingProxyType(
    {
        "random": "random",
        "category": "few categories",
        "cluster": "one k-means cluster",
        "signature": "near class means",
        "hardest": "random, hardest alone",
    }
)


@dataclass(frozen=True, eq=False)
class Pool:
    """Training images of a recorded run: unit rows by step (n, d), table of classes, images, and names."""

    name: str
    rows: Mapping[int, Tensor]
    y: Tensor
    table: ClassTable
    images: np.ndarray
    class_names: tuple[str, ...]
    category_names: tuple[str, ...]


@dataclass(frozen=True)
class Hardness:
    """For each way and step (W, T), the share of active triplets and the mean distance to the nearest negative."""

    steps: tuple[int, ...]
    active: np.ndarray
    nearest: np.ndarray

    def share_and_distance(self, way: str, step: int) -> tuple[float, float]:
        """The share of active triplets and the mean nearest negative of one way at one step."""
        cell = list(FILLINGS).index(way), self.steps.index(step)
        return float(self.active[cell]), float(self.nearest[cell])


@dataclass(frozen=True)
class ImageBatch:
    """A batch: its images (B, side, side), classes and categories (B,) as words, class by class."""

    images: np.ndarray
    classes: tuple[str, ...]
    categories: tuple[str, ...]


@lru_cache(maxsize=2)
def training_pool(name: str) -> Pool:
    """The images of the recorded run on data set ``name``."""
    run = ROWS_OF[name]
    data, loaded = training_set(run.dataset, run.protocol, torch.device("cpu")), run.dataset.load()
    with np.load(FOLDER / f"{ROWS}.npz", allow_pickle=False) as recorded:
        images = torch.from_numpy(recorded[f"{name}.images"])
        z = torch.from_numpy(recorded[f"{name}.z"].astype(np.float64))
        rows = dict(zip(recorded["steps"].tolist(), normalise(z.flatten(0, 1)).view_as(z), strict=True))
    y = data.labels[images]
    trained = sorted(set(loaded.y.tolist()) - set(loaded.unseen))
    return Pool(
        name,
        rows,
        y,
        ClassTable.of(y, data.table.categories[images]),
        data.images_at(images)[:, 0].numpy(),
        tuple(loaded.names[label] for label in trained),
        loaded.category_names if loaded.sets is None else loaded.set_names,
    )


@lru_cache(maxsize=2)
def hardness_by_step(training: Pool) -> Hardness:
    """Measure the batches of each way to fill them, at each step of the run."""
    table = np.array([[_hardness(training, way, step) for step in training.rows] for way in FILLINGS])  # (W, T, 2)
    return Hardness(tuple(training.rows), table[..., 0], table[..., 1])


def draw_batch(training: Pool, way: str, step: int, seed: int) -> ImageBatch:
    """Draw one batch at a step, filled in one ``way``."""
    images = _filling(training, way, step)(torch.Generator().manual_seed(seed))
    return ImageBatch(
        training.images[images.numpy()],
        tuple(training.class_names[label] for label in training.y[images].tolist()),
        tuple(training.category_names[category] for category in training.table.categories[images].tolist()),
    )


def _hardness(training: Pool, way: str, step: int) -> tuple[float, float]:
    """The share of active triplets and the distance to the nearest negative, means over batches."""
    generator, fill, z = torch.Generator().manual_seed(0), _filling(training, way, step), training.rows[step]
    numbers = []
    for _ in range(BATCHES):
        images = fill(generator)
        numbers.append(hardness_of_batch(z[images], training.y[images], images, hardest=way == "hardest"))
    active, nearest = np.mean(numbers, axis=0).tolist()
    return active, nearest


def hardness_of_batch(z: Tensor, y: Tensor, images: Tensor, *, hardest: bool) -> tuple[float, float]:
    """The share of triplets with d²(a, p) + m > d²(a, n), all or each anchor's hardest, and the mean nearest negative.

    A second copy of an image is no positive of it.
    """
    d2, same = squared_chords(z, z), y[:, None] == y
    positive = same & (images[:, None] != images)
    nearest = d2.masked_fill(same, torch.inf).amin(1)
    if hardest:
        farthest = d2.masked_fill(~positive, -torch.inf).amax(1)
        active = (farthest + MARGIN > nearest)[positive.any(1)]
        return float(active.double().mean()), float(nearest.sqrt().mean())
    triplets = positive[:, :, None] & ~same[:, None, :]
    active = (d2[:, :, None] + MARGIN > d2[:, None, :]) & triplets
    return float(active.sum() / triplets.sum()), float(nearest.sqrt().mean())


def _filling(training: Pool, way: str, step: int) -> Callable[[torch.Generator], Tensor]:
    """A way at a step, as a function of a generator that returns the indices (B,) of a batch's images."""
    table, (categories, classes, samples) = training.table, SIZES[training.name]
    if way == "category":
        return lambda generator: ByCategory(categories, classes, samples).draw(table, generator, 1)[0]
    if way == "cluster":
        clusters = _clusters(training.name, step)
        # The sampler takes a second cluster where the first has too few classes with two images.
        large = [int((training.y[clusters == k].bincount() > 1).sum()) >= classes for k in range(CLUSTERS)]
        images = torch.tensor(large)[clusters].nonzero()[:, 0]
        of_large = ClassTable.of(training.y[images], clusters[images])
        return lambda generator: images[ByCategory(1, classes, samples).draw(of_large, generator, 1)[0]]
    if way == "signature":
        rows = training.rows[step]
        means = normalise(torch.stack([rows[training.y == label].mean(0) for label in table.labels.tolist()]))
        return lambda generator: _near(means, table, classes, samples, generator)
    return lambda generator: PByK(classes, samples).draw(table, generator, 1)[0]


def _near(means: Tensor, table: ClassTable, classes: int, samples: int, generator: torch.Generator) -> Tensor:
    """Random samples of a random class and of the classes with the nearest ``means`` (C, d)."""
    first = int(torch.randint(len(means), (1,), generator=generator))
    rows = (means @ means[first]).topk(classes).indices
    sizes = table.sizes[rows]
    keys = torch.rand(classes, table.members.shape[1], generator=generator)
    keys.masked_fill_(torch.arange(keys.shape[1]) >= sizes[:, None], -1)
    places = keys.argsort(1, descending=True).gather(1, torch.arange(samples) % sizes[:, None])
    return table.members[rows[:, None], places].flatten()


@lru_cache(maxsize=16)
def _clusters(name: str, step: int) -> Tensor:
    """The k-means cluster (n,) of each image."""
    clusters = KMeans(CLUSTERS, n_init=1, random_state=0).fit_predict(training_pool(name).rows[step].numpy())
    return torch.from_numpy(clusters.astype(np.int64))
