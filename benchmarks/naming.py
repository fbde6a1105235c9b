"""How many losses *Name that loss* names correctly: every form of ours at random knobs, and the library's own code.

ObservedBatch, value and gradient are rounded to single precision, as in training. A name is right if the first answer is the
loss, and a knob if it is within 1 % or called unknown; an answer is wrong if only another loss is named. Errors are
those of `dml_viz.pitfalls` whose value or gradient is not the loss's, at random knobs; some are the pitfalls' own code.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from benchmarks.peers import PEERS
from dml_viz.embedding.sphere import normalise, tangent
from dml_viz.explain.name_that_loss.model import Answer, identify
from dml_viz.explain.name_that_loss.model_forms import Form, ObservedBatch, forms
from dml_viz.explain.name_that_loss.text import fit_in_words
from dml_viz.losses import LOSSES
from dml_viz.losses.ranked_list import RankedList
from dml_viz.pitfalls import _circulating, angular, proxy_nca, ranked_list

CLASSES, EACH, DIM, SPREAD, LOOSE = 5, 4, 8, 0.6, 1.5
WITHIN, ENOUGH = 0.01, 0.95


def batch(views: bool, draw: torch.Generator, spread: float = SPREAD) -> ObservedBatch:
    """Rows of a few classes, or two views of each image, with a proxy for each class; no gradient yet."""
    y = torch.arange(CLASSES * EACH) // (2 if views else EACH)
    z = normalise(torch.randn(len(y), DIM, generator=draw)[y] + spread * torch.randn(len(y), DIM, generator=draw))
    proxies = torch.randn(int(y.max()) + 1, DIM, generator=draw)
    return ObservedBatch(z.double(), y, np.zeros((len(y), DIM)), None, {"proxies": proxies.double()})


def given(asked: ObservedBatch, value: float, gradient: np.ndarray) -> ObservedBatch:
    """The batch with the value and gradient of a loss, in single precision."""
    return ObservedBatch(asked.z, asked.y, gradient.astype(np.float32).astype(np.float64), float(np.float32(value)), asked.learnt)


def first_proxies(asked: ObservedBatch) -> ObservedBatch:
    """The batch with proxies of its first classes alone."""
    return replace(asked, learnt={name: rows[:3] for name, rows in asked.learnt.items()})


def with_gradient(asked: ObservedBatch, of_rows: Callable[[Tensor, Tensor, Tensor], Tensor]) -> tuple[float, np.ndarray]:
    """The batch with value and gradient at its unit rows of a function of rows, labels and unit proxies."""
    assert asked.proxies is not None
    z = asked.z.clone().requires_grad_()
    value = of_rows(z, asked.y, normalise(asked.proxies))
    [slope] = torch.autograd.grad(value, z)
    return float(value.detach()), tangent(slope, asked.z).numpy()


def errors_in_forms(draw: torch.Generator, rng: np.random.Generator) -> Iterator[tuple[str, str, ObservedBatch]]:
    """Each wrong form at random knobs: its name, words that the answer must have, and its batch."""
    asked = batch(False, draw, LOOSE)
    stretched = replace(asked, z=asked.z * torch.linspace(0.6, 2, len(asked.y), dtype=torch.float64)[:, None])
    cut = first_proxies(asked)
    for form in [form for form in forms(asked) if form.error]:
        looked_at = stretched if not form.unit else cut if "some classes" in form.error else asked
        for high in (0.8, 0.4, 0.2, 0.0):  # with plain norms the hinge is rarely active from 30 degrees on
            value, gradient = form.evaluate(looked_at, at_random(form, rng, min(0.2, high), high))
            if np.abs(gradient).max() > 0:
                break
        yield f"{form.title} {form.error}", form.error, given(looked_at, value, gradient)


def errors_in_pitfalls(draw: torch.Generator) -> Iterator[tuple[str, str, ObservedBatch]]:
    """Names, words and batches for the pitfalls with their own code."""
    asked = batch(False, draw, LOOSE)
    n, rll = len(asked.y), RankedList()

    def plain_norms(z: Tensor, y: Tensor, _: Tensor) -> Tensor:
        return angular.unsquared_violation(*angular._triplets(z, y), math.radians(28)).relu().mean()

    sums = n * float(rll.value(asked.z, asked.y)), ranked_list._summed(rll, asked.z, asked.y).numpy()
    yield "ranked_list.mean", f"Ranked List (query only)**;N = {n} times", given(asked, *sums)
    for name, words, of_rows in (
        ("fastap.backward", f"FastAP**;N / 2 = {n / 2:g} times", lambda z, y, _: _circulating.CirculatingFastAP.apply(z, y)),
        ("angular.unsquared", "plain norms;alpha = 28", plain_norms),
        ("proxy_nca.sign", "turned round;scale = 3", proxy_nca.with_wrong_sign),
        ("proxy_nca.denominator", "positive in denominator;scale = 3", proxy_nca.with_right_sign),
    ):
        yield name, words, given(asked, *with_gradient(asked, of_rows))
    cut = first_proxies(asked)
    found = with_gradient(cut, lambda z, y, proxies: proxy_nca.with_few_proxies(z, y, proxies).mean())
    yield "proxy_nca.few_proxies", "proxies of some classes alone;scale = 3", given(cut, *found)


def at_random(form: Form, rng: np.random.Generator, least: float = 0.2, most: float = 0.8) -> dict[str, float]:
    """Values of the knobs of a form, anywhere between two shares of their sliders."""
    ends = {knob.name: knob.slider or (knob.default, knob.default) for knob in form.knobs}
    knobs = {key: low + (high - low) * rng.uniform(least, most) for key, (low, high) in ends.items()}
    return knobs | {
        knob.name: 1 if knob.name == "centres" else round(knobs[knob.name]) for knob in form.knobs if knob.kind is int
    }


def main() -> int:
    """Print a line for each loss that is not named correctly, and how many are; return 1 if below 95 %."""
    draw, rng, began = torch.Generator().manual_seed(0), np.random.default_rng(0), time.perf_counter()
    right = wrong = tried = 0

    def judge(what: str, answer: Answer, name: str, knobs: dict[str, float], title: str) -> None:
        nonlocal right, wrong, tried
        tried += 1
        fits = [fit for fit in answer.fits if fit.form.name == name and not fit.form.error]
        far = [
            knob
            for fit in fits[:1]
            if fit.form.title == title
            for knob, value in knobs.items()
            if knob not in fit.unknown and abs(fit.knobs[knob] - value) > WITHIN * abs(value)
        ]
        named_so = bool(fits) and not far
        right += named_so
        wrong += answer.is_certain and not fits
        if not named_so:
            print(f"  {what} {knobs}: {[(fit.form.title, fit.knobs) for fit in answer.fits[:2]]} {far}", flush=True)

    for name, kind in LOSSES.items():
        asked = batch(kind.views, draw)
        for form in [form for form in forms(asked) if form.name == name and not form.error]:
            knobs = at_random(form, rng)
            value, gradient = form.evaluate(asked, knobs)
            if np.abs(gradient).max() > 0:
                judge(form.title, identify(given(asked, value, gradient)), name, knobs, form.title)
    for variant, peer in PEERS.items():
        asked = batch(peer.ours.views, draw)
        module = peer.theirs(CLASSES, DIM).double()
        rows = [p.detach() for p in module.parameters() if p.ndim == 2 and DIM in p.shape]
        learnt = {"proxies": rows[0] if rows[0].shape[1] == DIM else rows[0].T.contiguous()} if rows else {}
        z = asked.z.clone().requires_grad_()
        result = module(z, asked.y)
        [slope] = torch.autograd.grad(result, z)
        seen = ObservedBatch(asked.z, asked.y, slope.numpy(), float(result.detach()), learnt)
        judge(f"the library's {variant}", identify(seen), variant.partition(",")[0], {}, "")
    print(f"{right} of {tried} named rightly, {wrong} wrongly for certain, in {time.perf_counter() - began:.0f} s", flush=True)
    known = errors = 0
    for what, words, seen in (*errors_in_forms(draw, rng), *errors_in_pitfalls(draw)):
        answer = identify(seen)
        sentences = [fit_in_words(fit, seen) for fit in answer.fits]
        recognised = any(all(word in one for word in words.split(";")) for one in sentences)
        errors += 1
        known += recognised
        wrong += answer.is_certain and not recognised
        if not recognised:
            print(f"  {what}: {sentences[:2] or (answer.nearest and fit_in_words(answer.nearest, seen))}", flush=True)
    print(f"{known} of {errors} errors recognised, {wrong} answers wrong for certain")
    return int(right < ENOUGH * tried or known < errors or wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
