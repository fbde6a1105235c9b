"""A frame: the numbers that panels draw of a run at a step; its scores by each way to search, and its diagnosis."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dml_viz.data.datasets._base import UNSEEN_CLASSES
from dml_viz.data.eval_points import GROUPS, NEIGHBOURS, evaluation_images, evaluation_subset, pixel_ranks_by_class
from dml_viz.embedding.metrics import distance_histograms, map_and_r1_across, nmi, order_correlation, pr_curve, retrieval_of
from dml_viz.embedding.pca import main_plane, share_shown, spectrum
from dml_viz.embedding.ranking import UnitRows, ranking, unit_rows
from dml_viz.embedding.sphere import normalise
from dml_viz.training.device import repeatable
from dml_viz.training.learners import learner_of
from dml_viz.training.run import Run
from dml_viz.training.state import Floats, State, start
from dml_viz.training.step import Backward, Learner

KS = (1, 2, 4, 8)
NMI_EVERY = 10  # frames; NMI takes as much time as all other metrics
COLLAPSED_BELOW = 0.2
DIVERGED_ABOVE = 1.1


def diagnosis(
    loss: float,
    first_loss: float,
    active: float,
    points: Tensor,
    called: str,
    diverged: float = DIVERGED_ABOVE,
    confirms: Callable[[], bool] = lambda: True,
) -> tuple[str, ...]:
    """Sentences on a collapse, a dead gradient or a divergence; none without a fault.

    ``loss`` and ``first_loss`` are the loss now and at the start, ``active`` is the share of the batch with a gradient, and
    ``points`` (n, d) are unit rows, which a sentence calls ``called``. A loss above ``diverged`` times the first is a divergence,
    if ``confirms()``, which is asked only then.
    """
    notes = []
    # The mean squared distance of unit vectors is 2 - 2 |mean|^2.
    spread = math.sqrt(max(0.0, 2 - 2 * float(points.double().mean(0).square().sum())))
    if spread < COLLAPSED_BELOW:
        notes.append(f"Collapse: {called} lie {spread:.3f} apart (root mean square; 1.41 when spread evenly).")
    if active == 0:
        notes.append(f"Dead gradient: 0 % of the batch has a gradient at loss {loss:.3g}; this step teaches nothing.")
    if loss > diverged * first_loss > 0 and confirms():
        notes.append(f"Divergence: the loss is {loss:.3g}, it was {first_loss:.3g} at the start; lower the learning rate.")
    return tuple(notes)


@dataclass(frozen=True, eq=False)
class Frame:
    """The numbers of ``step``: unit embeddings z (W, d) float32 of the evaluated points, and the loss's ``learnt`` tensors.

    Of these "proxies" are unit rows (classes * per_class, d). ``scalars`` are those of the step's batch ("loss", "batch": its
    size, "active": share of its points with a gradient, "grad": norm of the loss's gradient at its embeddings,
    "grad.<layer>", "mean.length" of raw rows), the curves of learnt numbers ("learnt.<curve>"), metrics of the evaluated points
    by group ("r1.seen", "map.unseen", "used.seen" of `spectrum`, ...) and the loss's bounds ("bound.positive",
    "bound.negative"); a scalar that is not measured at this step is NaN. ``arrays`` are the points to draw ("view", "proxies"),
    neighbours, histograms, spectra and curves; ``notes`` are sentences on faults. ``plane`` (d, 2) is the plane of "view" above
    three dimensions. If the points are others than in the frame before, ``arrays["y"]`` has their classes, and ``names`` the
    names of these. Later frames of a neighbour map begin at the places of a ``key`` frame.
    """

    step: int
    z: Floats
    learnt: dict[str, Floats]
    scalars: dict[str, float]
    arrays: dict[str, NDArray[Any]]
    notes: tuple[str, ...]
    plane: Floats | None = None
    names: tuple[str, ...] = ()
    key: bool = False


def frame(learner: Learner) -> Frame:
    """The frame of a learner's current step; it does not depend on how the steps were sliced."""
    run, step = learner.run, learner.step
    static = evaluation_subset(run.dataset, run.protocol)
    backward = learner.backward()
    z = evaluation_embedding(learner)
    learnt = {name: _for_picture(tensor).cpu() for name, tensor in learner.learnt.loss.items()}
    plane = None if learner.plane is None else torch.from_numpy(learner.plane)
    scalars = _of_batch(learner, backward)
    curves = [(each.curve, each.to_curve(learnt[name])) for name, each in run.loss.learns.items() if each.curve]
    scalars |= {f"learnt.{curve}": float(values.mean()) for curve, values in curves}
    if plane is not None:
        scalars["plane.share"] = share_shown(z, plane)
    arrays: dict[str, NDArray[Any]] = {"view": _view(z, plane), "near": np.zeros((len(z), NEIGHBOURS), np.uint16)}
    if "proxies" in learnt:
        arrays["proxies"] = _view(learnt["proxies"], plane)
    rows: dict[str, UnitRows] = {}
    for group in GROUPS:
        members = static.members(group)
        rows[group] = unit_rows(z[members], static.y[members])
        near, of_group, curves_of_group = neighbours_scores_and_curves(rows[group], group)
        arrays["near"][members, : near.shape[1]] = members[near]
        scalars |= of_group
        arrays |= curves_of_group
    unseen = static.members("unseen")
    clustered = step % (NMI_EVERY * run.stride) == 0 or step == run.steps
    scalars["nmi.unseen"] = nmi(rows["unseen"], seed=0) if clustered else math.nan
    for group in GROUPS:
        ranked_by_pixels = pixel_ranks_by_class(run.dataset, run.protocol, group) if clustered else ()
        scalars[f"order.{group}"] = order_correlation(rows[group], ranked_by_pixels)
    if run.loss.distance_bounds:
        scalars |= dict(zip(("bound.positive", "bound.negative"), run.loss.distance_bounds, strict=True))
    if fault := learner.failed or learner.non_finite_term():
        notes: tuple[str, ...] = (learner.failed or f"At step {step} {fault} is not finite.",)
    else:
        worse = partial(_is_first_batch_worse, learner)
        called = "the unseen points" if run.protocol == UNSEEN_CLASSES else "the held-out points"
        notes = diagnosis(scalars["loss"], _first_loss(run), scalars["active"], z[unseen], called, confirms=worse)
    values = {name: tensor.numpy() for name, tensor in learnt.items()}
    return Frame(step, z.numpy(), values, scalars, arrays, notes, learner.plane, key=run.is_map_start(step))


