"""Pitfalls of FastAP: its hand-written backward, its bins and their range, its cost, and what its value is not."""

import numpy as np
import torch
from torch import Tensor

from dml_viz.embedding.metrics import retrieval
from dml_viz.embedding.sphere import LARGEST_D2, normalise, ratio_and_cosine, tangent
from dml_viz.losses import Pairs
from dml_viz.losses.fastap import FastAP
from dml_viz.pitfalls._base import Numbers, pitfall
from dml_viz.pitfalls._circulating import BINS, CirculatingFastAP
from dml_viz.pitfalls._training import directions, example

STEP = 1e-6  # of a finite difference, torch's own choice for a gradient check


@pitfall(
    "FastAP's hand-written backward is too long",
    claim="Notes in circulation and the official repository have a hand-written backward. It leaves out the 2 of the squared "
    "distance and the 1/M of the mean over M queries. It also ignores the gradient that comes back to the loss.",
    text="The direction is right (cosine {cosine:.6f}), but the length is {few_times:.4f}, {more_times:.4f} and "
    "{many_times:.4f} times the gradient's for batches of {few:.0f}, {more:.0f} and {many:.0f}: half the number of "
    "queries. Where the loss is multiplied by {factor:.0f}, the gradient stays as it was (ratio {factor_ratio:.3f}). "
    "Adam hides such factors; SGD, clipping and a sum with another loss do not.",
)
def backward() -> Numbers:
    """Length and direction of the circulating gradient for three sizes of batch, and of five times the loss."""
    numbers: Numbers = {}
    cosines = []
    for name, n in (("few", 8), ("more", 32), ("many", 128)):
        z, y = example(n, 16, n // 4)
        times, cosine = ratio_and_cosine(_circulating(z, y, 1), FastAP(bins=BINS).gradient(z, y))
        numbers |= {name: n, f"{name}_times": times}
        cosines.append(cosine)
    factor = 5
    ratio, _ = ratio_and_cosine(_circulating(z, y, factor), _circulating(z, y, 1))
    return numbers | {"cosine": min(cosines), "factor": factor, "factor_ratio": ratio}


def _circulating(z: Tensor, y: Tensor, factor: float) -> Tensor:
    leaf = z.clone().requires_grad_()
    loss = factor * CirculatingFastAP.apply(leaf, y)
    return torch.autograd.grad(loss, leaf)[0]


@pitfall(
    "FastAP's bins: what is counted, and where they are",
    claim="“num_bins” is read as the number of histogram bins, and the bins as equal slices of distance.",
    text="{bins:.0f} bins are {bins:.0f} intervals between {centres:.0f} centres; the slider counts intervals. They are "
    "equal in squared distance: the first covers the distances below {first:.3f}, the last one only the last "
    "{last:.3f}, so the resolution sits at large distances. Of the pairs of a batch without any order, "
    "{in_first:.1%} fall into the first.",
)
def bin_widths() -> Numbers:
    """Number of intervals and of centres, and the distance that the first and the last interval cover."""
    bins = FastAP().bins
    edges = np.linspace(0, LARGEST_D2, bins + 1) ** 0.5
    z, y = example(64, 8, 8)
    d = Pairs(z, y).d[~(y.new_ones(64, 64).tril() == 1)]
    first, last = edges[1], edges[-1] - edges[-2]
    return {"bins": bins, "centres": len(edges), "first": first, "last": last, "in_first": (d < first).double().mean()}


@pitfall(
    "FastAP's cost: N² or N³",
    claim="“Complexity O(NL)” for L centres, with a backward that scales each centre's pairs, positive and negative ones "
    "apart, by products with dense diagonal matrices.",
    text="One such scaling of {n:.0f} × {n:.0f} pairs takes {dense:,.0f} multiplications where {plain:,.0f} do, to the "
    "same result (difference {difference:.1g}): {times:.0f} times as many. With {centres:.0f} centres and two "
    "kinds of pairs that makes {all_dense:,.0f} in one backward. O(NL) is true of one query; a batch of N costs "
    "O(N²L) forward, and O(N³L) in this backward. Looking up each pair's own bin takes O(N²) both ways.",
)
def cost() -> Numbers:
    """The number of multiplications in the circulating backward, and in the product written without diagonal matrices."""
    n = 128
    generator = torch.Generator().manual_seed(0)
    pairs = torch.randn(n, n, dtype=torch.float64, generator=generator)
    of_queries = torch.randn(n, dtype=torch.float64, generator=generator)
    diagonal = torch.diag(of_queries)
    dense = torch.mm(pairs, diagonal) + torch.mm(diagonal, pairs)
    plain = pairs * of_queries + of_queries[:, None] * pairs
    multiplications, plainly = 2 * n**3, 2 * n**2
    centres = FastAP().bins + 1
    return {
        "n": n,
        "dense": multiplications,
        "plain": plainly,
        "times": multiplications / plainly,
        "centres": centres,
        "all_dense": 2 * centres * multiplications,
        "difference": (dense - plain).abs().max(),
    }


@pitfall(
    "FastAP's range: [0, 2] or [0, 4]",
    claim="The text spreads the bins over [0, 2]; the code that goes with it puts squared distances, which reach 4, into bins.",
    text="Each range is right with its own distances. With {bins:.0f} bins the loss is {plain:.4f} for distances on the first "
    "range and {squared:.4f} for squared distances on the second; the cosine of their gradients is {cosine:.3f}. Squared "
    "distances on the first range leave {near:.0%} of the positive pairs of loose classes outside every bin, and {far:.0%} of "
    "those of a batch without any order. They have no gradient, and no error is raised.",
    misleads="The shares depend on how far the batch has been trained: the tighter its classes, the fewer pairs are missed.",
)
def bin_range() -> Numbers:
    """The loss with each sound pair of distance and range, and the share of positive pairs that the mixed pair misses."""
    (z, y), loss = example(64, 64, 8), FastAP(bins=BINS)
    pairs = Pairs(leaf := z.clone().requires_grad_(), y)
    # Equal bins of d on [0, 2] are equal bins of 2 d on [0, 4].
    plain, squared = loss.of_pairs(pairs.at(2 * pairs.d)), loss.gradients(z, y)
    of_plain = tangent(torch.autograd.grad(plain, leaf)[0], z)
    _, cosine = ratio_and_cosine(of_plain, squared.z)
    near, far = (_missed(*example(64, 8, 8, spread=spread)) for spread in (0.5, 0.0))
    return {"bins": BINS, "plain": plain.detach(), "squared": squared.value, "cosine": cosine, "near": near, "far": far}


def _missed(z: Tensor, y: Tensor) -> float:
    """The share of positive pairs whose squared distance is past the last of the bins over [0, 2]."""
    pairs = Pairs(z, y)
    past = 2 + 2 / BINS  # one bin past the last centre
    return float((pairs.d2[pairs.positive] >= past).double().mean())


@pitfall(
    "FastAP's published code, run today",
    claim="The circulating code turns every input into float32, divides by the number of queries with a positive, and "
    "fills by a mask of bytes, which today's PyTorch refuses.",
    text="A finite difference of the loss should agree with its gradient. It is off by {single:.0%} when float64 points are "
    "turned into float32, and by {double:.0e} of it when they are not. So a gradient check refuses the former. In a batch of "
    "{alone:.0f} points, each alone in its class, {queries:.0f} queries have a positive: the mean over them is "
    "{queries:.0f}/{queries:.0f}, which is NaN. Here that loss is {value:.0f}, with a gradient of {gradient:.0f}.",
)
def published_code() -> Numbers:
    """Checks of the published code: a finite difference in float32 and float64, and a batch in which no query has a positive."""
    z, y = example(16, 8, 4)
    direction = FastAP().gradient(z, y)
    slope = float((direction * direction).sum())
    single, double = (abs(_difference(z, y, direction, dtype) / slope - 1) for dtype in (torch.float32, torch.float64))
    apart, alone = example(6, 3, 6)
    gradients = FastAP().gradients(apart, alone)
    return {
        "single": single,
        "double": double,
        "alone": len(alone),
        "queries": Pairs(apart, alone).positive.any(1).sum(),
        "value": gradients.value,
        "gradient": gradients.z.norm(),
    }


def _difference(z: Tensor, y: Tensor, direction: Tensor, dtype: torch.dtype) -> float:
    """The central difference of the loss along a direction, its points turned into ``dtype`` first."""
    ahead, behind = (float(FastAP().value(normalise(z + sign * STEP * direction).to(dtype), y)) for sign in (1, -1))
    return (ahead - behind) / (2 * STEP)


@pitfall(
    "FastAP's published code and the rest of a run",
    claim="The circulating code draws a random number to decide whether it prints, needs a GPU, and fails on columns of labels.",
    text="The number is from the generator that all share: {differ:.0%} of the next {draws:.0f} are others then, and so are the "
    "batches of a run. Here no loss draws a number.",
)
def extra_random_number() -> Numbers:
    """How many of the next random numbers are others after one more draw."""
    numbers = torch.rand(101, generator=torch.Generator().manual_seed(0))
    return {"differ": (numbers[1:] != numbers[:-1]).double().mean(), "draws": len(numbers) - 1}


@pitfall(
    "Large batches on a small memory",
    claim="The authors' heuristic for large batches, which notes in circulation leave unexplained.",
    text="The heuristic is gradient caching. Embed a batch of {n:.0f} in {chunks:.0f} chunks of {chunk:.0f} without a "
    "graph, and take the gradient of the loss at the {n:.0f} embeddings. Then embed each chunk again and send its "
    "rows' gradients back. The weights' gradient agrees with that of the whole batch to {difference:.0e}, while "
    "only one chunk's activations are kept at a time.",
)
def gradient_caching() -> Numbers:
    """The gradient at a small net's weights, of the batch at once and chunk by chunk."""
    n, chunk = 64, 16
    x, y = example(n, 16, 8, spread=0.5)
    loss = FastAP()
    weights = directions(16, 8).requires_grad_()

    def embed(images: Tensor) -> Tensor:
        return normalise(torch.tanh(images @ weights))

    whole = torch.autograd.grad(loss.value(embed(x), y), weights)[0]
    with torch.no_grad():
        z = torch.cat([embed(images) for images in x.split(chunk)])
    at_embeddings = loss.gradient(z, y)
    in_chunks = torch.zeros_like(weights)
    for images, gradient in zip(x.split(chunk), at_embeddings.split(chunk), strict=True):
        in_chunks += torch.autograd.grad(embed(images), weights, gradient)[0]
    return {"n": n, "chunk": chunk, "chunks": n / chunk, "difference": (in_chunks - whole).abs().max()}


@pitfall(
    "FastAP and mean average precision",
    claim="“1 − loss is the mean average precision”, or: the loss raises average precision itself.",
    text="With {few:.0f} bins 1 − loss is {with_few:.3f} on a batch whose mean average precision is {precision:.3f}; with "
    "{many:.0f} bins it is {with_many:.3f}, still below. A positive is split over two bins, and its first part is "
    "ranked without the rest.",
    misleads="A single query can have a FastAP above its average precision, where a positive shares its bins with a negative "
    "that is hardly nearer.",
)
def average_precision() -> Numbers:
    """One less the loss with few and with many bins, and the mean average precision of the same batch."""
    z, y = example(64, 8, 8, spread=0.5)
    few, many = BINS, 1000
    return {
        "few": few,
        "many": many,
        "precision": retrieval(z.numpy(), y.numpy()).map,
        "with_few": 1 - float(FastAP(bins=few).value(z, y)),
        "with_many": 1 - float(FastAP(bins=many).value(z, y)),
    }
