"""Pitfalls of Proxy-NCA: what a proxy is, signs, clamps, its denominator, too few proxies, and inner products."""

import math

import torch
from torch import Tensor

from dml_viz.embedding.sphere import ratio_and_cosine, tangent
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.pitfalls._base import Numbers, pitfall
from dml_viz.pitfalls._training import directions, example, proxy_weights, trial

LENGTH = 3.0  # of points and proxies in the code in circulation
CLASSES = 10
SHARE = 0.51  # of the number of classes, in the note's experiment on fewer proxies
POSITIVE_IN_DENOMINATOR = ProxyNCA(scale=LENGTH, positive_in_denominator=True)


def scaled_squared_distances(z: Tensor, proxies: Tensor) -> Tensor:
    """Squared distances (N, C) of points and proxies, given as unit rows and scaled to length `LENGTH`."""
    return (LENGTH * z[:, None] - LENGTH * proxies).square().sum(2)


def with_right_sign(z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    """Proxy-NCA as libraries have it: a softmax of negative distances."""
    return POSITIVE_IN_DENOMINATOR.value(z, y, proxies=proxies)


def with_wrong_sign(z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    """Proxy-NCA as its code first had it: a softmax of distances, whose descent makes the own proxy the farthest."""
    return torch.nn.functional.cross_entropy(scaled_squared_distances(z, proxies), y)


def with_few_proxies(z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    """The loss (N,) of each sample with one-hot targets over fewer proxies than classes: a row of zeros without a proxy."""
    targets = (y[:, None] == torch.arange(len(proxies))).to(z.dtype)
    logits = -(POSITIVE_IN_DENOMINATOR.scale**2) * (z[:, None] - proxies).square().sum(2)
    return -(targets * logits.log_softmax(1)).sum(1)


@pitfall(
    "What a proxy is",
    claim="Notes in circulation on Ranked List: the proxy of a sample is the nearest of a small subset of the training set, "
    "and d is the Euclidean distance.",
    text="Proxies are learnt rows, not samples. With static assignment, as in the code that we read, a sample's proxy is that "
    "of its class, however far; only dynamic assignment takes the nearest. With proxies as they start, {others:.0f} of "
    "{samples:.0f} samples have another class's proxy nearest, and {pulled:.0f} are pulled by their own. That code squares the "
    "distance. Unsquared, this loss would be {plain:.3f} and not {squared:.3f}, with a gradient {times:.2f} times as long "
    "(cosine {cosine:.3f}).",
)
def assignment() -> Numbers:
    """Number of samples with another class's proxy nearest at the start, and the loss with plain distances."""
    z, y = example(40, 8, 8)
    proxies, loss = directions(8, 8), ProxyNCA()
    squared = loss.gradients(z, y, proxies=proxies)
    leaf = z.clone().requires_grad_()
    d = torch.cdist(leaf, proxies)
    same_class = torch.nn.functional.one_hot(y, len(proxies)) == 1
    plain = (d[same_class] + torch.where(same_class, -torch.inf, -d).logsumexp(1)).mean()
    times, cosine = ratio_and_cosine(tangent(torch.autograd.grad(plain, leaf)[0], z), squared.z)
    return {
        "samples": len(y),
        "others": ((z @ proxies.T).argmax(1) != y).sum(),
        "pulled": (proxy_weights(loss, z, y, proxies).gather(1, y[:, None]) < 0).sum(),
        "plain": plain.detach(),
        "squared": squared.value,
        "times": times,
        "cosine": cosine,
    }


@pitfall(
    "Proxy-NCA: a clamp in the wrong place",
    claim="A comment in code replaces the distance by mm(a, a.T) and keeps the clamp after it. It adds: “it seems not to "
    "converge”.",
    text="The clamp is why the loss gets stuck. An inner product is a similarity, so its sign is wrong, which alone only sends "
    "the proxies to the antipodes. Trained on digits without the clamp, the loss reaches {free_loss:.2f} and R@1 "
    "{free_recall:.3f}, against {right_recall:.3f} with distances. Clamping at zero takes the gradient from all negative "
    "entries, {lost:.0%} of a random batch. Then the loss stays at {stuck_loss:.2f}, and R@1 still reaches {stuck_recall:.3f}.",
    misleads="One start of a linear map on digits. From other starts the loss is stuck as well, and R@1 falls by little or by "
    "much.",
)
def clamp() -> Numbers:
    """The share of entries that the clamp takes, and digits trained with it and without."""

    def products(z: Tensor, proxies: Tensor) -> Tensor:
        return LENGTH**2 * z @ proxies.T

    entropy = torch.nn.functional.cross_entropy
    free = trial(lambda z, y, proxies: entropy(-products(z, proxies), y))
    stuck = trial(lambda z, y, proxies: entropy(-products(z, proxies).clamp(min=0), y))
    return {
        "lost": (products(example(32, 8, 8)[0], directions(8, 8)) < 0).double().mean(),
        "right_recall": trial(with_right_sign).recall,
        "free_loss": free.loss,
        "free_recall": free.recall,
        "stuck_loss": stuck.loss,
        "stuck_recall": stuck.recall,
    }


@pitfall(
    "Proxy-NCA: the positive in the denominator",
    claim="Libraries keep the positive in the denominator. The paper leaves it out.",
    text="For points close to their proxies the paper's loss is {out_value:.2f}, with a gradient of length {out_gradient:.2f}. "
    "Every own proxy pulls with weight {out_pull:.2f}, near or far, and the loss can fall to {floor:.2f}. With the positive "
    "kept, the loss is {in_value:.4f}, the gradient {in_gradient:.3f} and the pull {in_pull:.4f}: it ends for points that "
    "have arrived. To train, keep the positive.",
)
def denominator() -> Numbers:
    """Value, gradient and pull with both denominators at points that have arrived at their proxies, and the least value."""
    z, y = example(40, 8, 8, spread=0.1)
    proxies = directions(8, 8)  # the centres of the classes
    # The floor is of equally many samples of each class, each on its own proxy, and proxies all equally far apart.
    apart = 2 * POSITIVE_IN_DENOMINATOR.scale**2 * len(proxies) / (len(proxies) - 1)
    numbers: Numbers = {"floor": math.log(len(proxies) - 1) - apart}
    for name, inside in (("out", False), ("in", True)):
        loss = ProxyNCA(scale=3.0, positive_in_denominator=inside)
        gradients = loss.gradients(z, y, proxies=proxies)
        pull = -proxy_weights(loss, z, y, proxies).gather(1, y[:, None]).mean()
        numbers |= {
            f"{name}_value": gradients.value,
            f"{name}_gradient": gradients.z.norm(),
            f"{name}_pull": float(pull) * len(y) / (2 * loss.scale**2),  # per sample and unit of the exponent
        }
    return numbers


@pitfall(
    "Proxy losses: the lost minus signs",
    also=("proxy_anchor",),
    claim="Notes in circulation on Proxy-Anchor give Proxy-NCA's gradient as “{1, softmax}”. Their formulas lack minus signs "
    "and sums.",
    text="In the similarity to a sample's own proxy, the slope of Proxy-NCA is {own:.0f}, which pulls. In those to the other "
    "proxies it is their softmax shares, which sum to {others:.0f} and push. In Proxy-Anchor's pull the exponent is "
    "$-\\alpha(s-\\delta)$. Of two samples {gap:.2f} apart in cosine, the farther one is pulled {times:.1f} times as hard: "
    "$e^{{\\alpha\\,\\Delta s}}$ = {expected:.1f}. Without the minus sign it would be the nearer one.",
)
def lost_minus_signs() -> Numbers:
    """Proxy-NCA's slopes per sample, and how hard Proxy-Anchor pulls the nearest and the farthest sample of a proxy."""
    z, y = example(32, 8, 8, spread=0.2)
    proxies = directions(8, 8)  # the centres of the classes
    nca, anchor = ProxyNCA(), ProxyAnchor()
    # A squared distance falls by 2 where a similarity rises by 1, and the loss is a mean.
    slopes = proxy_weights(nca, z, y, proxies) * len(y) / (2 * nca.scale**2)
    same_class = torch.nn.functional.one_hot(y) == 1
    of_first = (y == 0).nonzero()[:, 0]
    s, pulls = (table[of_first, 0] for table in (z @ proxies.T, proxy_weights(anchor, z, y, proxies)))
    gap = float(s.max() - s.min())
    return {
        "own": slopes[same_class].mean(),
        "others": slopes[~same_class].sum() / len(y),
        "gap": gap,
        "times": pulls[s.argmin()] / pulls[s.argmax()],
        "expected": math.exp(anchor.alpha * gap),
    }


@pitfall(
    "Proxy-NCA's distances as inner products",
    claim="Code computes $18-2x^\\top p$ in place of squared distances. Notes in circulation ask why a classifier's layer then "
    "needs no memory.",
    text="For points and proxies of length {length:.0f} both are equal (error {on_sphere:.0e}). For points {longer:.1f} times "
    "too long they differ by {off_sphere:.2f}, so normalise first. With {batch:.0f} points and {classes:,.0f} classes, an "
    "array of products has B × C numbers, {rewritten_memory:.2f} GB. All distances of points and proxies together take (B + "
    "C)² numbers, {square_memory:.2f} GB. That is the memory saved.",
)
def products() -> Numbers:
    """The identity of distances and inner products, its error off the sphere, and the memory of both forms."""
    z, _ = example(32, 8, 8)
    proxies, longer = LENGTH * directions(8, 8), 1.3
    rewritten = {scale: 2 * LENGTH**2 - 2 * scale * LENGTH * z @ proxies.T for scale in (1, longer)}
    on, off = (
        float((form - (scale * LENGTH * z[:, None] - proxies).square().sum(2)).abs().max()) for scale, form in rewritten.items()
    )
    batch, classes, gigabytes = 256, 20_000, 4 / 1e9  # of a float32
    return {
        "length": LENGTH,
        "on_sphere": on,
        "off_sphere": off,
        "longer": longer,
        "batch": batch,
        "classes": classes,
        "rewritten_memory": batch * classes * gigabytes,
        "square_memory": (batch + classes) ** 2 * gigabytes,
    }


@pitfall(
    "Proxy-NCA with the wrong sign",
    claim="A widespread PyTorch implementation first took the softmax of the distances, not of their negatives. It retrieved "
    "equally well, and has been corrected since.",
    text="The sign error costs little, because proxies can go to the antipodes. On a sphere of radius {length:.0f} the squared "
    "distances to $p$ and to $-p$ add up to {sum:.0f}. So the wrong sign with $p$ is the right sign with $-p$, and the "
    "gradients differ by {difference:.1g}. Trained on digits, R@1 is {wrong_recall:.3f} with the wrong sign and "
    "{right_recall:.3f} with the right one, a difference of {apart:.0f} of {images:.0f} images. The mean cosine of an image to "
    "its class's proxy is {wrong_cosine:.2f} against {right_cosine:.2f}.",
    misleads="R@1 is of one start of a linear map on a few hundred digits, where a few images decide its second decimal.",
)
def sign() -> Numbers:
    """The identity behind it on random proxies, and digits trained with either sign."""
    z, y = example(32, 8, 8)
    proxies = directions(8, 8)
    leaf = z.clone().requires_grad_()
    wrong_gradient, right_gradient = (
        torch.autograd.grad(loss(leaf, y, towards), leaf)[0]
        for loss, towards in ((with_wrong_sign, proxies), (with_right_sign, -proxies))
    )
    wrong, right = trial(with_wrong_sign), trial(with_right_sign)
    return {
        "length": LENGTH,
        "sum": (scaled_squared_distances(z, proxies) + scaled_squared_distances(z, -proxies)).mean(),
        "difference": tangent(wrong_gradient - right_gradient, z).abs().max(),
        "wrong_recall": wrong.recall,
        "right_recall": right.recall,
        "apart": abs(int(right.hits.sum()) - int(wrong.hits.sum())),
        "images": len(right.y),
        "wrong_cosine": wrong.own_cosine,
        "right_cosine": right.own_cosine,
    }


@pitfall(
    "Proxy-NCA with fewer proxies than classes",
    claim="Notes in circulation keep proxies for the first 51% of the classes, and change nothing else.",
    text="Fewer proxies than classes need dynamic assignment: a rule that gives every sample a proxy. Truncation is no rule. "
    "With {proxies:.0f} proxies for {classes:.0f} classes, {idle:.0f} of {samples:.0f} samples have exactly zero loss and "
    "gradient. Trained on digits, R@1 falls from {full_recall:.3f} to {cut_recall:.3f}, and to {without_recall:.3f} in the "
    "classes without a proxy.",
    misleads="A linear map separates digits that its loss ignores, so R@1 may fall more with a deep net.",
)
def few_proxies() -> Numbers:
    """The samples without loss and gradient, and digits trained with a proxy for every class or for about half."""
    proxies = int(SHARE * CLASSES)
    z, y = example(4 * CLASSES, 8, CLASSES)
    leaf = z.clone().requires_grad_()
    each = with_few_proxies(leaf, y, directions(proxies, 8))
    idle = (each == 0) & (torch.autograd.grad(each.sum(), leaf)[0] == 0).all(1)
    cut = trial(lambda z, y, proxies: with_few_proxies(z, y, proxies).mean(), proxies=proxies)
    return {
        "classes": CLASSES,
        "proxies": proxies,
        "samples": len(y),
        "idle": idle.sum(),
        "full_recall": trial(with_right_sign).recall,
        "cut_recall": cut.recall,
        "without_recall": cut.hits[cut.y >= proxies].double().mean(),
    }