def neighbours_scores_and_curves(
    rows: UnitRows, group: str
) -> tuple[NDArray[np.uint16], dict[str, float], dict[str, NDArray[Any]]]:
    """The nearest neighbours (n, 8) of the points of a group, its scores by name, and its curves by name."""
    rows = rows.with_distances()
    ranked = ranking(rows, NEIGHBOURS)
    scores = retrieval_of(ranked, KS)
    scalars = {f"map.{group}": scores.map, f"mapr.{group}": scores.map_at_r}
    scalars |= {f"r{k}.{group}": scores.recall[k] for k in KS}
    _, positive, negative = distance_histograms(rows)
    shares, scalars[f"used.{group}"] = spectrum(rows.points)
    arrays: dict[str, NDArray[Any]] = {
        f"hist.pos.{group}": positive.astype(np.float32),
        f"hist.neg.{group}": negative.astype(np.float32),
        f"pr.{group}": np.stack(pr_curve(ranked), 1).astype(np.float32),
        f"spectrum.{group}": shares,
    }
    return scores.near, scalars, arrays


def fitted_plane(frame: Frame, like: Floats | None = None) -> Floats | None:
    """The plane (d, 2) that shows most of the variance of ``frame``; None up to three dimensions.

    Its two directions are turned or mirrored within the plane until they are nearest to those of the plane ``like``, if given.
    """
    if frame.plane is None:
        return None
    plane = main_plane(torch.from_numpy(frame.z)).numpy()
    if like is None or like.shape != plane.shape:
        return plane
    left, _, right = np.linalg.svd(plane.T @ like)  # P. Schönemann (1966), the orthogonal Procrustes problem
    return np.asarray(plane @ (left @ right), plane.dtype)


def in_plane(frame: Frame, plane: Floats) -> Frame:
    """The frame drawn in ``plane`` (d, 2)."""
    arrays = frame.arrays | {"view": frame.z @ plane}
    if "proxies" in frame.learnt:
        arrays["proxies"] = frame.learnt["proxies"] @ plane
    share = share_shown(torch.from_numpy(frame.z), torch.from_numpy(plane))
    return replace(frame, plane=plane, arrays=arrays, scalars=frame.scalars | {"plane.share": share})


def evaluation_embedding(learner: Learner) -> Tensor:
    """The evaluated points' embeddings (W, d) on the CPU, with 0 for numbers that are not finite."""
    run = learner.run
    return learner.embed(evaluation_images(run.dataset, run.protocol, learner.weights.device)).nan_to_num(0, 0, 0).cpu()


@lru_cache(maxsize=64)
def _first_loss(run: Run) -> float:
    return float(learner_of(run, start(run)).backward().gradients.value)


def _is_first_batch_worse(learner: Learner) -> bool:
    """Whether the run's first batch has a larger loss than at the start: a later batch may have one because it is harder."""
    at_first_batch = learner_of(learner.run, replace(learner.state(), step=0, failed=""))
    return float(at_first_batch.backward().gradients.value) > DIVERGED_ABOVE * _first_loss(learner.run)


def _for_picture(tensor: Tensor) -> Tensor:
    return normalise(tensor) if tensor.ndim == 2 else tensor.clone()  # a copy, because training changes the tensor


def _view(points: Tensor, plane: Tensor | None) -> Floats:
    return (points if plane is None else points @ plane).numpy()


def _of_batch(learner: Learner, backward: Backward) -> dict[str, float]:
    at_points = backward.gradients.z
    tensors = {
        "loss": backward.gradients.value,
        "active": (at_points != 0).any(1).to(at_points.dtype).mean(),
        "grad": at_points.norm(),
        **{f"grad.{name}": learner.gradient[piece].norm() for name, piece in learner.layers.items()},
    }
    if not learner.run.loss.unit:
        tensors["mean.length"] = backward.rows.norm(dim=1).mean()
    # In one transfer from the device, which takes as long as a single number.
    numbers = torch.stack([tensor.to(at_points.dtype) for tensor in tensors.values()]).tolist()
    return {"batch": float(len(at_points)), **dict(zip(tensors, numbers, strict=True))}


def scores_by_way(run: Run, state: State) -> dict[str, dict[str, float]]:
    """mAP and R@1 of unseen points, as "map" and "r1", by the name of each way to search; empty for a method without one."""
    of_method = {name: torch.from_numpy(learned.value) for name, learned in state.learnt.method.items()}
    with repeatable():
        subset = evaluation_subset(run.dataset, run.protocol)
        unseen = subset.members("unseen")
        z = evaluation_embedding(learner_of(run, state))[unseen]
        scores = {}
        for name, (queries, searched) in run.method.extra_search_rows(z, of_method).items():
            scores[name] = dict(zip(("map", "r1"), map_and_r1_across(queries, searched, subset.y[unseen]), strict=True))
    return scores
