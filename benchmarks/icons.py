"""The default run on icons, on one core (``-m benchmarks.icons``).

The target: over three seeds R@1 on unseen classes of at least 0.5 after 300 steps, raw pixels at 0.25 or below, within 15
seconds of the core, frames included. Beside the images that a run is scored on are all images of the unseen classes; the last
row disturbs its images once instead of anew at each step.
"""

import os
import sys
import time
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path

import torch

from dml_viz.data.datasets._base import split
from dml_viz.data.datasets.icons import Icons, drawing
from dml_viz.data.eval_points import evaluation_subset
from dml_viz.embedding.metrics import raw_pixel_recall, retrieval
from dml_viz.training.loop import Run, advance, begin
from dml_viz.training.step import Learner

SEEDS, STEPS = 3, 300
LEAST, MOST, SECONDS = 0.5, 0.25, 15.0


def trained(run: Run) -> tuple[list[float], float, float]:
    """R@1 on unseen classes at the steps shown, R@1 on all of their images at the end, and the seconds until then."""
    began = time.process_time()
    state, frames = advance(run, begin(run), STEPS)
    seconds = time.process_time() - began
    images = run.dataset.load()
    unseen = split(images, run.protocol).unseen
    z = Learner(run, state).embed(torch.from_numpy(images.x[unseen]).unsqueeze(1))
    shown = [frame.scalars["r1.unseen"] for frame in frames if frame.step in (50, 100, 200, STEPS)]
    return shown, retrieval(z.numpy(), images.y[unseen], (1,)).recall[1], seconds


def main() -> int:
    """Print the table; return how many targets were missed."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    began = time.process_time()
    icons = drawing.rendered_icons(Path(str(distribution(drawing.PACKAGE).locate_file(f"{drawing.PACKAGE}/fonts"))))
    print(f"drawing {len(icons['y']):,} icons: {time.process_time() - began:.1f} s")
    run = Run(device="cpu")
    images = run.dataset.load()
    unseen = split(images, run.protocol).unseen
    pixels = evaluation_subset(run.dataset, run.protocol).baseline["unseen"]
    of_all = raw_pixel_recall(images.greys(unseen), images.y[unseen])
    print(f"raw pixels: {pixels:.2f}; on all {len(unseen)} images of the unseen classes {of_all:.2f}")
    missed = int(max(pixels, of_all) > MOST)
    print(f"{'R@1 on unseen classes at step':34}{50:>7}{100:>7}{200:>7}{300:>7}{'all images':>12}{'seconds':>9}")
    for seed in range(SEEDS):
        shown, of_all, seconds = trained(replace(run, seed=seed))
        print(f"seed {seed:<29}" + "".join(f"{score:7.2f}" for score in shown) + f"{of_all:12.2f}{seconds:9.1f}", flush=True)
        missed += (shown[-1] < LEAST) + (of_all < LEAST) + (seconds > SECONDS)
    shown, of_all, seconds = trained(replace(run, dataset=Icons(afresh=False)))
    print(f"{'disturbed once, seed 0':34}" + "".join(f"{score:7.2f}" for score in shown) + f"{of_all:12.2f}{seconds:9.1f}")
    return missed


if __name__ == "__main__":
    sys.exit(main())
