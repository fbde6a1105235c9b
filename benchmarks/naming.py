"""How many losses *Name that loss* names rightly: every form of ours at random knobs, and the library's own code.

The batch, value and gradient are rounded to single precision, as training has them. A name is right where the first answer is the
loss, and a knob where it is within 1 % or said to be unknown; an answer is wrong where another loss alone is named.
"""

import sys
import time

import numpy as np
import torch

from benchmarks.peers import PEERS
from dml_viz.embedding.sphere import normalise
from dml_viz.explain.name_that_loss.model import Answer, named
from dml_viz.explain.name_that_loss.model_forms import Batch, forms
from dml_viz.losses import LOSSES

CLASSES, EACH, DIM, SPREAD = 5, 4, 8, 0.6
WITHIN, ENOUGH = 0.01, 0.95


def batch(views: bool, draw: torch.Generator) -> Batch:
    """Rows of a few classes, or two views of each image, with a proxy for each class; no gradient yet."""
    y = torch.arange(CLASSES * EACH) // (2 if views else EACH)
    z = normalise(torch.randn(len(y), DIM, generator=draw)[y] + SPREAD * torch.randn(len(y), DIM, generator=draw))
    proxies = torch.randn(int(y.max()) + 1, DIM, generator=draw)
    return Batch(z.double(), y, np.zeros((len(y), DIM)), None, proxies.double())


def given(asked: Batch, value: float, gradient: np.ndarray) -> Batch:
    """The batch with what a loss returned, in single precision."""
    return Batch(
        asked.z, asked.y, gradient.astype(np.float32).astype(np.float64), float(np.float32(value)), asked.proxies
    )


def main() -> int:
    """Print a line for each loss that is not named rightly, and how many are; 1 where fewer than 95 %."""
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
        wrong += answer.sure and not fits
        if not named_so:
            print(f"  {what} {knobs}: {[(fit.form.title, fit.knobs) for fit in answer.fits[:2]]} {far}", flush=True)

    for name, kind in LOSSES.items():
        asked = batch(kind.views, draw)
        for form in [form for form in forms(asked) if form.name == name and not form.error]:
            ends = {knob.name: knob.slider or (knob.default, knob.default) for knob in form.knobs}
            knobs = {key: low + (high - low) * rng.uniform(0.2, 0.8) for key, (low, high) in ends.items()}
            knobs |= {
                knob.name: 1 if knob.name == "centres" else round(knobs[knob.name])
                for knob in form.knobs
                if knob.kind is int
            }
            value, gradient = form.evaluate(asked, knobs)
            if np.abs(gradient).max() > 0:
                judge(form.title, named(given(asked, value, gradient)), name, knobs, form.title)
    for variant, peer in PEERS.items():
        asked = batch(peer.ours.views, draw)
        module = peer.theirs(CLASSES, DIM).double()
        rows = [p.detach() for p in module.parameters() if p.ndim == 2 and DIM in p.shape]
        learnt = None if not rows else rows[0] if rows[0].shape[1] == DIM else rows[0].T.contiguous()
        z = asked.z.clone().requires_grad_()
        result = module(z, asked.y)
        [slope] = torch.autograd.grad(result, z)
        seen = Batch(asked.z, asked.y, slope.numpy(), float(result.detach()), learnt)
        judge(f"the library's {variant}", named(seen), variant.partition(",")[0], {}, "")
    print(f"{right} of {tried} named rightly, {wrong} wrongly for certain, in {time.perf_counter() - began:.0f} s")
    return int(right < ENOUGH * tried or wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
