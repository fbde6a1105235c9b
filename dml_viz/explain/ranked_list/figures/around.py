"""Where points are drawn around a query: at their true distance from it, in every number of dimensions."""

from __future__ import annotations

import numpy as np

from dml_viz.plot.projection import sphere_view


def around(z: np.ndarray, query: int, plane: np.ndarray | None = None) -> np.ndarray:
    """Places (N, 2) of unit rows ``z`` (N, d) around point ``query``, which is at (0, 0).

    A place is as far from there as the point is from the query. For d = 2 its direction is the true one; for d = 3 it is
    the one in which the way over the sphere sets out (Lambert's azimuthal projection); for d > 3 that of the chord in ``plane``
    (d, 2). ValueError where d > 3 and there is no plane.
    """
    apart = z - z[query]
    dim = z.shape[1]
    if dim == 2:
        return np.asarray(apart)
    if dim > 3 and plane is None:
        raise ValueError(f"z has {dim} dimensions; pass a plane ({dim}, 2), see principal_plane")
    onto = np.stack(sphere_view(z[query])[:2], 1) if dim == 3 else plane
    assert onto is not None
    flat = apart @ onto
    lengths, distances = np.linalg.norm(flat, axis=1), np.linalg.norm(apart, axis=1)
    # What lies straight behind the query, or aside from the plane, may go anywhere at its distance.
    directions = np.where(lengths[:, None] > 0, flat, (1.0, 0.0)) / np.where(lengths > 0, lengths, 1)[:, None]
    return np.asarray(distances[:, None] * directions)
