"""Make the recordings that pages open with: ``python -m dml_viz.engine.record [name ...]``, by default all, in assets/recorded.

The start page's run: all ten digits on the circle, shown and scored by images that were kept out of training, a frame every
few steps so that the points are seen to move. The race page's race: the one that it opens with. Both are seeded and on the
CPU: made again on the same kind of machine the files are the same, but for the seconds that the race took.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType

from dml_viz.assets import ASSETS
from dml_viz.data.datasets.digits import Digits
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.engine.recorded import record, record_race
from dml_viz.losses import LOSSES
from dml_viz.losses.fastap import FastAP
from dml_viz.training.loop import Run
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.race import Race
from dml_viz.training.race_url import FIRST, read_racers

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


FIELD = read_racers(FIRST, LOSSES)
RACE = Race(Run(device="cpu"), FIELD, seeds=3)
# What the files of assets/recorded hold, by their names without the suffix.
RECORDED: Mapping[str, Run | Race] = MappingProxyType({"start": START, "race": RACE})
FOLDER = ASSETS / "recorded"


def main(names: list[str]) -> int:
    """Record what is named, or everything; 2 for a name that is not known."""
    if unknown := [name for name in names if name not in RECORDED]:
        print(f"no recording is called {', '.join(unknown)}; there are {', '.join(RECORDED)}", file=sys.stderr)
        return 2
    for name in names or RECORDED:
        path, trained = FOLDER / f"{name}.bin", RECORDED[name]
        size = record_race(trained, path) if isinstance(trained, Race) else record(trained, path)
        print(f"{path.name}: {size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
