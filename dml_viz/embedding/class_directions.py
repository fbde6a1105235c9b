"""Proxies for embeddings without proxies: class means, directions spread evenly, and centres within a class."""

import math

import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise

CANCELLED = 1e-9  # a mean up to this length has no direction
SETTLED = 10  # rounds of Lloyd's algorithm, more than the few points of a class need


def means(z: Tensor, y: Tensor, classes: int) -> Tensor:
    """The directions (classes, d) of the classes' means; the first point of a class whose mean is 0, or of all without points."""
    rows = []
    for label in range(classes):
        members = z[y == label]
        members = members if len(members) else z[:1]
        mean = members.mean(0)
        rows.append(mean if float(mean.norm()) > CANCELLED else members[0])
    return normalise(torch.stack(rows))


def spread(classes: int, dim: int) -> Tensor:
    """Directions (classes, dim) in float64: evenly spaced on the circle, on a spiral on the sphere, random above that."""
    index = torch.arange(classes, dtype=torch.float64)
    if dim == 2:
        angle = 2 * math.pi * index / classes
        return torch.stack((angle.cos(), angle.sin()), 1)
    if dim == 3:
        height = 1 - (2 * index + 1) / classes
        angle, radius = math.pi * (3 - math.sqrt(5)) * index, (1 - height.square()).sqrt()
        return torch.stack((radius * angle.cos(), radius * angle.sin(), height), 1)
    generator = torch.Generator().manual_seed(0)
    return normalise(torch.randn(classes, dim, dtype=torch.float64, generator=generator))


def k_means_centres(z: Tensor, y: Tensor, proxies: Tensor, count: int) -> Tensor:
    """``count`` centres (C * count, d) for each of C classes: k-means of its points, started from points far apart.

    A class without points gets its row of ``proxies`` (C, d) ``count`` times; a class of fewer points repeats some of them.
    """
    rows = []
    for label, proxy in enumerate(proxies):
        members = z[y == label]
        rows.append(_k_means(members, count) if len(members) else proxy.expand(count, -1))
    return torch.cat(rows)


def _k_means(members: Tensor, count: int) -> Tensor:
    starts = [int((members @ members.mean(0)).argmin())]
    while len(starts) < count:
        # The point farthest from those chosen; once all are chosen, the first again.
        starts.append(int((members @ members[starts].T).amax(1).argmin()))
    centres = members[starts]
    for _ in range(SETTLED):
        nearest = (members @ centres.T).argmax(1)
        sums = torch.zeros_like(centres).index_add_(0, nearest, members)
        centres = torch.where(sums.norm(dim=1, keepdim=True) > CANCELLED, normalise(sums), centres)
    return centres
