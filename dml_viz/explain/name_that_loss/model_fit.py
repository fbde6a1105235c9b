"""The search for the knobs of one form: how near its gradient comes to that of a batch, and at which values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq, least_squares

from dml_viz.explain.name_that_loss.model_forms import Form, ObservedBatch, search_bounds, starts, values_by_knob

SURE = 1e-3  # of the gradient's length: above the errors of single precision
POLISHED = 2  # starting values of each form that are fitted
GRID = 33  # starting values of a form with one knob
SHARES, TRIES = (1.0, 0.1, 0.01), 65  # shares of a slider that are scanned, values tried in each
FLAT = 0.01  # relative change of a knob that shows if the knob is known
SHOWS = 1e-5  # of the gradient's length or of the value: a larger change shows
PART = 0.05  # the least part of a knob in a change of several knobs that does not show


@dataclass(frozen=True, eq=False)
class Fit:
    """A form at the knobs that fit best: ``missed`` is the unexplained share of the gradient's length.

    The gradient is ``factor`` times the form's, and the value is ``value_factor`` times (None if no value is given). The
    ``unknown`` knobs change nothing in this batch.
    """

    form: Form
    knobs: Mapping[str, float]
    missed: float
    factor: float
    value_factor: float | None
    unknown: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether gradient and value are explained."""
        value = self.value_factor
        return self.explains_gradient and (value is None or any(abs(value / factor - 1) < SURE for factor in (1.0, self.factor)))

    @property
    def explains_gradient(self) -> bool:
        """Whether the gradient is explained."""
        return self.missed < SURE

    @property
    def is_unscaled(self) -> bool:
        """Whether the gradient is exactly the form's, not a multiple."""
        return abs(self.factor - 1) < SURE


