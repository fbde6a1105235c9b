"""The forms that a batch's value and gradient may come from: every loss here in every form, and wrong forms of it."""

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import torch
from scipy.stats import qmc
from torch import Tensor

from dml_viz.embedding.sphere import normalise, tangent
from dml_viz.explain.name_that_loss.model_errors import AMONG_ROWS, WITH_PROXIES, Mistake
from dml_viz.losses import LOSSES, Loss, Pairs, Shape
from dml_viz.params import Param, params
from dml_viz.registry import name_of

STARTS = 12  # starting values between the ends of the sliders


@dataclass(frozen=True, eq=False)
class ObservedBatch:
    """Input and output of a loss: rows z (N, d), labels y (N,), its value, and the gradient (N, d) at z.

    ``learnt`` are tensors with rows for each class, by the names of the losses here; ``value`` is None if unknown.
    """

    z: Tensor
    y: Tensor
    gradient: np.ndarray
    value: float | None = None
    learnt: Mapping[str, Tensor] = field(default_factory=dict)

    @property
    def proxies(self) -> Tensor | None:
        """The proxies (M, d), class by class, if they are known."""
        return self.learnt.get("proxies")

    @property
    def lengths(self) -> np.ndarray:
        """The lengths (N, 1) of the rows."""
        return torch.linalg.vector_norm(self.z, dim=1, keepdim=True).numpy()

    @property
    def radial(self) -> float:
        """The share of the gradient's length along the rows, in [0, 1]; 0 if the loss ignores the rows' lengths."""
        z = self.z.numpy() / self.lengths
        along = (self.gradient * z).sum(1)
        return float(np.linalg.norm(along)) / max(float(np.linalg.norm(self.gradient)), 1e-300)


@dataclass(frozen=True, eq=False)
class Form:
    """One form of a loss: its title, the switches that select it, and its free knobs.

    ``evaluate`` returns value and gradient (N, d) of a batch at values of the knobs. ``error`` says what is wrong with the form
    if it is no paper's loss. ``unit`` is whether rows are divided by their lengths first.
    """

    name: str
    title: str
    switches: Mapping[str, Any]
    knobs: tuple[Param, ...]
    evaluate: "Evaluator" = field(compare=False)
    unit: bool = True
    error: str = ""


# The value and the gradient (N, d) of a form on a batch at values of its knobs.
Evaluator: TypeAlias = Callable[[ObservedBatch, Mapping[str, float]], tuple[float, np.ndarray]]


# The tensors that a file may have for losses that learn them: what is a single number is fitted instead.
WITH_ROWS = {each.name: each for kind in LOSSES.values() for each in kind.learnable if each.shape is not Shape.NUMBER}


def forms(batch: ObservedBatch) -> Iterator[Form]:
    """Every form that ``batch`` can come from."""
    for loss in _variants():
        if not set(loss.learns) - set(batch.learnt):
            yield _form(loss)
    yield from map(_mistaken, AMONG_ROWS if batch.proxies is None else (*AMONG_ROWS, *WITH_PROXIES))


def losses_not_tried(batch: ObservedBatch) -> dict[str, list[str]]:
    """The losses that need a learnt tensor which ``batch`` lacks, by the tensor's name, each with the switch that needs it."""
    titles: dict[str, list[str]] = {}
    for kind in LOSSES.values():
        for tensor in kind.learnable:
            if tensor.name in WITH_ROWS and tensor.name not in batch.learnt:
                title = f"{kind.title} ({tensor.switch.replace('_', ' ')})" if tensor.switch else kind.title
                titles.setdefault(tensor.name, []).append(title)
    return titles


def _variants() -> Iterator[Loss]:
    """Every loss at each setting of its switches, numbers that it may learn fixed: their gradient at the rows is the same."""
    for kind in LOSSES.values():
        of_numbers = {each.switch for each in kind.learnable if each.shape is Shape.NUMBER}
        switches = [knob for knob in params(kind) if knob.kind in (bool, str)]
        for values in product(*(_settings(knob, of_numbers) for knob in switches)):
            settings = dict(zip((knob.name for knob in switches), values, strict=True))
            if all(knob.has_effect(settings) for knob in switches):
                yield kind(**settings)


