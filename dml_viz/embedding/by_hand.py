"""Average precision written as it is defined, one query after the other, for the browser; `dml_viz.embedding.metrics` is fast."""

from typing import Any, NamedTuple

import numpy as np

from dml_viz.embedding.ranking import round_distances


class AveragePrecision(NamedTuple):
    """Average precision ``ap`` (N,) of each query, NaN without positives, and the mean ``map`` over those that have some."""

    ap: np.ndarray
    map: float


def average_precision(z: Any, y: Any) -> AveragePrecision:
    """Average precision of rows z (N, d) with labels y (N,), each querying all others; equally near ones come together."""
    rows, labels = np.asarray(z), np.asarray(y)
    values = []
    for query, row in enumerate(rows):
        others = np.arange(len(rows)) != query
        d2, relevant = round_distances(((rows - row) ** 2).sum(1))[others], labels[others] == labels[query]
        within = d2 <= d2[relevant][:, None]  # (P, N - 1), what is retrieved with each positive
        values.append(float(((within & relevant).sum(1) / within.sum(1)).mean()) if relevant.any() else float("nan"))
    found = [value for value in values if not np.isnan(value)]
    return AveragePrecision(np.array(values), sum(found) / len(found) if found else float("nan"))
