"""A formula on embeddings: its likeness to the published losses of pairs, and the flow down its gradient."""

from dataclasses import replace
from functools import cached_property

import numpy as np
import torch

from dml_viz.analysis import ACTIVE, LossResponse, around_triplet, response_to
from dml_viz.analysis.around_triplet import TripletChoice, informative_pair
from dml_viz.analysis.triplet_plane import Cut, cut
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.metrics import retrieval
from dml_viz.embedding.roles import UNSET
from dml_viz.losses import LOSSES, Loss
from dml_viz.losses.circle import Circle
from dml_viz.losses.formula import Formula
from dml_viz.room.room import NoModelError

MOST_POINTS = 128  # points at most in the comparison and in the flow
STEPS, STRIDE = 60, 0.05  # of the flow; radians by which moving points turn on average in its first step
OTHERS = {name: kind for name, kind in LOSSES.items() if not (kind().learns or kind.views)}


class Model(around_triplet.Model):
    """Embeddings under the formula, around one triplet."""

    @property
    def formula(self) -> Formula:
        """The loss that the visitor wrote."""
        assert isinstance(self.settings.loss, Formula)
        return self.settings.loss

    @cached_property
    def sampled_embeddings(self) -> Embeddings:
        """The embeddings of at most `MOST_POINTS` of the points, of every class."""
        every = -(-len(self.y) // MOST_POINTS)
        return self.embeddings.part(torch.argsort(self.embeddings.y, stable=True)[::every])

    @cached_property
    def gradients_of_losses(self) -> dict[str, np.ndarray]:
        """The gradient, along the sphere, of each published loss without proxies, by its title."""
        return {kind.title: _gradient(self.sampled_embeddings, kind()) for kind in OTHERS.values()}

    @cached_property
    def cosines_with_losses(self) -> dict[str, float]:
        """The cosine of the formula's gradient with each of `gradients_of_losses`, the most alike first; NaN where one is 0."""
        tangent = _gradient(self.sampled_embeddings, self.formula)
        cosines = {title: _cosine(tangent, of_loss) for title, of_loss in self.gradients_of_losses.items()}
        return dict(sorted(cosines.items(), key=lambda title_and_cosine: -np.nan_to_num(title_and_cosine[1], nan=-2)))

    @cached_property
    def flow_states(self) -> tuple[LossResponse, ...]:
        """The states of the points along the gradient flow."""
        start = response_to(self.sampled_embeddings, self.formula)
        lengths = start.tangent_lengths
        moved = lengths[lengths > ACTIVE * lengths.max(initial=0)]
        return tuple(start.flow(STEPS, STRIDE / float(moved.mean()) if len(moved) else 0.0, 0.0))

    @property
    def map_before_and_after(self) -> tuple[float, float]:
        """Mean average precision before and after the flow."""
        first, last = (
            retrieval(at.inputs.z.numpy(), at.inputs.y.numpy()).map for at in (self.flow_states[0], self.flow_states[-1])
        )
        return first, last

    @cached_property
    def circle_loss_cut(self) -> Cut:
        """The cut at the same s_p through the plane of the circle loss, with m and gamma of the formula."""
        formula = self.formula
        return cut(Circle(margin=min(max(formula.m, 0.0), 1.0), gamma=formula.gamma), self.cut.s_p)


def model(embeddings: Embeddings, settings: TripletChoice) -> Model:
    """The model of the formula on ``embeddings``; without a picked triplet, around a triplet that shows the formula well.

    `NoModelError` where the formula or its gradient is not finite on these points.
    """
    response = response_to(embeddings, settings.loss)
    if not (np.isfinite(response.value) and np.isfinite(response.tangent).all()):
        raise NoModelError(_undefined(settings.loss))
    if settings.positive == settings.negative == UNSET:
        positive, negative = informative_pair(embeddings, settings.loss, settings.anchor)
        settings = replace(settings, positive=positive, negative=negative)
    return Model(embeddings, settings)


def _undefined(formula: Loss) -> str:
    assert isinstance(formula, Formula)
    letters = sorted(formula.tree.knobs)
    at = f" at {' and '.join(f'{name} = {getattr(formula, name):g}' for name in letters)}" if letters else ""
    change = f"Move {' or '.join(letters)}, change the formula" if letters else "Change the formula"
    return f"The formula has no finite value or slope on these points{at}. {change}, or take other points."


def _gradient(embeddings: Embeddings, loss: Loss) -> np.ndarray:
    """The gradients (N, d) along the sphere, 0 where they are rounding errors."""
    response = response_to(embeddings, loss)
    return np.where(response.tangent_lengths[:, None] > 0, response.tangent, 0)


def _cosine(first: np.ndarray, second: np.ndarray) -> float:
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float((first * second).sum()) / lengths if lengths else float("nan")
