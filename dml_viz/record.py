"""Make the recorded run that the start page plays: ``python -m dml_viz.record [path]``, by default assets/recorded/start.bin.

All ten digits on the circle, shown and scored by images that were kept out of training, a frame every few steps so that
the points are seen to move. The run is seeded and on the CPU: made again on the same kind of machine, the file is the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dml_viz.datasets.digits import Digits
from dml_viz.engine.files import ASSETS
from dml_viz.engine.recorded import record
from dml_viz.losses.fastap import FastAP
from dml_viz.nets.mlp import MLP
from dml_viz.samplers.p_by_k import PByK
from dml_viz.training import Run

START = Run(
    Digits(),
    "all classes",
    MLP(),
    dim=2,
    loss=FastAP(),
    sampler=PByK(10, 16),
    lr=0.003,
    seed=0,
    steps=300,
    every=4,
    device="cpu",
)


def main(arguments: list[str]) -> None:
    """Record to the path given, or where the start page reads."""
    path = Path(arguments[0]) if arguments else ASSETS / "recorded" / "start.bin"
    print(f"{path}: {record(START, path):,} bytes, {START.steps} steps")


if __name__ == "__main__":
    main(sys.argv[1:])
