"""What a batch's value and gradient may come from: every loss here in every form, and forms that circulate and are wrong."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise, tangent
from dml_viz.losses import LOSSES, Loss
from dml_viz.params import Param, params
from dml_viz.pitfalls import proxy_anchor, proxy_nca


@dataclass(frozen=True, eq=False)
class Batch:
    """What a loss was given and what it returned: rows z (N, d), labels y (N,), its value, and the gradient (N, d) at z.

    ``proxies`` (M, d) are learnt rows, class by class; ``value`` and ``proxies`` are None where they are not known.
    """

    z: Tensor
    y: Tensor
    gradient: np.ndarray
    value: float | None = None
    proxies: Tensor | None = None

    @property
    def lengths(self) -> np.ndarray:
        """The lengths (N, 1) of the rows."""
        return torch.linalg.vector_norm(self.z, dim=1, keepdim=True).numpy()

    @property
    def radial(self) -> float:
        """The share of the gradient's length that points along the rows, in [0, 1]: 0 where lengths do not matter."""
        z = self.z.numpy() / self.lengths
        along = (self.gradient * z).sum(1)
        return float(np.linalg.norm(along)) / max(float(np.linalg.norm(self.gradient)), 1e-300)


@dataclass(frozen=True, eq=False)
class Form:
    """One form of a loss: its title, the switches that select it, and the knobs that are free.

    ``evaluate`` gives value and gradient (N, d) of a batch at values of the knobs. ``error`` says what is wrong with the form
    where it is no loss of a paper. ``unit`` is whether rows are divided by their lengths first.
    """

    name: str
    title: str
    switches: Mapping[str, Any]
    knobs: tuple[Param, ...]
    evaluate: Callable[[Batch, Mapping[str, float]], tuple[float, np.ndarray]]
    unit: bool = True
    error: str = ""


def forms(batch: Batch) -> Iterator[Form]:
    """Every form that ``batch`` can come from; those with proxies only where it has some."""
    for name, kind in LOSSES.items():
        declared = params(kind)
        switches = [knob for knob in declared if knob.kind in (bool, str)]
        for values in product(*((False, True) if knob.kind is bool else knob.choices for knob in switches)):
            chosen = dict(zip((knob.name for knob in switches), values, strict=True))
            knobs = tuple(knob for knob in declared if knob not in switches and knob.counts(chosen))
            if not all(knob.counts(chosen) for knob in switches):
                continue
            form = Form(name, _title(kind, chosen), chosen, knobs, _evaluator(kind, chosen), kind(**chosen).unit)
            if _can(kind, chosen, batch):
                yield form
    if batch.proxies is not None:
        yield from _wrong_forms()


def _can(kind: type[Loss], chosen: Mapping[str, Any], batch: Batch) -> bool:
    """Whether the batch has what the loss learns."""
    learns = kind(**chosen).learns
    return not learns or (learns == ("proxies",) and batch.proxies is not None)


def _title(kind: type[Loss], chosen: Mapping[str, Any]) -> str:
    on = [value if isinstance(value, str) else name.replace("_", " ") for name, value in chosen.items() if value]
    return f"{kind.title} ({', '.join(on)})" if on else kind.title


def _evaluator(
    kind: type[Loss], chosen: Mapping[str, Any]
) -> Callable[[Batch, Mapping[str, float]], tuple[float, np.ndarray]]:
    whole = {knob.name for knob in params(kind) if knob.kind is int}

    def evaluate(batch: Batch, values: Mapping[str, float]) -> tuple[float, np.ndarray]:
        loss = kind(
            **chosen, **{name: round(value) if name in whole else float(value) for name, value in values.items()}
        )
        z = normalise(batch.z) if loss.unit else batch.z
        learnt = {"proxies": batch.proxies} if loss.learns and batch.proxies is not None else {}
        loss.check_batch(z, batch.y, **learnt)
        found = loss.gradients(z, batch.y, **learnt)
        return float(found.value), found.z.numpy()

    return evaluate


def _wrong_forms() -> Iterator[Form]:
    """Forms with proxies that circulate and are wrong."""
    alpha, delta = (knob for knob in params(LOSSES["proxy_anchor"]) if knob.name in ("alpha", "delta"))
    [scale] = (knob for knob in params(LOSSES["proxy_nca"]) if knob.name == "scale")

    def wrong_sign(z: Tensor, y: Tensor, proxies: Tensor, scale: float) -> Tensor:
        far = proxy_nca.distances(z, proxies) * (scale / proxy_nca.LENGTH) ** 2
        return torch.nn.functional.cross_entropy(far, y)

    def products(z: Tensor, y: Tensor, proxies: Tensor, scale: float) -> Tensor:
        return torch.nn.functional.cross_entropy(-(scale**2) * z @ proxies.T, y)

    def clamped(z: Tensor, y: Tensor, proxies: Tensor, scale: float) -> Tensor:
        return torch.nn.functional.cross_entropy(-((scale**2) * z @ proxies.T).clamp(min=0), y)

    def of_samples(z: Tensor, y: Tensor, proxies: Tensor, alpha: float, delta: float) -> Tensor:
        pulls, pushes = proxy_anchor.pulls_and_pushes(LOSSES["proxy_anchor"](alpha=alpha, delta=delta), z, y, proxies)  # type: ignore[call-arg,arg-type]
        return pulls.sum() / len(y) + pushes.mean()

    nca, anchor = "Proxy-NCA", "Proxy-Anchor"
    yield Form("proxy_nca", nca, {}, (scale,), _traced(wrong_sign), error="with the sign of the distances turned round")
    yield Form("proxy_nca", nca, {}, (scale,), _traced(products), error="with products where distances belong")
    yield Form("proxy_nca", nca, {}, (scale,), _traced(clamped), error="with clamped products where distances belong")
    yield Form(
        "proxy_anchor", anchor, {}, (alpha, delta), _traced(of_samples), error="with its pull divided by the samples"
    )


def _traced(of_rows: Callable[..., Tensor]) -> Callable[[Batch, Mapping[str, float]], tuple[float, np.ndarray]]:
    """Value and gradient of a function of unit rows, by autograd."""

    def evaluate(batch: Batch, values: Mapping[str, float]) -> tuple[float, np.ndarray]:
        z = normalise(batch.z).requires_grad_()
        if batch.proxies is None or int(batch.y.max()) >= len(batch.proxies):
            raise ValueError(f"the labels run to {int(batch.y.max())}, beyond the proxies")
        with torch.enable_grad():
            value = of_rows(z, batch.y, normalise(batch.proxies), **values)
            [gradient] = torch.autograd.grad(value, z)
        return float(value.detach()), tangent(gradient, z.detach()).numpy()

    return evaluate
