"""Which loss a value and a gradient come from: every form is fitted to them, and those that fit are named."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.optimize import brentq, least_squares
from scipy.stats import qmc

from dml_viz.explain.name_that_loss.model_forms import Batch, Form, forms
from dml_viz.params import Param

SURE = 1e-3  # of the gradient's length: above the errors of single precision
NEAR = 0.1  # a form that misses more is not similar
STARTS, FITTED, POLISHED = 12, 12, 2  # starting values tried for each form, forms that are fitted, starts of each fit
GRID = 33  # starting values of a form with one knob
LIKE, SHARES, TRIES = 0.5, (1.0, 0.1, 0.01), 65  # the largest error scanned, shares of a slider, values tried in each
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
        return self.missed < SURE and (self.value_factor is None or self._value_fits)

    @property
    def plain(self) -> bool:
        """Whether the gradient is exactly the form's, not a multiple."""
        return abs(self.factor - 1) < SURE

    @property
    def _value_fits(self) -> bool:
        assert self.value_factor is not None
        return any(abs(self.value_factor / wanted - 1) < SURE for wanted in (1.0, self.factor))


@dataclass(frozen=True, eq=False)
class Answer:
    """The result: the ``fits`` of forms that explain the batch, the likeliest first, or else the ``nearest`` form."""

    fits: tuple[Fit, ...]
    nearest: Fit | None

    @property
    def sure(self) -> bool:
        """Whether exactly one loss fits."""
        return len({(fit.form.name, fit.form.error) for fit in self.fits}) == 1


def named(batch: Batch, progress: Callable[[float], object] = lambda _: None) -> Answer:
    """The loss that has the gradient of ``batch``; ValueError for a gradient of zeros, which any loss may have."""
    if not np.abs(batch.gradient).max(initial=0) > 0:
        raise ValueError("the gradient is zero everywhere, which every loss can give; give a batch that the loss still moves")
    wanted = _Wanted(batch)
    every = list(forms(batch))
    tried: list[tuple[float, Form, list[np.ndarray]]] = []
    for place, form in enumerate(every):
        starts = wanted.starts(form)
        tried.append((wanted.error(form, starts[0]), form, starts))
        progress(0.5 * (place + 1) / len(every))
    tried.sort(key=lambda one: one[0])
    found: list[Fit] = []
    for place, (_, form, starts) in enumerate(tried[:FITTED]):
        found.append(wanted.best_fit(form, starts))
        progress(0.5 + 0.3 * (place + 1) / FITTED)
    found.sort(key=lambda fit: fit.missed)
    for place, fit in enumerate(found):
        near = fit.missed < LIKE or len(fit.form.knobs) == 1
        if not fit.fits and near and not any(other.fits and other.plain for other in found):
            found[place] = wanted.scanned(fit)
        progress(0.8 + 0.2 * (place + 1) / FITTED)
    if not any(fit.fits for fit in found):  # perhaps a hinge, whose gradient is zero at most values of its bound
        found += [wanted.best_fit(form, starts) for _, form, _ in tried[FITTED:] if (starts := wanted.by_value(form))]
    fits = tuple(wanted.zeroed(replace(fit, unknown=wanted.unknown(fit))) for fit in found if fit.fits)
    return Answer(_simplest_first(fits), None if fits else next((fit for fit in found if fit.missed < NEAR), None))


def fit_of(form: Form, batch: Batch) -> Fit:
    """The best fit of one ``form`` to ``batch``, as `named` finds it for a form without hinges."""
    wanted = _Wanted(batch)
    found = wanted.best_fit(form, wanted.starts(form))
    return wanted.zeroed(replace(found, unknown=wanted.unknown(found)))


def _simplest_first(fits: Sequence[Fit]) -> tuple[Fit, ...]:
    """Sort fits: exact gradients before multiples, losses of papers before errors, fewer knobs before more."""
    return tuple(sorted(fits, key=lambda fit: (not fit.plain, bool(fit.form.error), len(fit.form.knobs), fit.missed)))


