"""The wrong forms of losses in notes and code, each with a sentence on its error."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from dml_viz.losses import Pairs, log_one_and_sum
from dml_viz.losses._soft_histogram import cumulative_histograms_and_columns
from dml_viz.losses.fastap import loss_of_histograms
from dml_viz.pitfalls.proxy_anchor import pull_and_push_terms

MOST_TRIPLETS = 4_000_000


@dataclass(frozen=True)
class Mistake:
    """``error`` says what is wrong with a form of the loss ``name`` at ``switches``; its free knobs are those named ``knobs``.

    If none is named, all are free. ``of_pairs`` returns its value from the loss and its pairs, or the value and
    another number that is differentiated. If ``cut``, some classes of the batch have no proxy.
    """

    name: str
    error: str
    of_pairs: Callable[[Any, Pairs], Tensor | tuple[Tensor, Tensor]]
    switches: Mapping[str, Any] = field(default_factory=dict)
    knobs: tuple[str, ...] = ()
    unit: bool = True
    cut: bool = False


def _fastap(loss: Any, pairs: Pairs, far: Tensor) -> Tensor:
    """FastAP of the distances ``far`` (N, N) in bins over [0, 2]: the first half of twice as many bins over [0, 4]."""
    up_to, _ = cumulative_histograms_and_columns(far, pairs.y, 2 * loss.bins)
    return loss_of_histograms(up_to[:, :, : loss.bins + 2], pairs.positive_counts)


def _triplets(pairs: Pairs) -> tuple[Tensor, Tensor, Tensor]:
    """Anchors and positives (M,) of all positive pairs, and their negatives (M, N); ValueError if there are too many."""
    anchors, positives = pairs.positive.nonzero(as_tuple=True)
    if len(anchors) * len(pairs.y) > MOST_TRIPLETS:
        raise ValueError(f"more than {MOST_TRIPLETS:,} triplets")
    return anchors, positives, pairs.negative[anchors]


def _hinges(violation: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
    """The mean hinge of the violations (M, N) where ``counts``, and their mean without a hinge."""
    violations = violation[counts]
    return violations.relu().mean(), violations.mean()


def _angular(loss: Any, pairs: Pairs, norms: Callable[[Tensor], Tensor]) -> tuple[Tensor, Tensor]:
    """The hinges of the angular loss with ``norms`` of squared distances in place of squared distances."""
    (a, p, counts), d2, t = _triplets(pairs), pairs.d2, loss._t
    within = d2[a, p][:, None]
    return _hinges(norms(within) - 4 * t * norms(((d2[a] + d2[p]) / 2 - within / 4).clamp(min=1e-24)), counts)


def _triplet(loss: Any, pairs: Pairs) -> tuple[Tensor, Tensor]:
    (a, p, counts), d = _triplets(pairs), pairs.d2 if loss.squared else pairs.d
    return _hinges(d[a, p][:, None] + loss.margin - d[a], counts)


def _circle(loss: Any, pairs: Pairs) -> Tensor:
    s, m = pairs.s, loss.margin
    pull = torch.where(pairs.positive, loss.gamma * (1 + m - s).relu() * (1 - m - s), -torch.inf)
    push = torch.where(pairs.negative, loss.gamma * (s + m).relu() * (s - m), -torch.inf)
    x = pull.logsumexp(1) + push.logsumexp(1)
    return torch.logaddexp(x, torch.zeros_like(x)).sum() / torch.isfinite(x).sum().clamp(min=1)


def _truncated(loss: Any, pairs: Pairs) -> Tensor:
    return -(pairs.same * (-(loss.scale**2) * pairs.d2).log_softmax(1)).sum(1).mean()


def _anchor(loss: Any, pairs: Pairs) -> tuple[Tensor, Tensor]:
    return pull_and_push_terms(loss, pairs.z, pairs.y, pairs.to)


def _of_samples(loss: Any, pairs: Pairs) -> Tensor:
    pulls, pushes = _anchor(loss, pairs)
    return pulls.sum() / len(pairs.y) + pushes.mean()


def _wrong_pull(loss: Any, pairs: Pairs) -> Tensor:
    pull = torch.where(pairs.positive, loss.alpha * (pairs.s - loss.delta), -torch.inf)
    return log_one_and_sum(pull, 0).sum() / len(pairs.y.unique()) + _anchor(loss, pairs)[1].mean()


def _squared(loss: Any, pairs: Pairs) -> Tensor:
    return loss.of_pairs(pairs.at(pairs.d2.square()))


def _plain(loss: Any, pairs: Pairs) -> Tensor:
    return loss.of_pairs(pairs.at(pairs.d))


def _softmax(error: str, logits: Callable[[float, Pairs], Tensor], *, unit: bool = True) -> Mistake:
    """Proxy-NCA as a softmax of other ``logits`` (N, C), a function of the square of its scale and its pairs."""

    def of_pairs(loss: Any, pairs: Pairs) -> Tensor:
        return cross_entropy(logits(loss.scale**2, pairs), pairs.y)

    return Mistake("proxy_nca", error, of_pairs, knobs=("scale",), unit=unit)


SATISFIED = "with the gradient of satisfied triplets, too"
AMONG_ROWS = (
    Mistake("fastap", "with its bins over distances from 0 to 2", lambda loss, pairs: _fastap(loss, pairs, pairs.d)),
    Mistake("fastap", "with squared distances in bins from 0 to 2", lambda loss, pairs: _fastap(loss, pairs, pairs.d2)),
    Mistake("angular", "with plain norms", lambda loss, pairs: _angular(loss, pairs, torch.sqrt)[0], {"form": "hinge"}),
    Mistake("angular", SATISFIED, lambda loss, pairs: _angular(loss, pairs, lambda d2: d2), {"form": "hinge"}),
    Mistake("triplet", SATISFIED, _triplet),
    Mistake("triplet", SATISFIED, _triplet, {"squared": False}),
    Mistake("circle", "with weights that move with the gradient", _circle),
    Mistake("ranked_list", "with squared distances", _squared, {"differentiated": "both ends"}),
)
PRODUCTS, NOT_SQUARED = "with products of rows that are not normalised", "on distances that are not squared"
WITH_PROXIES = (
    _softmax("with the sign of the distances turned round, or products in their place", lambda scale, pairs: scale * pairs.d2),
    _softmax("with clamped products in place of distances", lambda scale, pairs: -(scale * pairs.s).clamp(min=0)),
    _softmax(PRODUCTS, lambda scale, pairs: 2 * scale * pairs.z @ pairs.to.T, unit=False),
    Mistake("proxy_nca", "with proxies of some classes alone", _truncated, knobs=("scale",), cut=True),
    *(Mistake("proxy_nca", NOT_SQUARED, _plain, {"positive_in_denominator": inside}, ("scale",)) for inside in (False, True)),
    Mistake("proxy_anchor", "with its pull divided by the samples", _of_samples),
    Mistake("proxy_anchor", "without its means", lambda loss, pairs: torch.cat(_anchor(loss, pairs)).sum()),
    Mistake("proxy_anchor", "without the minus sign in its pull", _wrong_pull),
)
