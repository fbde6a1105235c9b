"""The gradient that the hand-written FastAP backward in circulation returns, for comparison with the true one.

It goes bin by bin through dense pair matrices and leaves out the factor 2 of the squared distance and the 1/M of the mean
over M queries, so it is M/2 times the gradient of the loss that goes with it.
"""

from __future__ import annotations

import numpy as np

from dml_viz.embedding.fastap_batch import batch
from dml_viz.embedding.soft_bins import Binning, per_bin


def circulating_gradient(z: np.ndarray, d2: np.ndarray, y: np.ndarray, bins: int) -> np.ndarray:
    """Tangent part (N, d) of that gradient at unit rows ``z`` (N, d) with squared distances ``d2`` (N, N); O(B N^2) time."""
    binning = Binning(bins)
    table = batch(d2, y, binning)
    others = ~np.eye(len(y), dtype=bool)
    same, other = (y[:, None] == y) & others, y[:, None] != y
    positives = same.sum(1, keepdims=True)
    weight = np.divide(1.0, positives, out=np.zeros(positives.shape), where=positives > 0)
    for_positive, for_negative = (weight * g for g in per_bin(table.plus, table.minus))  # (N, B+1)
    t = d2 / binning.width
    pairs = np.zeros_like(d2)
    for place in range(bins + 1):
        rising, falling = (t >= place - 1) & (t < place), (t >= place) & (t < place + 1)
        pulse = (rising.astype(float) - falling) / binning.width  # slope of the triangle over this centre
        pairs += (for_positive[:, [place]] * same + for_negative[:, [place]] * other) * pulse
    g = (pairs + pairs.T) @ z
    return np.asarray(g - (g * z).sum(1, keepdims=True) * z)
