"""What a run shows: the points it watches, and a frame of them at a step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dml_viz.dataset import Dataset, split, watched
from dml_viz.learner import Backward, Learner
from dml_viz.metrics import distance_histograms, nmi, pr_curve_of, raw_pixel_recall, retrieval_of
from dml_viz.ranking import ranking
from dml_viz.run import Run
from dml_viz.sphere import normalise
from dml_viz.state import Floats, start

KS = (1, 2, 4, 8)
NEIGHBOURS = 8
NMI_EVERY = 10
DRAWN_UP_TO = 3
COLLAPSED_BELOW = 0.05
DIVERGED_ABOVE = 1.1
GROUPS = ("seen", "unseen")


@dataclass(frozen=True, eq=False)
class WatchedSubject:
    """The part of a run's picture that does not change: W watched points, at most 500, each seen or unseen.

    ``y`` (W,) int64 indexes ``names`` and ``categories``; ``unseen`` (W,) bool; ``images`` (W, H, W) uint8;
    ``train_classes`` tells which class each row of a learnt tensor stands for; ``baseline`` is R@1 of the raw pixels among
    the seen and among the unseen points, what an embedding has to beat.
    """

    y: NDArray[np.int64]
    unseen: NDArray[np.bool_]
    images: NDArray[np.uint8]
    names: tuple[str, ...]
    categories: tuple[int, ...]
    category_names: tuple[str, ...]
    train_classes: tuple[int, ...]
    baseline: dict[str, float]

    def members(self, group: str) -> NDArray[np.intp]:
        """The indices of the points of "seen" or "unseen"."""
        return np.flatnonzero(self.unseen == (group == "unseen"))


@dataclass(frozen=True, eq=False)
class Frame:
    """What panels draw of ``step``: embeddings z (W, d) float32 of the watched points and ``learnt`` unit rows (classes, d).

    ``scalars`` are told of the batch of this step ("loss", "active": share of its points with a gradient, "grad": norm of the
    loss's gradient at its embeddings, "grad.<layer>") and of the watched points by group ("r1.seen", "map.unseen", ...); what
    is not measured at this step is NaN. ``arrays`` hold the drawn points ("view"), neighbours, histograms and curves;
    ``notes`` say what is wrong, if something is.
    """

    step: int
    z: Floats
    learnt: dict[str, Floats]
    scalars: dict[str, float]
    arrays: dict[str, NDArray[Any]]
    notes: tuple[str, ...]


@lru_cache(maxsize=8)
def watched_points(dataset: Dataset, protocol: str) -> WatchedSubject:
    """The points that every run on ``dataset`` under ``protocol`` watches."""
    images = dataset.load()
    parts = split(images, protocol)
    chosen, unseen = watched(images, parts)
    members = {group: chosen[unseen == (group == "unseen")] for group in GROUPS}
    baseline = {group: raw_pixel_recall(images.x[indices], images.y[indices]) for group, indices in members.items()}
    grey = np.round(images.x[chosen] * 255).astype(np.uint8)
    return WatchedSubject(
        images.y[chosen],
        unseen,
        grey,
        images.names,
        images.categories,
        images.category_names,
        parts.train_classes,
        baseline,
    )


@lru_cache(maxsize=8)
def _watched_images(dataset: Dataset, protocol: str, device: torch.device) -> Tensor:
    images = dataset.load()
    chosen, _ = watched(images, split(images, protocol))
    return torch.from_numpy(images.x[chosen]).unsqueeze(1).to(device)


@lru_cache(maxsize=64)
def _first_loss(run: Run) -> float:
    return float(Learner(run, start(run)).backward().gradients.value)


def watched_embedding(learner: Learner) -> Tensor:
    """The watched points' embeddings (W, d) on the CPU; where weights have grown beyond all bounds, zeros."""
    run = learner.run
    return learner.embed(_watched_images(run.dataset, run.protocol, learner.weights.device)).nan_to_num(0, 0, 0).cpu()


def main_plane(z: Tensor) -> Floats:
    """The plane (d, 2) through the origin that shows most of the variance of z (W, d); an axis has its largest entry positive."""
    points = z.double() - z.double().mean(0)
    axes = torch.linalg.eigh(points.T @ points).eigenvectors[:, -2:].flip(1)  # (d, 2)
    largest = axes.gather(0, axes.abs().argmax(0, keepdim=True))
    return (axes * largest.sign()).float().numpy()


def frame(learner: Learner) -> Frame:
    """The frame of a learner's current step; nothing of it depends on the steps' slicing."""
    run, step = learner.run, learner.step
    static = watched_points(run.dataset, run.protocol)
    said = learner.backward()
    z = watched_embedding(learner)
    learnt = {name: normalise(tensor.detach()).cpu().numpy() for name, tensor in learner.learnt.items()}
    scalars = _batch_scalars(learner, said)
    arrays: dict[str, NDArray[Any]] = {"view": _view(z.numpy(), learner.plane)}
    near = np.zeros((len(z), NEIGHBOURS), np.uint16)
    for group in GROUPS:
        members = static.members(group)
        points, y = z[members], static.y[members]
        ranked = ranking(points, y, NEIGHBOURS)
        scores = retrieval_of(ranked, KS)
        scalars |= {f"map.{group}": scores.map, f"mapr.{group}": scores.map_at_r}
        scalars |= {f"r{k}.{group}": scores.recall[k] for k in KS}
        near[members, : scores.near.shape[1]] = members[scores.near]
        _, positive, negative = distance_histograms(points, y)
        arrays |= {f"hist.pos.{group}": positive.astype(np.float32), f"hist.neg.{group}": negative.astype(np.float32)}
        arrays[f"pr.{group}"] = np.stack(pr_curve_of(ranked), 1).astype(np.float32)
    unseen = static.members("unseen")
    counted = step % (NMI_EVERY * run.every) == 0 or step == run.steps
    scalars["nmi.unseen"] = nmi(z[unseen], static.y[unseen], seed=0) if counted else math.nan
    if learner.plane is not None:
        scalars["plane.share"] = _share_shown(z.numpy(), learner.plane)
    arrays["near"] = near
    for rows in learnt.values():
        arrays["learnt"] = _view(rows, learner.plane)
    return Frame(step, z.numpy(), learnt, scalars, arrays, _notes(learner, said, scalars, z[unseen]))


def _view(points: Floats, plane: Floats | None) -> Floats:
    return points if plane is None else points @ plane


def _share_shown(z: Floats, plane: Floats) -> float:
    spread = z - z.mean(0)
    total = float(np.square(spread).sum())
    return float(np.square(spread @ plane).sum()) / total if total else math.nan


def _batch_scalars(learner: Learner, said: Backward) -> dict[str, float]:
    at_points = said.gradients.z
    scalars = {
        "loss": float(said.gradients.value),
        "active": float((at_points != 0).any(1).float().mean()),
        "grad": float(at_points.norm()),
    }
    assert learner.weights.grad is not None
    return scalars | {
        f"grad.{name}": float(learner.weights.grad[piece].norm()) for name, piece in learner.layers.items()
    }


def _notes(learner: Learner, said: Backward, scalars: dict[str, float], unseen: Tensor) -> tuple[str, ...]:
    if said.fault:
        return (learner.failed or f"At step {learner.step} {said.fault} is not finite.",)
    notes = []
    # The mean squared distance of unit vectors is 2 - 2 |mean|^2.
    spread = math.sqrt(max(0.0, 2 - 2 * float(unseen.double().mean(0).square().sum())))
    if spread < COLLAPSED_BELOW:
        notes.append(
            f"Collapse: the unseen points lie {spread:.3f} apart (root mean square; 1.41 for points spread evenly)."
        )
    if scalars["active"] == 0:
        notes.append(
            f"Dead gradient: 0 % of the batch has a gradient at loss {scalars['loss']:.3f}, so this step changes nothing."
        )
    first = _first_loss(learner.run)
    if scalars["loss"] > DIVERGED_ABOVE * first > 0:
        notes.append(
            f"Divergence: the loss is {scalars['loss']:.3g}, it was {first:.3g} at the start; lower the learning rate."
        )
    return tuple(notes)