def _settings(knob: Param, of_numbers: Set[str]) -> tuple[Any, ...]:
    if knob.name in of_numbers:
        return (False,)
    return (False, True) if knob.kind is bool else knob.choices


def _form(loss: Loss) -> Form:
    """The form of a loss at its switches; its numbers are free, but for starts of what is learnt."""
    kind = type(loss)
    switches = {knob.name: getattr(loss, knob.name) for knob in params(kind) if knob.kind in (bool, str)}
    free = tuple(knob for knob in params(kind) if knob.name not in (*switches, *loss.learns) and knob.has_effect(switches))
    return Form(name_of(loss), _title(kind, switches), switches, free, _evaluator(kind, switches), loss.unit)


def _title(kind: type[Loss], switches: Mapping[str, Any]) -> str:
    on = [value if isinstance(value, str) else name.replace("_", " ") for name, value in switches.items() if value]
    return f"{kind.title} ({', '.join(on)})" if on else kind.title


def _evaluator(kind: type[Loss], switches: Mapping[str, Any]) -> Evaluator:
    def evaluate(batch: ObservedBatch, values: Mapping[str, float]) -> tuple[float, np.ndarray]:
        loss = _made(kind, switches, values)
        z = normalise(batch.z) if loss.unit else batch.z
        learnt = {name: batch.learnt[name] for name in loss.learns}
        loss.check_batch(z, batch.y, **learnt)
        gradients = loss.gradients(z, batch.y, **learnt)
        return float(gradients.value), gradients.z.numpy()

    return evaluate


def _made(kind: type[Loss], switches: Mapping[str, Any], values: Mapping[str, float]) -> Loss:
    """The loss at values of its knobs, whole numbers rounded."""
    whole = {knob.name for knob in params(kind) if knob.kind is int}
    return kind(**switches, **{name: round(value) if name in whole else float(value) for name, value in values.items()})


def _mistaken(mistake: Mistake) -> Form:
    """The form of a mistake."""
    kind = LOSSES[mistake.name]
    switches = {knob.name: mistake.switches.get(knob.name, knob.default) for knob in params(kind) if knob.kind in (bool, str)}
    free = mistake.knobs or tuple(knob.name for knob in params(kind) if knob.has_effect(switches))
    knobs = tuple(knob for knob in params(kind) if knob.name in free and knob.name not in switches)

    def evaluate(batch: ObservedBatch, values: Mapping[str, float]) -> tuple[float, np.ndarray]:
        z = (normalise(batch.z) if mistake.unit else batch.z).clone().requires_grad_()
        proxies = normalise(batch.proxies) if mistake in WITH_PROXIES and batch.proxies is not None else None
        if proxies is not None and mistake.cut == (int(batch.y.max()) < len(proxies)):
            raise ValueError("these are proxies of other classes")
        with torch.enable_grad():
            pairs = Pairs(z, batch.y) if proxies is None else Pairs(z, batch.y, proxies, torch.arange(len(proxies)))
            result = mistake.of_pairs(_made(kind, switches, values), pairs)
            value, sloped = result if isinstance(result, tuple) else (result, result)
            [gradient] = torch.autograd.grad(sloped, z)
        return float(value.detach()), (tangent(gradient, z.detach()) if mistake.unit else gradient).numpy()

    return Form(mistake.name, _title(kind, mistake.switches), switches, knobs, evaluate, mistake.unit, mistake.error)


def values_by_knob(form: Form, values: np.ndarray) -> dict[str, float]:
    """The ``values`` of the form's knobs by name."""
    return {knob.name: float(value) for knob, value in zip(form.knobs, values, strict=True)}


def starts(form: Form) -> list[np.ndarray]:
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


def search_bounds(knob: Param) -> tuple[float, float]:
    """The bounds of a knob in fits: its domain, cut to ten times its slider."""
    domain, (low, high) = knob.domain, knob.slider or (knob.default, knob.default)
    wide = 10 * max(abs(low), abs(high), 1e-3)
    edge = 1e-6 * wide
    return max(domain.low + edge * domain.open_low, -wide), min(domain.high - edge * domain.open_high, wide)
