"""Retrieval of papers of CVPR 2019 on metric learning in percent, as a survey gathers it.

The survey has more: four K, and SOP and In-shop besides these two data sets. Not every number is sure to be what its column
says, as DSML's second shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Recall(NamedTuple):
    """R@1, and the number in the column of R@2."""

    first: float
    second: float


CUB: Mapping[str, Recall] = MappingProxyType({
    "Discriminative": Recall(51.43, 64.23), "RLL-(L,M,H)": Recall(61.3, 72.7), "SCHE": Recall(66.2, 76.3),
    "MS": Recall(65.7, 77.0), "DE-DSP": Recall(53.6, 65.5), "DCES": Recall(65.9, 76.6), "DSML": Recall(51.6, 54.9),
    "RRM": Recall(55.1, 66.5), "HDML": Recall(53.7, 65.7),
})  # fmt: skip
CARS: Mapping[str, Recall] = MappingProxyType({
    "Discriminative": Recall(68.31, 78.21), "RLL-(L,M,H)": Recall(82.1, 89.3), "SCHE": Recall(91.7, 95.3),
    "MS": Recall(84.1, 90.4), "DE-DSP": Recall(72.9, 81.6), "DCES": Recall(84.6, 90.7), "DSML": Recall(49.1, 52.4),
    "RRM": Recall(73.5, 82.6), "HDML": Recall(79.1, 87.1),
})  # fmt: skip
