"""The sentences of the page that names a loss."""

from collections.abc import Mapping
from urllib.parse import urlencode

import numpy as np

from dml_viz.explain.name_that_loss.model import Answer
from dml_viz.explain.name_that_loss.model_fit import Fit
from dml_viz.explain.name_that_loss.model_forms import ObservedBatch, losses_not_tried
from dml_viz.losses import LOSSES, Shape
from dml_viz.params import numerals

CAPTURE = """```text
z.retain_grad()  # the embeddings as the loss gets them
value = loss(z, y)  # your loss
value.backward()
np.savez("batch.npz", z=z.detach().cpu(), y=y.cpu(), value=value.item(), grad=z.grad.cpu())
```"""
WANTED = (
    "Save one batch with what your loss returned, and drop it here:\n\n" + CAPTURE + "\n\nFor a loss with proxies add "
    "`proxies=`: their rows, class by class; for boundaries learnt for each class `beta=`. A learnt temperature, scale or bias "
    "is found from the gradient. The page tries every loss of this app in every form, and known wrong versions of them."
)


def size_in_words(batch: ObservedBatch) -> str:
    """The size of a batch, in words."""
    return f"{len(batch.y)} rows in {batch.z.shape[1]} dimensions"


def example_notice(batch: ObservedBatch) -> str:
    """The notice that the page shows a recorded example until a visitor gives a batch."""
    return (
        f"**An example, not your batch:** {size_in_words(batch)}, with the value and the gradient that FastAP’s published code "
        "(Cakir et al. 2019) gives. Its answer is recorded. Drop a batch, and the page searches for yours, which takes minutes."
    )


def headline(answer: Answer, batch: ObservedBatch) -> str:
    """The answer for ``batch`` in one sentence."""
    if answer.is_certain:
        return f"This is {_called(answer.fits[0])}"
    if answer.fits:
        return f"{len(answer.fits)} forms agree on this batch, {_called(answer.fits[0])} among them"
    if (nearest := answer.nearest) and nearest.explains_gradient and batch.value is not None and nearest.value_factor is not None:
        own = f" instead of {batch.value / nearest.value_factor:.4g}" if nearest.value_factor else ""
        return numerals(f"The gradient is that of {_called(nearest)}; the value is not: {batch.value:.4g}{own}")
    if answer.nearest:
        return f"None of ours; nearest is {answer.nearest.form.title}, which misses {answer.nearest.missed:.1%} of the gradient"
    return "None of ours, and none is near"


def fit_in_words(fit: Fit, batch: ObservedBatch) -> str:
    """The knobs of a fit, those of them that are undetermined, and the factors of gradient and value."""
    knobs = [f"{name} = {value:.4g}" for name, value in fit.knobs.items() if name not in fit.unknown]
    parts = [f"**{_called(fit)}**" + (f" with {', '.join(knobs)}" if knobs else "")]
    if fit.unknown:
        parts.append(f"this batch does not show {' or '.join(fit.unknown)}")
    if factor := factor_in_words(fit.factor, len(batch.y), _queries(batch.y.numpy())):
        same = fit.value_factor is not None and abs(fit.value_factor / fit.factor - 1) < 1e-3
        parts.append(f"its {'value and gradient are' if same else 'gradient is'} {factor} the loss’s own")
    if learnable := [each.symbol for each in LOSSES[fit.form.name].learnable if each.shape is Shape.NUMBER]:
        parts.append(f"whether {' and '.join(learnable)} are learnt or fixed, one batch does not show")
    parts.append(f"{fit.missed:.1g} of the gradient’s length is not explained")
    return numerals("; ".join(parts) + ".")


def left_out(batch: ObservedBatch) -> str:
    """The losses that were not tried, and what the file lacks for them; empty if all were."""
    missing = losses_not_tried(batch).items()
    return " ".join(f"For want of `{name}=` in the file, not tried: {', '.join(titles)}." for name, titles in missing)


def factor_in_words(factor: float, size: int, queries: int) -> str:
    """A factor in words with its likely origin, for ``size`` rows, ``queries`` of them with a positive; "" for 1."""
    known: Mapping[str, float] = {
        "": 1.0,
        "−1 times (the sign is turned round)": -1.0,
        f"M / 2 = {queries / 2:g} times (M = {queries} rows have a positive)": queries / 2,
        f"N = {size} times (a sum in place of a mean)": float(size),
        f"1 / N = 1 / {size} times": 1 / size,
        "twice": 2.0,
        "half": 0.5,
    }
    cause = next((words for words, number in known.items() if abs(factor - number) < 1e-3 * abs(number)), None)
    return f"{factor:.4g} times" if cause is None else cause


def _queries(y: np.ndarray) -> int:
    """The number of rows that have another row of their class."""
    counts = np.unique(y, return_counts=True)[1]
    return int(counts[counts > 1].sum())


def reference_link(fit: Fit) -> str:
    """The link to the loss on the Reference page."""
    return f"reference?{urlencode({'card': fit.form.name})}"


def _called(fit: Fit) -> str:
    return f"{fit.form.title} {fit.form.error}".strip()
