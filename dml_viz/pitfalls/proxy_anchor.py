"""Pitfalls of Proxy-Anchor: its two means, its kinship to AM-softmax, and margins."""

import torch
from torch import Tensor

from dml_viz.embedding.sphere import ratio_and_cosine, tangent
from dml_viz.losses import Pairs, log_one_and_sum
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.pitfalls._base import Numbers, pitfall
from dml_viz.pitfalls._training import directions, example, proxy_weights


def pull_and_push_terms(loss: ProxyAnchor, z: Tensor, y: Tensor, proxies: Tensor) -> tuple[Tensor, Tensor]:
    """The values of the loss's pull and push of every proxy (C,) each, before they are averaged."""
    pairs = Pairs(z, y, proxies, torch.arange(len(proxies)))
    pull = torch.where(pairs.positive, -loss.alpha * (pairs.s - loss.delta), -torch.inf)
    push = torch.where(pairs.negative, loss.alpha * (pairs.s + loss.delta), -torch.inf)
    return log_one_and_sum(pull, 0), log_one_and_sum(push, 0)


@pitfall(
    "Proxy-Anchor and AM-softmax are not the same",
    also=("margin_softmax",),
    claim="Notes in circulation take Proxy-Anchor for another form of AM-softmax.",
    text="In AM-softmax the proxies compete for each sample, so a sample's weights add up to zero (at most {softmax_most:.0e} "
    "here). In Proxy-Anchor the samples compete for each proxy, and a sample's weights add up to {anchor_least:.2f} to "
    "{anchor_most:.2f}. The two tables of weights have a correlation of {correlation:.2f}: related, but not the same.",
)
def softmax_axis() -> Numbers:
    """The sums of each sample's weights in both losses, and the correlation between the two tables of weights."""
    z, y = example(32, 8, 8)
    anchor, softmax = (proxy_weights(loss, z, y, directions(8, 8)) for loss in (ProxyAnchor(), MarginSoftmax()))
    sums = anchor.sum(1)
    return {
        "softmax_most": softmax.sum(1).abs().max(),
        "anchor_least": sums.min(),
        "anchor_most": sums.max(),
        "correlation": torch.corrcoef(torch.stack((anchor.flatten(), softmax.flatten())))[0, 1],
    }


@pitfall(
    "Proxy-Anchor: what P⁺ counts",
    claim="The “number of positive samples” in notes in circulation can be read as a count of samples. Their experiment counts "
    "classes: 10 in batches of 500.",
    text="$P^+$ is the set of proxies whose class is in the batch: {present:.0f} here, for {samples:.0f} samples of "
    "{classes:.0f} classes. Divided by the samples instead, the pull is {times:.1f} times smaller, and the loss is {wrong:.2f} "
    "rather than {right:.2f}. The push is divided by the number of all classes, in both readings.",
)
def means() -> Numbers:
    """Proxy-Anchor's value with its pull divided by the batch size, and by the classes present; some are absent."""
    z, y = example(40, 8, 5)
    proxies = directions(9, 8)
    loss = ProxyAnchor()
    pulls, pushes = pull_and_push_terms(loss, z, y, proxies)
    present = len(y.unique())
    return {
        "present": present,
        "samples": len(y),
        "classes": len(proxies),
        "times": len(y) / present,
        "wrong": pulls.sum() / len(y) + pushes.mean(),
        "right": loss.value(z, y, proxies=proxies),
    }


@pitfall(
    "Proxy-Anchor without its means",
    claim="Notes in circulation train a classifier of CIFAR-10 in batches of 500 without the two divisors. Accuracy falls by "
    "seven points. They blame late gradients that are too large.",
    text="With all {classes:.0f} classes in the batch, both divisors are one number. Without them the value is {value_times:.4f} "
    "and the gradient {gradient_times:.4f} times as large, in the same direction (cosine {cosine:.4f}). So the change is one of "
    "the learning rate, {classes:.0f} times here, and of what clips gradients. The weights within each logarithm stay the same.",
)
def without_means() -> Numbers:
    """Value and gradient without the means over proxies, divided by value and gradient with them."""
    classes = 8
    z, y = example(4 * classes, 8, classes)
    proxies, loss = directions(classes, 8), ProxyAnchor()
    right = loss.gradients(z, y, proxies=proxies)
    leaf = z.clone().requires_grad_()
    pulls, pushes = pull_and_push_terms(loss, leaf, y, proxies)
    value = pulls.sum() + pushes.sum()
    times, cosine = ratio_and_cosine(tangent(torch.autograd.grad(value, leaf)[0], z), right.z)
    return {"classes": classes, "value_times": value.detach() / right.value, "gradient_times": times, "cosine": cosine}


@pitfall(
    "One margin or two",
    also=("margin_softmax",),
    claim="Margins are written twice, $s_p-m$ and $s_n+m$, as if each had an effect of its own.",
    text="In a softmax, m on both is exactly twice m on one: {margin:.1f} on both gives {both:.6f}, and {twice:.1f} on one "
    "{doubled:.6f}. In a softmax only differences count: {shift:.1f} added to every cosine changes its loss by "
    "{softmax_change:.1g}. Proxy-Anchor changes by {anchor_change:.2f}, as the one inside its logarithms stays the same.",
)
def common_shift() -> Numbers:
    """A softmax's loss with a margin on both cosines and twice it on one; its and Proxy-Anchor's change by 0.1 on all cosines."""
    z, y = example(32, 8, 8)
    proxies, margin, added = directions(8, 8), 0.1, 0.1
    softmax, anchor = MarginSoftmax(form="AM-softmax", margin=2 * margin), ProxyAnchor()
    pairs = softmax.pairs(z, y, {"proxies": proxies})
    shifted = pairs.at(pairs.d2 - 2 * added)  # s = 1 - d^2 / 2
    s = z @ proxies.T
    same_class = torch.arange(len(proxies)) == y[:, None]
    both = torch.nn.functional.cross_entropy(softmax.scale * torch.where(same_class, s - margin, s + margin), y)
    return {
        "margin": margin,
        "twice": softmax.margin,
        "both": both,
        "doubled": softmax.of_pairs(pairs),
        "shift": added,
        "softmax_change": (softmax.of_pairs(shifted) - softmax.of_pairs(pairs)).abs(),
        "anchor_change": anchor.of_pairs(shifted) - anchor.of_pairs(pairs),
    }