class Target:
    """The value and the gradient that forms are fitted to."""

    def __init__(self, batch: ObservedBatch) -> None:
        self.batch = batch
        z, lengths = batch.z.numpy(), batch.lengths
        unit = z / lengths
        # A loss that divides rows by their lengths has no gradient along them, and its gradient is divided by the lengths.
        self.along_sphere = (batch.gradient - (batch.gradient * unit).sum(1, keepdims=True) * unit) * lengths
        self.has_lengths = np.abs(lengths - 1).max() > 1e-4
        self.tangent_alone = batch.radial < SURE
        self.unit = unit

    def starts(self, form: Form) -> list[np.ndarray]:
        """The starting values of ``form`` that are nearest to the batch."""
        return sorted(starts(form), key=lambda start: self.error(form, start))[:POLISHED]

    def comparable_gradient(self, form: Form) -> np.ndarray | None:
        """The gradient to compare with that of ``form``; None if the batch cannot come from a form of this kind."""
        if form.unit:
            return self.along_sphere if self.tangent_alone or not self.has_lengths else None
        return self.along_sphere if self.tangent_alone and not self.has_lengths else self.batch.gradient

    def value_gradient_and_target(self, form: Form, values: np.ndarray) -> tuple[float, np.ndarray, np.ndarray] | None:
        """Value and gradient of ``form`` at the values of its knobs, and the gradient to compare with; None if there is none."""
        target = self.comparable_gradient(form)
        if target is None:
            return None
        try:
            value, gradient = form.evaluate(self.batch, values_by_knob(form, values))
        except ValueError:
            return None
        if not form.unit and target is self.along_sphere:
            gradient = gradient - (gradient * self.unit).sum(1, keepdims=True) * self.unit
        return value, gradient, target

    def residuals(self, form: Form, values: np.ndarray) -> np.ndarray:
        """The errors of the gradient, at its best multiple, and then of the value, relative to the wanted ones."""
        result = self.value_gradient_and_target(form, values)
        size = self.batch.gradient.size
        if result is None or not np.isfinite(result[1]).all() or not (square := float((result[1] ** 2).sum())):
            return np.ones(size + 1)
        value, gradient, target = result
        factor = float((gradient * target).sum()) / square
        missed = (target - factor * gradient).ravel() / np.linalg.norm(target)
        return np.append(missed, self._value_missed(value, factor))

    def _value_missed(self, value: float, factor: float) -> float:
        target = self.batch.value
        if target is None:
            return 0.0
        size = max(abs(target), 1e-12)
        return min((value - target) / size, (factor * value - target) / size, key=abs)

    def knobs_matching_value(self, form: Form) -> list[np.ndarray]:
        """Values of the only knob of ``form`` at which it has the batch's value: the gradient of hinges does not lead there."""
        if self.batch.value is None or [knob.kind for knob in form.knobs] != [float]:
            return []

        def beyond(knob: float) -> float:
            result = self.value_gradient_and_target(form, np.array([knob]))
            return math.nan if result is None else result[0] - float(self.batch.value or 0)

        low, high = form.knobs[0].slider or (0.0, 1.0)
        grid = np.linspace(low, high, GRID)
        values = [beyond(knob) for knob in grid.tolist()]
        crossings = [at for at in range(GRID - 1) if values[at] * values[at + 1] < 0]
        return [np.array([brentq(beyond, grid[at], grid[at + 1])]) for at in crossings[:POLISHED]]

    def error(self, form: Form, values: np.ndarray) -> float:
        """The root of the sum of squares of the residuals."""
        return float(np.linalg.norm(self.residuals(form, values)))

    def best_fit(self, form: Form, starts: Sequence[np.ndarray]) -> Fit:
        """The first fit of ``form`` near one of ``starts`` that explains the batch, or the best of all."""
        fits: list[Fit] = []
        for start in starts:
            best = start
            for index in (index for index, knob in enumerate(form.knobs) if knob.kind is int):
                low, high = map(round, form.knobs[index].slider or (start[index], start[index]))
                best = self._best_of(form, best, index, np.arange(low, high + 1))
            fits.append(self._fitted(form, self._descended(form, best)))
            if fits[-1].fits:
                return fits[-1]
        return min(fits, key=lambda fit: fit.missed)

    def scanned(self, fit: Fit) -> Fit:
        """A better fit than ``fit`` of a form with hinges: its knobs are tried one by one, ever closer.

        A hinge has the same gradient for many values of its bound, so descent does not find the bound.
        """
        form = fit.form
        candidates = [np.array(list(fit.knobs.values())), *self.knobs_matching_value(form)]
        best = min(candidates, key=lambda values: self.error(form, values))
        for share in SHARES:
            for index, knob in enumerate(form.knobs):
                if knob.kind is float and knob.slider:
                    reach = share * (knob.slider[1] - knob.slider[0])
                    low, high = np.clip(best[index] + np.array([-reach, reach]), *search_bounds(knob))
                    best = self._best_of(form, best, index, np.linspace(low, high, TRIES))
        return self._fitted(form, self._descended(form, best))

    def _best_of(self, form: Form, values: np.ndarray, index: int, tries: np.ndarray) -> np.ndarray:
        """``values`` with the best of ``tries`` at ``index``, or unchanged if none is better."""
        others = [np.where(np.arange(len(values)) == index, value, values) for value in tries]
        return min([values, *others], key=lambda tried: self.error(form, tried))

    def _descended(self, form: Form, start: np.ndarray) -> np.ndarray:
        """The least squares of the residuals near ``start``; whole numbers are not changed."""
        free = [index for index, knob in enumerate(form.knobs) if knob.kind is float]
        if not free:
            return start
        low, high = np.array([search_bounds(form.knobs[index]) for index in free]).T

        def at(values: np.ndarray) -> np.ndarray:
            whole = start.copy()
            whole[free] = values
            return whole

        solution = least_squares(
            lambda values: self.residuals(form, at(values)),
            np.clip(start[free], low + 1e-9, high - 1e-9),
            bounds=(low, high),
            x_scale=np.maximum(np.abs(start[free]), 0.05),
            diff_step=1e-6,
            xtol=1e-12,
            ftol=1e-14,
            gtol=1e-14,
            max_nfev=60,
        )
        return at(solution.x)

    def _fitted(self, form: Form, values: np.ndarray) -> Fit:
        """The fit of ``form`` at ``values`` of its knobs."""
        evaluated = self.value_gradient_and_target(form, values)
        if evaluated is None or not float((evaluated[1] ** 2).sum()):
            return Fit(form, values_by_knob(form, values), 1.0, 1.0, None)
        value, gradient, target = evaluated
        factor = float((gradient * target).sum() / (gradient**2).sum())
        missed = float(np.linalg.norm(target - factor * gradient) / np.linalg.norm(target))
        given = self.batch.value
        # A value of zero has no multiples.
        times = None if given is None else given / value if value else (1.0 if abs(given) < 1e-9 else math.inf)
        return Fit(form, values_by_knob(form, values), missed, factor, times)

    def with_value(self, fit: Fit) -> Fit:
        """A fit to the gradient alone, with what it makes of the value."""
        return replace(fit, value_factor=self._fitted(fit.form, np.array(list(fit.knobs.values()))).value_factor)

    def undetermined_knobs(self, fit: Fit) -> tuple[str, ...]:
        """The knobs that can change, alone or together, without a change of gradient or value."""
        values = np.array(list(fit.knobs.values()), float)
        before = self._signature(fit.form, values)
        assert before is not None
        columns = []
        for index, knob in enumerate(fit.form.knobs):
            step = max(1.0, FLAT * values[index]) if knob.kind is int else max(abs(values[index]), 0.05) * FLAT
            moves = (self._signature(fit.form, values + sign * step * (np.arange(len(values)) == index)) for sign in (-1, 1))
            changes = [move - before for move in moves if move is not None]
            columns.append(max(changes, key=np.linalg.norm, default=np.zeros_like(before)))
        if not columns:
            return ()
        _, sizes, directions = np.linalg.svd(np.stack(columns, 1), full_matrices=False)
        free = directions[sizes < SHOWS]
        return tuple(knob.name for index, knob in enumerate(fit.form.knobs) if np.abs(free[:, index]).max(initial=0) > PART)

    def zeroed(self, fit: Fit) -> Fit:
        """The fit with 0 for each known knob whose 0 explains the batch as well: a search ends beside it."""
        values = np.array(list(fit.knobs.values()), float)
        for index, knob in enumerate(fit.form.knobs):
            nothing = values * (np.arange(len(values)) != index)
            allowed = knob.kind is float and search_bounds(knob)[0] <= 0 and knob.name not in fit.unknown
            if allowed and values[index] and self._alike(fit.form, values, nothing):
                values = nothing
        return replace(self._fitted(fit.form, values), unknown=fit.unknown)

    def _alike(self, form: Form, values: np.ndarray, other: np.ndarray) -> bool:
        """Whether the difference between two sets of knobs does not show."""
        before, after = self._signature(form, values), self._signature(form, other)
        return before is not None and after is not None and float(np.linalg.norm(after - before)) < SHOWS

    def _signature(self, form: Form, values: np.ndarray) -> np.ndarray | None:
        """Gradient and value in one row, each relative to the wanted one; None if the form has none."""
        result = self.value_gradient_and_target(form, values)
        if result is None:
            return None
        share = result[1].ravel() / np.linalg.norm(result[2])
        return np.append(share, 0.0 if self.batch.value is None else result[0] / max(abs(self.batch.value), 1e-12))
