"""A neighbour map of all rows of a file, however many, in numpy, scipy and openTSNE, for a process without torch.

Up to about a thousand rows it is the exact map of `dml_viz.embedding.neighbour_map`. With more, the affinities are to the
exact nearest rows, and the repulsion is approximate: that of far points is summed over the cells of a tree (L. van der Maaten,
2014, JMLR 15) or, of many rows, interpolated on a grid (G. Linderman and others, 2019, Nature Methods 16, "Fast
interpolation-based t-SNE"), which takes a time in proportion to the rows. Nothing in it is random: equal files have equal maps.
"""

from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from threadpoolctl import threadpool_limits

from dml_viz.embedding.neighbour_map import filling, map_of
from dml_viz.embedding.rows_plane import places_in_plane, unit
from dml_viz.embedding.search import Nearest, Progress, nearest_rows, search_of

EXACT_UP_TO, TREE_UP_TO = 1_000, 4_000  # rows
PERPLEXITY = 15
NEIGHBOURS = 3 * PERPLEXITY
EARLY, LATER, LAST, EXAGGERATION = 250, 200, 100, 12.0  # iterations, the early ones with affinities as many times larger
COARSE, FINE = 2, 1  # width of a cell of the grid, until the last iterations and in them
SMALL = 1e-4  # standard deviation of the first places, along the directions of most variance
LOOKS = 10  # iterations from one report to the next


def can_map(rows: int) -> bool:
    """Whether this machine can map that many rows: where openTSNE has no package, as on Linux for ARM, the exact map alone."""
    return rows <= EXACT_UP_TO or find_spec("openTSNE") is not None


def places_in_map(
    z: NDArray[np.floating], nearest: Nearest | None = None, progress: Progress = lambda _: None, threads: int = 1
) -> NDArray[np.float32]:
    """Return the places (N, 2) of the rows z (N, d) in a neighbour map, which fill a square from -1 to 1.

    ``nearest`` are the nearest of all rows, if they are known by now; ``progress`` is called with the share done.
    """
    if len(z) <= EXACT_UP_TO:
        return map_of(unit(z)).astype(np.float32)
    # In one thread a product is rounded in one way, wherever it is made: the descent makes much of a last digit.
    with threadpool_limits(1, "blas"):
        return _approximate(z, nearest, progress, threads)


def _approximate(z: NDArray[np.floating], nearest: Nearest | None, progress: Progress, threads: int) -> NDArray[np.float32]:
    if nearest is None or nearest.near.shape != (len(z), NEIGHBOURS):
        nearest = nearest_rows(search_of(z), NEIGHBOURS, threads=threads)
    from openTSNE import TSNEEmbedding, affinity, nearest_neighbors

    apart = 2 * np.sqrt(nearest.reach * nearest.shares.astype(np.float64))
    index = nearest_neighbors.PrecomputedNeighbors(nearest.near, apart)
    affinities = affinity.PerplexityBasedNN(knn_index=index, perplexity=PERPLEXITY, n_jobs=threads)
    first, _ = places_in_plane(z)
    start = first[:, :2].astype(np.float64)
    start *= SMALL / (start.std() or 1.0)
    method = "bh" if len(z) <= TREE_UP_TO else "fft"
    embedding = TSNEEmbedding(
        start, affinities, negative_gradient_method=method, ints_in_interval=COARSE, n_jobs=threads, random_state=0
    )
    done = 0

    def look(iteration: int, *_: object) -> None:
        progress((done + iteration) / (EARLY + LATER + LAST))

    report = {"callbacks": look, "callbacks_every_iters": LOOKS}
    early, later = {"exaggeration": EXAGGERATION, "momentum": 0.5}, {"exaggeration": 1.0, "momentum": 0.8}
    for iterations, settings in ((EARLY, early), (LATER, later), (LAST, later | {"ints_in_interval": FINE})):
        embedding = embedding.optimize(iterations, **settings, **report)
        done += iterations
    return filling(np.asarray(embedding, np.float64)).astype(np.float32)


def right_in_picture(
    places: NDArray[np.floating], y: NDArray[np.int64], query: NDArray[np.bool_], gallery: NDArray[np.bool_]
) -> float:
    """Return the share of queries whose nearest other row of the gallery, at ``places`` (N, 2 or 3), is of their class.

    ``query`` and ``gallery`` (N,) say which rows are queries and which are searched. Queries without another of their class do
    not count; NaN if none counts.
    """
    queries, searched = np.flatnonzero(query), np.flatnonzero(gallery)
    near = searched[cKDTree(places[searched]).query(places[queries], min(2, len(searched)))[1].reshape(len(queries), -1)]
    nearest = np.where(near[:, 0] == queries, near[:, -1], near[:, 0])
    others = np.bincount(y[searched], minlength=int(y.max()) + 1)[y[queries]] - gallery[queries]
    return float((y[nearest] == y[queries])[others > 0].mean()) if (others > 0).any() else float("nan")