class _Wanted:
    """The value and the gradient that forms are fitted to."""

    def __init__(self, batch: Batch) -> None:
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
        return sorted(_starts(form), key=lambda start: self.error(form, start))[:POLISHED]

    def target(self, form: Form) -> np.ndarray | None:
        """The gradient to compare with that of ``form``; None if the batch cannot come from a form of this kind."""
        if form.unit:
            return self.along_sphere if self.tangent_alone or not self.has_lengths else None
        return self.along_sphere if self.tangent_alone and not self.has_lengths else self.batch.gradient

    def evaluate(self, form: Form, values: np.ndarray) -> tuple[float, np.ndarray, np.ndarray] | None:
        """Value and gradient of ``form`` at the values of its knobs, and the gradient wanted; None if there is none."""
        target = self.target(form)
        if target is None:
            return None
        try:
            value, gradient = form.evaluate(self.batch, _named(form, values))
        except ValueError:
            return None
        if not form.unit and target is self.along_sphere:
            gradient = gradient - (gradient * self.unit).sum(1, keepdims=True) * self.unit
        return value, gradient, target

    def residuals(self, form: Form, values: np.ndarray) -> np.ndarray:
        """The errors of the gradient, at its best multiple, and then of the value, relative to the wanted ones."""
        found = self.evaluate(form, values)
        size = self.batch.gradient.size
        if found is None or not np.isfinite(found[1]).all() or not (square := float((found[1] ** 2).sum())):
            return np.ones(size + 1)
        value, gradient, target = found
        factor = float((gradient * target).sum()) / square
        missed = (target - factor * gradient).ravel() / np.linalg.norm(target)
        return np.append(missed, self._value_missed(value, factor))

    def _value_missed(self, value: float, factor: float) -> float:
        wanted = self.batch.value
        if wanted is None:
            return 0.0
        size = max(abs(wanted), 1e-12)
        return min((value - wanted) / size, (factor * value - wanted) / size, key=abs)

    def by_value(self, form: Form) -> list[np.ndarray]:
        """Where the only knob of ``form`` gives the wanted value, as the gradient of hinges does not lead there."""
        if self.batch.value is None or [knob.kind for knob in form.knobs] != [float]:
            return []

        def beyond(knob: float) -> float:
            found = self.evaluate(form, np.array([knob]))
            return math.nan if found is None else found[0] - float(self.batch.value or 0)

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
        found: list[Fit] = []
        for start in starts:
            best = start
            for place in (place for place, knob in enumerate(form.knobs) if knob.kind is int):
                low, high = map(round, form.knobs[place].slider or (start[place], start[place]))
                best = self._best_of(form, best, place, np.arange(low, high + 1))
            found.append(self._fitted(form, self._descended(form, best)))
            if found[-1].fits:
                return found[-1]
        return min(found, key=lambda fit: fit.missed)

    def scanned(self, fit: Fit) -> Fit:
        """A better fit than ``fit`` of a form with hinges: its knobs are tried one by one, ever closer.

        A hinge has the same gradient for many values of its bound, so descent does not find the bound.
        """
        form = fit.form
        candidates = [np.array(list(fit.knobs.values())), *self.by_value(form)]
        best = min(candidates, key=lambda values: self.error(form, values))
        for share in SHARES:
            for place, knob in enumerate(form.knobs):
                if knob.kind is float and knob.slider:
                    reach = share * (knob.slider[1] - knob.slider[0])
                    low, high = np.clip(best[place] + np.array([-reach, reach]), *_bounds(knob))
                    best = self._best_of(form, best, place, np.linspace(low, high, TRIES))
        return self._fitted(form, self._descended(form, best))

    def _best_of(self, form: Form, values: np.ndarray, place: int, tries: np.ndarray) -> np.ndarray:
        """``values`` with the best of ``tries`` at index ``place``, or unchanged if none is better."""
        others = [np.where(np.arange(len(values)) == place, value, values) for value in tries]
        return min([values, *others], key=lambda tried: self.error(form, tried))

    def _descended(self, form: Form, start: np.ndarray) -> np.ndarray:
        """The least squares of the residuals near ``start``; whole numbers are not changed."""
        free = [place for place, knob in enumerate(form.knobs) if knob.kind is float]
        if not free:
            return start
        low, high = np.array([_bounds(form.knobs[place]) for place in free]).T

        def at(values: np.ndarray) -> np.ndarray:
            whole = start.copy()
            whole[free] = values
            return whole

        found = least_squares(
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
        return at(found.x)

    def _fitted(self, form: Form, values: np.ndarray) -> Fit:
        """The fit of ``form`` at ``values`` of its knobs."""
        evaluated = self.evaluate(form, values)
        if evaluated is None or not float((evaluated[1] ** 2).sum()):
            return Fit(form, _named(form, values), 1.0, 1.0, None)
        value, gradient, target = evaluated
        factor = float((gradient * target).sum() / (gradient**2).sum())
        missed = float(np.linalg.norm(target - factor * gradient) / np.linalg.norm(target))
        wanted = self.batch.value
        # A value of zero has no multiples.
        times = None if wanted is None else wanted / value if value else (1.0 if abs(wanted) < 1e-9 else math.inf)
        return Fit(form, _named(form, values), missed, factor, times)

    def unknown(self, fit: Fit) -> tuple[str, ...]:
        """The knobs that can change, alone or together, without a change of gradient or value."""
        values = np.array(list(fit.knobs.values()), float)
        before = self._shown(fit.form, values)
        assert before is not None
        columns = []
        for place, knob in enumerate(fit.form.knobs):
            step = max(1.0, FLAT * values[place]) if knob.kind is int else max(abs(values[place]), 0.05) * FLAT
            moves = (self._shown(fit.form, values + sign * step * (np.arange(len(values)) == place)) for sign in (-1, 1))
            changes = [move - before for move in moves if move is not None]
            columns.append(max(changes, key=np.linalg.norm, default=np.zeros_like(before)))
        if not columns:
            return ()
        _, sizes, directions = np.linalg.svd(np.stack(columns, 1), full_matrices=False)
        free = directions[sizes < SHOWS]
        return tuple(knob.name for place, knob in enumerate(fit.form.knobs) if np.abs(free[:, place]).max(initial=0) > PART)

    def zeroed(self, fit: Fit) -> Fit:
        """The fit with 0 for each known knob whose 0 explains the batch as well: a search ends beside it."""
        values = np.array(list(fit.knobs.values()), float)
        for place, knob in enumerate(fit.form.knobs):
            nothing = values * (np.arange(len(values)) != place)
            allowed = knob.kind is float and _bounds(knob)[0] <= 0 and knob.name not in fit.unknown
            if allowed and values[place] and self._alike(fit.form, values, nothing):
                values = nothing
        return replace(self._fitted(fit.form, values), unknown=fit.unknown)

    def _alike(self, form: Form, one: np.ndarray, other: np.ndarray) -> bool:
        """Whether the difference between two sets of knobs does not show."""
        before, after = self._shown(form, one), self._shown(form, other)
        return before is not None and after is not None and float(np.linalg.norm(after - before)) < SHOWS

    def _shown(self, form: Form, values: np.ndarray) -> np.ndarray | None:
        """Gradient and value in one row, each relative to the wanted one; None if the form has none."""
        found = self.evaluate(form, values)
        if found is None:
            return None
        share = found[1].ravel() / np.linalg.norm(found[2])
        return np.append(share, 0.0 if self.batch.value is None else found[0] / max(abs(self.batch.value), 1e-12))


def _named(form: Form, values: np.ndarray) -> dict[str, float]:
    return {knob.name: float(value) for knob, value in zip(form.knobs, values, strict=True)}


def _starts(form: Form) -> list[np.ndarray]:
    """Starting values: the defaults, those of training, and others spread over the sliders."""
    if not form.knobs:
        return [np.zeros(0)]
    defaults = [np.array([float(knob.default) for knob in form.knobs])]
    if any(knob.training is not None for knob in form.knobs):
        defaults.append(np.array([float(knob.default if knob.training is None else knob.training) for knob in form.knobs]))
    low, high = np.array([knob.slider or (knob.default, knob.default) for knob in form.knobs], float).T
    whole = np.array([knob.kind is int for knob in form.knobs])
    if whole.any():  # such as a number of proxies, which allows only some values
        defaults.append(np.where(whole, low, defaults[0]))
    spread = qmc.Halton(len(form.knobs), scramble=False).random(STARTS + 1)[1:]
    return [*defaults, *(low + spread * (high - low))]


def _bounds(knob: Param) -> tuple[float, float]:
    """The bounds of a knob in fits: its domain, cut to ten times its slider."""
    domain, (low, high) = knob.domain, knob.slider or (knob.default, knob.default)
    wide = 10 * max(abs(low), abs(high), 1e-3)
    least, most = (domain.low, domain.high) if domain else (-math.inf, math.inf)
    edge = 1e-6 * wide
    return max(least + edge * bool(domain and domain.open_low), -wide), min(most - edge * bool(domain and domain.open_high), wide)


@dataclass(frozen=True)
class Settings:
    """The batch, and the answer to it."""

    batch: Batch | None = None
    answer: Answer | None = None


@dataclass(frozen=True)
class Model:
    """A batch with the form that fits it best, or is nearest; ValueError where none is near."""

    settings: Settings

    @property
    def best(self) -> Fit:
        """The best fit."""
        answer = self.settings.answer
        found = answer and (answer.fits[0] if answer.fits else answer.nearest)
        if not found:
            raise ValueError("no form is near; there is nothing to draw")
        return found

    @cached_property
    def _gradients(self) -> tuple[np.ndarray, np.ndarray]:
        assert self.settings.batch is not None
        found = _Wanted(self.settings.batch).evaluate(self.best.form, np.array(list(self.best.knobs.values())))
        assert found is not None
        return self.best.factor * found[1], found[2]

    @property
    def own(self) -> np.ndarray:
        """The gradient (N, d) of the best form, times its factor."""
        return self._gradients[0]

    @property
    def given(self) -> np.ndarray:
        """The given gradient (N, d), as it compares with a form of this kind."""
        return self._gradients[1]
