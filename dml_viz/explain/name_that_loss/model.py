"""Which loss a value and a gradient come from: every form is fitted to them, and those that fit are named."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dml_viz.explain.name_that_loss.model_fit import Fit, Target
from dml_viz.explain.name_that_loss.model_forms import Form, ObservedBatch, forms

NEAR = 0.1  # of the gradient's length: a form that misses more is not similar
FITTED = 12  # forms that are fitted, those that miss least at their starting values
LIKE = 0.5  # of the gradient's length: the largest miss of a form that is scanned


@dataclass(frozen=True, eq=False)
class Answer:
    """The result: the ``fits`` of forms that explain the batch, the likeliest first, or else the ``nearest`` form.

    The nearest form may explain the gradient, and not the value.
    """

    fits: tuple[Fit, ...]
    nearest: Fit | None

    @property
    def is_certain(self) -> bool:
        """Whether exactly one loss fits."""
        return len({(fit.form.name, fit.form.error) for fit in self.fits}) == 1


def identify(batch: ObservedBatch, progress: Callable[[float], object] = lambda _: None) -> Answer:
    """The loss that has the gradient of ``batch``; ValueError for a gradient of zeros, which any loss may have."""
    if not np.abs(batch.gradient).max(initial=0) > 0:
        raise ValueError("the gradient is zero everywhere, which every loss can give; give a batch that the loss still moves")
    target = Target(batch)
    every = list(forms(batch))
    tried: list[tuple[float, Form, list[np.ndarray]]] = []
    for index, form in enumerate(every):
        starts = target.starts(form)
        tried.append((target.error(form, starts[0]), form, starts))
        progress(0.5 * (index + 1) / len(every))
    tried.sort(key=lambda trial: trial[0])
    candidates: list[Fit] = []
    for index, (_, form, starts) in enumerate(tried[:FITTED]):
        candidates.append(target.best_fit(form, starts))
        progress(0.5 + 0.3 * (index + 1) / FITTED)
    candidates.sort(key=lambda fit: fit.missed)
    for index, fit in enumerate(candidates):
        near = fit.missed < LIKE or len(fit.form.knobs) == 1
        if not fit.fits and near and not any(other.fits and other.is_unscaled for other in candidates):
            candidates[index] = target.scanned(fit)
        progress(0.8 + 0.2 * (index + 1) / FITTED)
    if not any(fit.fits for fit in candidates):  # perhaps a hinge, whose gradient is zero at most values of its bound
        candidates += [
            target.best_fit(form, starts) for _, form, _ in tried[FITTED:] if (starts := target.knobs_matching_value(form))
        ]
    fits = tuple(target.zeroed(replace(fit, unknown=target.undetermined_knobs(fit))) for fit in candidates if fit.fits)
    if fits:
        return Answer(_simplest_first(fits), None)
    if batch.value is not None and (of_gradient := identify(replace(batch, value=None), progress).fits):
        return Answer((), target.with_value(of_gradient[0]))
    return Answer((), next((fit for fit in candidates if fit.missed < NEAR), None))


def fit_of(form: Form, batch: ObservedBatch) -> Fit:
    """The best fit of one ``form`` to ``batch``, as `identify` finds it for a form without hinges."""
    target = Target(batch)
    fit = target.best_fit(form, target.starts(form))
    return target.zeroed(replace(fit, unknown=target.undetermined_knobs(fit)))


def _simplest_first(fits: Sequence[Fit]) -> tuple[Fit, ...]:
    """Sort fits: exact gradients before multiples, losses of papers before errors, fewer knobs before more."""
    return tuple(sorted(fits, key=lambda fit: (not fit.is_unscaled, bool(fit.form.error), len(fit.form.knobs), fit.missed)))


@dataclass(frozen=True)
class Settings:
    """The batch, and the answer to it."""

    batch: ObservedBatch | None = None
    answer: Answer | None = None


@dataclass(frozen=True)
class Model:
    """A batch with the form that fits it best, or is nearest; ValueError where none is near."""

    settings: Settings

    @property
    def best(self) -> Fit:
        """The best fit."""
        answer = self.settings.answer
        fit = answer and (answer.fits[0] if answer.fits else answer.nearest)
        if not fit:
            raise ValueError("no form is near; there is nothing to draw")
        return fit

    @cached_property
    def _gradients(self) -> tuple[np.ndarray, np.ndarray]:
        assert self.settings.batch is not None
        result = Target(self.settings.batch).value_gradient_and_target(self.best.form, np.array(list(self.best.knobs.values())))
        assert result is not None
        return self.best.factor * result[1], result[2]

    @property
    def fitted(self) -> np.ndarray:
        """The gradient (N, d) of the best form, times its factor."""
        return self._gradients[0]

    @property
    def given(self) -> np.ndarray:
        """The given gradient (N, d), as it compares with a form of this kind."""
        return self._gradients[1]
