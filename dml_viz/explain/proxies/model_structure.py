"""The structure of classes in their proxies: how cosines between proxies rank beside cosines between class means."""

from typing import NamedTuple

import numpy as np
import torch
from scipy.stats import rankdata
from torch import Tensor

from dml_viz.data.wire import messages, unpack
from dml_viz.embedding.class_directions import means
from dml_viz.embedding.sphere import normalise
from dml_viz.engine.messages import FULL
from dml_viz.engine.recordings import FOLDER, RACE
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.threads import once

RECORDED = "race"
ROUND = 9  # decimals to which equal cosines are equal


class Structure(NamedTuple):
    """Spearman's correlation, over ``pairs`` of classes, of the cosines of their proxies and of their means; NaN if undefined."""

    correlation: float
    pairs: int


def structure(z: Tensor, rows: Tensor, proxies: Tensor) -> Structure:
    """Correlate the cosines of ``proxies`` (C, d) with those of class means of z (N, d); ``rows`` (N,) is each sample's proxy."""
    there = rows.unique()
    first, second = np.triu_indices(len(there), 1)
    directions = means(z, rows, len(proxies))[there], proxies[there]
    ranks = [rankdata((rank @ rank.T).numpy()[first, second].round(ROUND)) for rank in directions]
    if any(len(rank) < 2 or np.ptp(rank) == 0 for rank in ranks):
        return Structure(float("nan"), len(first))
    return Structure(float(np.corrcoef(ranks)[0, 1]), len(first))


@once
def recorded_structure() -> Structure:
    """The structure of Proxy-NCA's proxies at the end of its recorded run on the circle."""
    member = next(k for k, racer in enumerate(RACE.racers) if isinstance(racer.loss, ProxyNCA))
    subject, *_, end = map(unpack, messages((FOLDER / f"{RECORDED}.bin").read_bytes()))
    # The run is on the circle, so that its view is all there is.
    z, proxies = (normalise(torch.from_numpy(end[1][f"{member}.{name}"] * (2 / FULL) - 1)) for name in ("view", "proxies"))
    return structure(z, torch.from_numpy(subject[1]["y"].astype(np.int64)), proxies)
