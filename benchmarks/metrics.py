"""Retrieval metrics of 500 points: CPU time against pytorch-metric-learning and scikit-learn, distance to the latter.

All in turn, round after round, on one thread; medians, and ratios taken round by round. Ours gives mAP, R@1, 2, 4, 8,
MAP@R and 8 ranked neighbours in float64; pytorch-metric-learning mAP, R@1 and MAP@R in float32, with its matrix-product
search in place of faiss, k = None for the whole ranking that an exact mAP needs and k = "max_bin_count" for the R
nearest only; scikit-learn AP alone, in a loop over queries.
"""

import time
from collections.abc import Callable

import numpy as np
import torch
from pytorch_metric_learning.distances import CosineSimilarity
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from pytorch_metric_learning.utils.inference import CustomKNN
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from dml_viz.embedding.metrics import distance_histograms, nmi, pr_curve, retrieval
from dml_viz.embedding.ranking import Floats, Integers, ranking, unit_rows

POINTS, CLASSES = 500, 10
SPREAD = {2: 0.3, 8: 0.7, 64: 2.0}  # by dimension, so that rankings are neither perfect nor random
ROUNDS = 11
LIMIT, OVER_PML, OVER_SKLEARN, TOLERANCE = 8.0, 5.0, 50.0, 1e-12
OURS, SKLEARN = "retrieval", "scikit-learn, AP in a loop"
PML, PML_AT_R = "PML, k = None", 'PML, k = "max_bin_count"'


def clustered(dim: int) -> tuple[Floats, Integers]:
    """Points around class centres on the sphere."""
    generator = np.random.Generator(np.random.PCG64(0))
    labels = np.arange(POINTS) % CLASSES
    points = generator.normal(size=(CLASSES, dim))[labels] + SPREAD[dim] * generator.normal(size=(POINTS, dim))
    return points / np.linalg.norm(points, axis=1, keepdims=True), labels


def looped(z: Floats, y: Integers) -> Floats:
    """AP of each query by scikit-learn."""
    scores, others = z @ z.T, ~np.eye(len(z), dtype=bool)
    return np.array([average_precision_score((y == y[i])[others[i]], scores[i, others[i]]) for i in range(len(z))])


def contenders(z: Floats, y: Integers) -> dict[str, Callable[[], object]]:
    """The timed calls, by name."""
    points, labels = torch.from_numpy(z).float(), torch.from_numpy(y)
    theirs = {
        k: AccuracyCalculator(
            include=("precision_at_1", "mean_average_precision", "mean_average_precision_at_r"),
            k=k,
            knn_func=CustomKNN(CosineSimilarity()),
            kmeans_func=lambda *_: None,
            device=torch.device("cpu"),
        )
        for k in (None, "max_bin_count")
    }
    return {
        OURS: lambda: retrieval(z, y, neighbours=8),
        PML: lambda: theirs[None].get_accuracy(points, labels),
        PML_AT_R: lambda: theirs["max_bin_count"].get_accuracy(points, labels),
        SKLEARN: lambda: looped(z, y),
        "pr_curve": lambda: pr_curve(ranking(unit_rows(z, y))),
        "distance_histograms": lambda: distance_histograms(unit_rows(z, y)),
        "nmi": lambda: nmi(unit_rows(z, y)),
    }


def interleaved(timed: dict[str, Callable[[], object]]) -> dict[str, Floats]:
    """The milliseconds of CPU time per round (ROUNDS,) by name, after one round that is not counted."""
    taken: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(ROUNDS + 1):
        for name, call in timed.items():
            start = time.thread_time()
            call()
            taken[name].append(1000 * (time.thread_time() - start))
    return {name: np.array(times[1:]) for name, times in taken.items()}


def report(dim: int) -> bool:
    """Print the figures of one dimension; return whether all targets are met."""
    z, y = clustered(dim)
    apart = float(np.abs(retrieval(z, y).ap - looped(z, y)).max())
    times = interleaved(contenders(z, y))
    print(
        f"\n{POINTS} points, {CLASSES} classes, d = {dim}: mAP {retrieval(z, y).map:.3f}, AP within {apart:.1e} of scikit-learn"
    )
    for name, taken in times.items():
        print(f"  {name:28}{np.median(taken):9.2f} ms {np.median(taken / times[OURS]):8.1f} x")
    over = {name: float(np.median(times[name] / times[OURS])) for name in (PML, SKLEARN)}
    fast = np.median(times[OURS]) <= LIMIT and over[PML] >= OVER_PML and over[SKLEARN] >= OVER_SKLEARN
    return bool(fast and apart <= TOLERANCE)


def main() -> int:
    """Print all figures; return 0 if all targets are met."""
    torch.set_num_threads(1)
    with threadpool_limits(1):
        holds = [report(dim) for dim in SPREAD]
    print(
        f"\npromised: {LIMIT:g} ms at most, {OVER_PML:g} x over PML, {OVER_SKLEARN:g} x over scikit-learn, within {TOLERANCE:g}"
    )
    print("kept" if all(holds) else "NOT kept")
    return 0 if all(holds) else 1


if __name__ == "__main__":
    raise SystemExit(main())
