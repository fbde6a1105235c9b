"""All losses on the same embeddings: the response of each, and the panels, flows and cosines drawn from them."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.cluster.hierarchy import dendrogram, linkage
from scipy.spatial.distance import squareform

from dml_viz.analysis import LossInputs, LossResponse
from dml_viz.embedding.embeddings import Embeddings, EmbeddingsModel
from dml_viz.embedding.scene import MOST_CLASSES
from dml_viz.explain.gradients.model_flow import Flow, flow, step_rates
from dml_viz.explain.gradients.model_inputs import loss_input_of_run, loss_input_of_scene
from dml_viz.explain.gradients.model_panels import (
    AMBIENT,
    DRAWN_UP_TO,
    LARGEST_ZOOM,
    QUARTERS,
    TENTHS,
    UNIT_MEAN,
    Panel,
    Points,
    arrow_factors,
    flattened,
)
from dml_viz.losses import Loss
from dml_viz.registry import name_of
from dml_viz.room.room import NoModelError

MOST_PARTNERS = 1000  # partners of points that the picture of a loss gets at most
STEPS, STEPS_OF_MANY, MANY_POINTS = 60, 30, 64  # of a flow; of a flow of more than so many points; so many points
LEAST_PARTNERS = 8  # partners of a point at least, if there are so many


@dataclass(frozen=True)
class Settings:
    """The losses, how their panels are drawn and how their flows go; of a run also its loss and the classes it is trained on.

    ``scale`` is "raw" or "unit mean", ``part`` "tangent" or "ambient", ``draw`` "per point", "per pair" or "one point", of which
    ``query`` is that point; ``view`` is the side of the sphere. ``batch`` is how many points of a run the losses get.
    """

    losses: tuple[Loss, ...]
    run_loss: Loss | None = None
    trained: tuple[int, ...] | None = None
    scale: str = UNIT_MEAN
    part: str = "tangent"
    draw: str = "per point"
    query: int = 0
    view: str = "235_24"
    batch: str = "128"
    turned: str = ""  # the loss whose knobs are shown
    stride: float = 0.05  # radians by which points turn on average in a flow's first step
    learnt_fixed: bool = False  # whether learnt tensors are fixed while the points flow
    step: int = 0  # of the flows
    paper: bool = False  # whether all panels are also drawn as one figure


@dataclass(frozen=True, eq=False)
class Likeness:
    """How alike the gradients of L losses are: their cosines (L, L), sorted by ``order`` (L,), and the tree that orders them.

    The cosine with a gradient of 0 is NaN. A row of ``tree_x`` and ``tree_y`` (L - 1, 4) is the bracket of one merge: places in
    the order, and heights 1 - cosine.
    """

    order: tuple[int, ...]
    cosines: np.ndarray
    tree_x: np.ndarray
    tree_y: np.ndarray


class Model(EmbeddingsModel[Settings]):
    """Embeddings under several losses, each called by its file."""

    @cached_property
    def losses(self) -> dict[str, Loss]:
        """The losses by name."""
        return {name_of(loss): loss for loss in self.settings.losses}

    @cached_property
    def titles(self) -> dict[str, str]:
        """The title of each loss, in the form that its knobs select."""
        return {name: loss.name for name, loss in self.losses.items()}

    @cached_property
    def inputs(self) -> dict[str, LossInputs]:
        """The input of each loss."""
        run_loss, trained = self.settings.run_loss, self.settings.trained
        if trained is None:
            return {name: loss_input_of_scene(loss, self.embeddings, MOST_CLASSES) for name, loss in self.losses.items()}
        return {name: loss_input_of_run(loss, self.embeddings, loss == run_loss, trained) for name, loss in self.losses.items()}

    @cached_property
    def responses(self) -> dict[str, LossResponse]:
        """The response of each loss to the embeddings; ValueError if a loss refuses them."""
        for name, loss in self.losses.items():
            inputs = self.inputs[name]
            loss.check_batch(inputs.z, inputs.y, **inputs.learnt)
        return {name: LossResponse(loss, self.inputs[name]) for name, loss in self.losses.items()}

    @cached_property
    def likeness(self) -> Likeness:
        """The cosines between the losses' gradients along the sphere, with the tree that sorts them."""
        return likeness(
            [np.where(response.tangent_lengths[:, None] > 0, response.tangent, 0) for response in self.responses.values()]
        )

    @cached_property
    def points(self) -> Points:
        """The points as drawn: above three dimensions in the plane, enlarged so that they and all proxies fill the picture.

        The enlargement changes in steps, and so seldom during a run.
        """
        plane, circle = self.embeddings.plane, self.dim == 2
        places = flattened(self.z, plane)
        if self.dim <= DRAWN_UP_TO:
            return Points(places, self.y, circle)
        proxies = (response.inputs.proxies for response in self.responses.values())
        every = np.concatenate([places, *(flattened(rows.numpy(), plane) for rows in proxies if rows is not None)])
        x, y = (np.round(TENTHS * (every.max(0) + every.min(0)) / 2) / TENTHS).tolist()
        far = float(np.abs(every - (x, y)).max())
        zoom = math.floor(QUARTERS * min(1 / far, LARGEST_ZOOM)) / QUARTERS if far else 1.0
        points = Points(places, self.y, circle, zoom, (x, y)) if zoom > 1 else Points(places, self.y, circle)
        return replace(points, places=points.enlarged(places))

    @cached_property
    def panels(self) -> list[Panel]:
        """A panel for each loss, with arrows along the sphere or, where the settings say so, ambient ones."""
        return [self._panel(name) for name in self.responses]

    def _panel(self, name: str) -> Panel:
        response, plane = self.responses[name], self.embeddings.plane
        ambient = self.settings.part == AMBIENT
        rows = response.raw_gradient if ambient else response.tangent
        lengths = np.linalg.norm(rows, axis=1) if ambient else response.tangent_lengths
        rows = np.where(lengths[:, None] > 0, rows, 0)
        flat, whole = flattened(rows, plane), float((rows**2).sum())
        proxies = response.inputs.proxies
        return Panel(
            name,
            response,
            flat,
            lengths,
            float((flat**2).sum()) / whole if whole else math.nan,
            *self.partners(name),
            proxies=None if proxies is None else self.points.enlarged(flattened(proxies.numpy(), plane)),
            owners=np.arange(0 if proxies is None else len(proxies)) // response.loss.per_class,
        )

    @cached_property
    def flows(self) -> dict[str, Flow]:
        """The flow of the points under each loss."""
        responses, settings = self.responses, self.settings
        by_loss = step_rates([response.tangent_lengths for response in responses.values()], settings.stride, settings.scale)
        steps = STEPS if len(self.y) <= MANY_POINTS else STEPS_OF_MANY
        return {
            name: flow(response, rate, steps, learnt_fixed=settings.learnt_fixed)
            for (name, response), rate in zip(responses.items(), by_loss, strict=True)
        }

    @cached_property
    def arrow_factors(self) -> list[float]:
        """The factor by which each loss's arrows are drawn."""
        return arrow_factors([panel.lengths for panel in self.panels], self.settings.scale)

    def partners(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """The partners (N, K) of each point with the largest weights, and these weights (N, K); proxies are numbered from N on.

        The heaviest come first; a partner without weight is -1.
        """
        weight, has_proxies = self.responses[name].weights, self.responses[name].has_proxies
        n, m = weight.shape
        many = min(m, max(LEAST_PARTNERS, MOST_PARTNERS // n))
        order = np.argsort(-np.abs(weight), axis=1, kind="stable")[:, :many]
        weight = np.take_along_axis(weight, order, 1)
        return np.where(weight == 0, -1, order + (n if has_proxies else 0)), weight

    def gradients_as_csv(self, names: Sequence[str]) -> str:
        """The per-point table as CSV: a row for each point and loss, with the gradient and its heaviest pair.

        ``names`` are the classes' names.
        """
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        axes = range(self.z.shape[1])
        at, along = [f"z{k}" for k in axes], [f"g{k}" for k in axes]
        rows.writerow(("point", "class", *at, "loss", "value", "length", *along, "radial", "heaviest partner", "weight"))
        points, labels = self.z.tolist(), self.y.tolist()
        for name, response in self.responses.items():
            partners, weights = self.partners(name)
            tangent, radial = response.tangent.tolist(), (response.raw_gradient * self.z).sum(1)
            for i, (coordinates, label) in enumerate(zip(points, labels, strict=True)):
                partner = partners[i, 0] if partners.shape[1] else -1
                other = "" if partner < 0 else f"proxy {partner - len(points)}" if partner >= len(points) else partner
                gradient = response.value, response.tangent_lengths[i], *tangent[i], radial[i]
                rows.writerow((i, names[label], *coordinates, name, *gradient, other, weights[i, 0] if partner >= 0 else ""))
        return text.getvalue()


def model(embeddings: Embeddings, settings: Settings) -> Model:
    """The model of ``embeddings`` under ``settings``; `NoModelError` without a loss."""
    if not settings.losses:
        raise NoModelError("No loss is chosen: take one or more under “Losses”, or all at one click.")
    return Model(embeddings, settings)


def likeness(gradients: Sequence[np.ndarray]) -> Likeness:
    """Compare gradients (N, d) of L losses on the same points: their cosines, and a tree by average linkage.

    A loss without a gradient counts as perpendicular to every other.
    """
    rows = np.stack([gradient.ravel() for gradient in gradients])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    cosines = np.clip(unit @ unit.T, -1, 1)
    order, x, y = [0], np.empty((0, 4)), np.empty((0, 4))
    if len(rows) > 1:
        merges = linkage(squareform(1 - cosines, checks=False), "average", optimal_ordering=True)
        tree = dendrogram(merges, no_plot=True)
        order, x, y = tree["leaves"], np.array(tree["icoord"]) / 10 - 0.5, np.array(tree["dcoord"])
    known = lengths[:, 0] > 0
    cosines = np.where(known & known[:, None], cosines, np.nan)
    return Likeness(tuple(order), cosines[np.ix_(order, order)], x, y)
