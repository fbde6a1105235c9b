"""Whether a neighbour map shows what a net has learned (``python -m benchmarks.maps [seeds]``).

Of default runs on each data set with three losses, each from several seeds, at some steps: the share of points whose nearest
neighbour in the map, as a browser makes it, is of their class, beside the same share in all dimensions (R@1). The two should be
within .05 in nine of ten cells, and within .08 in each.
"""

import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dml_viz.data.datasets import DATASETS
from dml_viz.data.eval_points import GROUPS
from dml_viz.embedding.neighbour_map import whole_numbers
from dml_viz.engine.recordings import trained_and_timed
from dml_viz.losses import LOSSES
from dml_viz.training.loop import subset_of
from dml_viz.training.run import Run
from tests.javascript import Evaluate, evaluating

DATA, BY_LOSSES, SEEDS, LOOKS = ("icons", "digits", "glyphs"), ("fastap", "triplet", "proxy_anchor"), 3, (1, 50, 100, 300)
CLOSE, MOST_CLOSE, FAR = 0.05, 0.9, 0.08
# The maps of a run's frames, each begun at the places of the last key frame.
MAPS = """
const { placesOf, filling } = (await asset("runs/neighbour_map.js")).kernel();
let before = null;
return given.map(([key, n, d, rows]) => {
  const places = placesOf(Uint8Array.from(rows), n, d, before);
  if (key) before = places;
  return Array.from(filling(places));
});
"""


def right(rows: NDArray[np.floating], y: NDArray[np.integer]) -> float:
    """The share of rows (n, d) whose nearest other row has their label."""
    apart = ((rows[:, None] - rows[None]) ** 2).sum(2)
    np.fill_diagonal(apart, np.inf)
    return float(np.mean(y[apart.argmin(1)] == y))


def cells(run: Run, evaluate: Evaluate) -> list[tuple[str, int, float, float]]:
    """The group, the step, R@1 and the share in the map, of a run at each look."""
    subset, frames = subset_of(run), trained_and_timed(run).frames
    found = []
    for group in GROUPS:
        members = subset.members(group)
        points = [whole_numbers(frame.z)[members] for frame in frames]
        given = [[frame.key, *rows.shape, rows.ravel().tolist()] for frame, rows in zip(frames, points, strict=True)]
        for frame, places in zip(frames, evaluate(MAPS, given), strict=True):
            if frame.step in LOOKS:
                share = right(np.array(places).reshape(-1, 2), subset.y[members])
                found.append((group, frame.step, frame.scalars[f"r1.{group}"], share))
    return found


def main(seeds: int) -> int:
    """Print the table, a line for each run, group and step, and its summary; return 1 where the map is too far off."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        evaluate = evaluating(Path(folder))
        for data, loss, seed in product(DATA, BY_LOSSES, range(seeds)):
            run = Run(dataset=DATASETS[data](), loss=LOSSES[loss](), seed=seed, device="cpu")
            for group, step, r1, share in cells(run, evaluate):
                rows.append((abs(share - r1), data, loss, seed, group, step, r1, share))
                print(f"{data:8}{loss:14}seed {seed}  {group:8}step {step:<5}R@1 {r1:.3f}  in the map {share:.3f}", flush=True)
    off = np.array([row[0] for row in rows])
    close = float((off <= CLOSE).mean())
    print(f"\n{len(rows)} cells: within {CLOSE} in {close:.1%}, at most {off.max():.3f} off, on average {off.mean():.3f}")
    for far, *what, r1, share in sorted(rows, reverse=True)[:8]:
        print(f"off by {far:.3f}: {', '.join(map(str, what))}: R@1 {r1:.3f}, in the map {share:.3f}")
    return int(close < MOST_CLOSE or off.max() > FAR)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS))
