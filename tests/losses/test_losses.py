"""Claims that hold for every loss: each is tested on all of ``losses/`` and the ends of their sliders."""

import itertools
import math
import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise, pair_gradient, tangent
from dml_viz.losses import FAMILIES, LOSSES, Loss, Shape
from dml_viz.params import EVERYWHERE, knobs, params
from tests.batches import ALL, EDGES, ORDINARY, Batch, drawn, learnt_for, tight
from tests.corners import Corner, corners, few_corners
from tests.samples import THOROUGH, for_each


def spelled(loss: Loss) -> str:
    values = ",".join(f"{name}={value}" for name, value in knobs(loss).items())
    return f"{type(loss).__name__}({values})"


@cache
def settings(kind: type[Loss], some: Callable[[Any], Iterator[Corner]] = few_corners) -> tuple[Loss, ...]:
    """A loss at its defaults and with its knobs at their ends."""
    return tuple(dict.fromkeys((kind(), *(kind(**corner) for corner in some(kind)))))


# For autograd through sums of single numbers, which takes seconds; away from the defaults one batch has all kinds of classes.
SMALL = {name: batch for name, batch in ORDINARY.items() if len(batch[1]) <= 10 >= batch[0].shape[1]}
SMALLEST = {"a class of one": ORDINARY["a class of one"]}
every_loss = pytest.mark.parametrize("loss", [kind() for kind in LOSSES.values()], ids=spelled)
each_loss = for_each("loss", [kind() for kind in LOSSES.values()], ids=spelled)
every_kind = pytest.mark.parametrize("kind", LOSSES.values(), ids=LOSSES)
each_kind = for_each("kind", LOSSES.values(), ids=LOSSES)


def named(losses: Iterable[Loss], batches: dict[str, Batch], some: int = 2) -> Iterator[tuple[Loss, Batch]]:
    """The first loss with every batch, each other one with ``some`` of them, in turn, or with all if `THOROUGH`.

    Both are printed, so that the output of a failed test ends with them.
    """
    names = list(batches)
    for place, loss in enumerate(losses):
        turn = range((place - 1) * some, place * some)
        for name in names if THOROUGH or not place else dict.fromkeys(names[k % len(names)] for k in turn):
            print(spelled(loss), "on the batch:", name)
            yield loss, batches[name]


def cases(losses: Iterable[Loss], batches: dict[str, Batch], some: int = 2) -> Iterator[tuple[Loss, Batch]]:
    """As `named`, and for a loss of raw rows also with rows of many lengths."""
    for loss, (z, y) in named(losses, batches, some):
        yield loss, (z, y)
        if not loss.unit:
            print("with rows of many lengths")
            yield loss, (z * torch.linspace(0.5, 2, len(z), dtype=z.dtype)[:, None], y)


def watched(batch: Batch, loss: Loss) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
    """A batch and learnt tensors that require gradients."""
    z, y = batch
    learnt = {name: tensor.clone().requires_grad_() for name, tensor in learnt_for(loss, batch).items()}
    return z.clone().requires_grad_(), y, learnt


def autograd(loss: Loss, value: Any, z: Tensor, learnt: dict[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
    """The gradient of ``value`` at z, of unit rows without its radial part, and at the learnt tensors; zero if there is none."""
    leaves = [z, *learnt.values()]
    found = [torch.zeros_like(leaf) for leaf in leaves]
    if isinstance(value, Tensor) and value.requires_grad:
        found = list(torch.autograd.grad(value, leaves, allow_unused=True, materialize_grads=True))
    at_z = tangent(found[0], z.detach()) if loss.unit else found[0]
    return at_z, dict(zip(learnt, found[1:], strict=True))


def close(found: Tensor, wanted: Tensor, relative: float) -> None:
    """Whether tensors are equal up to ``relative`` times the largest entry, or times 1 if all are smaller."""
    torch.testing.assert_close(found, wanted, rtol=0, atol=relative * max(1.0, float(wanted.detach().abs().max())))


@every_kind
def test_the_value_is_that_of_the_papers_sums(kind: type[Loss]) -> None:
    for loss, batch in cases(settings(kind), ALL, 4):
        learnt = learnt_for(loss, batch)
        wanted = float(loss.by_hand(*batch, **learnt))
        assert float(loss.value(*batch, **learnt)) == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@every_kind
def test_the_gradients_are_those_of_the_papers_sums(kind: type[Loss]) -> None:
    plain, *others = settings(kind)
    for loss, batch in itertools.chain(cases([plain], SMALL), cases(others, SMALLEST)):
        z, y, learnt = watched(batch, loss)
        wanted, wanted_learnt = autograd(loss, loss.by_hand(z, y, **learnt), z, learnt)
        found = loss.gradients(*batch, **learnt_for(loss, batch))
        close(found.z, wanted, 1e-11)
        for name, gradient in found.learnt.items():
            close(gradient, wanted_learnt[name], 1e-11)


@every_kind
def test_weights_in_closed_form_are_autograds(kind: type[Loss]) -> None:
    for loss, (z, y) in cases(settings(kind), ALL, 4):
        pairs = loss.pairs(z, y, learnt_for(loss, (z, y)))
        try:
            plain_value, plain_weights = Loss.value_and_weights(loss, pairs)
        except TypeError:
            assert not loss.unit, "only a loss of raw rows may be no function of squared distances"
            continue
        value, weights = loss.value_and_weights(pairs)
        close(value, plain_value, 1e-12)
        close(weights, plain_weights, 1e-11)


@every_kind
def test_gradients_are_autograds_and_tangent_to_unit_rows(kind: type[Loss]) -> None:
    for loss, batch in cases(settings(kind), ALL, 4):
        z, y, learnt = watched(batch, loss)
        wanted, wanted_learnt = autograd(loss, loss.of_rows(z, y, **learnt), z, learnt)
        found = loss.gradients(*batch, **learnt_for(loss, batch))
        close(found.z, wanted, 1e-11)
        if loss.unit:
            close((found.z * batch[0]).sum(1), torch.zeros(len(y), dtype=z.dtype), 1e-12 * max(1, found.z.abs().max()))
        assert set(found.learnt) == set(loss.learns)
        for name, gradient in found.learnt.items():
            close(gradient, wanted_learnt[name], 1e-11)


@every_kind
def test_value_differentiates_to_the_same_gradients_times_what_follows(kind: type[Loss]) -> None:
    plain, *others = settings(kind)
    for loss, batch in itertools.chain(cases([plain], ALL), cases(others, SMALLEST)):
        z, y, learnt = watched(batch, loss)
        value = loss.value(z, y, **learnt)
        found, found_learnt = autograd(loss, -3.7 * value + 1, z, learnt)
        given = learnt_for(loss, batch)
        wanted, ambient = loss.gradients(*batch, **given), loss.evaluate(loss.pairs(*batch, given), given).z
        close(value, wanted.value, 1e-15)
        # The projection of a large radial part leaves rounding errors.
        close(found, -3.7 * wanted.z, 1e-14 * max(1.0, float(ambient.abs().max())))
        for name, gradient in wanted.learnt.items():
            close(found_learnt[name], -3.7 * gradient, 1e-13)


@every_loss
def test_value_passes_gradcheck_at_unit_rows_and_through_normalisation(loss: Loss) -> None:
    if loss.held_constant:
        assert loss.held_constant.endswith("."), "say what is held constant in a sentence"
        return
    batch = drawn(7, 3, 2, seed=11)
    z, y, learnt = watched(batch, loss)
    leaves = (z, *learnt.values())

    def value(z: Tensor, *learnt: Tensor) -> Tensor:
        return 2.5 * loss.value(z, y, **dict(zip(loss.learns, learnt, strict=True)))

    assert torch.autograd.gradcheck(value, leaves, eps=1e-7, atol=1e-5)
    raw = ((z.detach() * torch.linspace(0.5, 2, len(z), dtype=z.dtype)[:, None]).requires_grad_(), *leaves[1:])
    assert torch.autograd.gradcheck(lambda x, *learnt: value(normalise(x), *learnt), raw, eps=1e-7, atol=1e-5)


@every_kind
@pytest.mark.parametrize(("dtype", "some"), [(torch.float32, corners), (torch.float64, few_corners)], ids=["float32", "float64"])
def test_every_corner_is_finite(kind: type[Loss], dtype: torch.dtype, some: Callable[[Any], Iterator[Corner]]) -> None:
    for loss, batch in cases(settings(kind, some), ALL):
        z, y = (normalise(batch[0].to(dtype)) if loss.unit else batch[0].to(dtype)), batch[1]
        found = loss.gradients(z, y, **learnt_for(loss, (z, y)))
        for tensor in (found.value, found.z, *found.learnt.values()):
            assert tensor.dtype == dtype
            assert torch.isfinite(tensor).all()
        assert found.value.shape == ()
        assert found.z.shape == z.shape


@each_loss
def test_a_domain_ends_at_its_declared_ends(loss: Loss) -> None:
    kind = type(loss)
    for knob in params(kind):
        if knob.domain == EVERYWHERE:
            assert knob.choices or knob.kind is bool, f"{knob.name} has no domain"
            continue
        for end, leaves, opened in (
            (knob.domain.low, -math.inf, knob.domain.open_low),
            (knob.domain.high, math.inf, knob.domain.open_high),
        ):
            if math.isinf(end):
                continue
            step = math.copysign(1, leaves) if knob.kind is int else math.nextafter(end, leaves) - end
            outside, inside = (end, end - step) if opened else (end + step, end)
            kind(**{knob.name: knob.kind(inside)})
            with pytest.raises(ValueError, match=rf"{kind.__name__}: {knob.name} = .* is not allowed"):
                kind(**{knob.name: knob.kind(outside)})


@every_kind
def test_the_order_of_a_batch_does_not_matter(kind: type[Loss]) -> None:
    for loss, (z, y) in cases(settings(kind), ORDINARY):
        learnt = learnt_for(loss, (z, y))
        order = torch.randperm(len(y), generator=torch.Generator().manual_seed(1))
        if loss.ordered:
            # Classes are shuffled among each other, each in its own order.
            place = torch.empty_like(order)
            for label in y.unique():
                own = (y == label).nonzero()[:, 0]
                place[own] = order[own].sort().values
            order = place.argsort()
        here, there = loss.gradients(z, y, **learnt), loss.gradients(z[order], y[order], **learnt)
        close(there.value, here.value, 1e-12)
        close(there.z, here.z[order], 1e-11)


@every_kind
def test_the_names_of_the_classes_do_not_matter(kind: type[Loss]) -> None:
    for loss, (z, y) in cases(settings(kind), ORDINARY):
        learnt = learnt_for(loss, (z, y))
        new = torch.randperm(int(y.max()) + 2, generator=torch.Generator().manual_seed(2))
        here, there = (
            loss.gradients(z, labels, **given)
            for labels, given in ((y, learnt), (new[y], {name: renamed(loss, t, new) for name, t in learnt.items()}))
        )
        close(there.value, here.value, 1e-12)
        close(there.z, here.z, 1e-11)
        for name, gradient in here.learnt.items():
            close(there.learnt[name], renamed(loss, gradient, new), 1e-11)


def renamed(loss: Loss, tensor: Tensor, new: Tensor) -> Tensor:
    """A learnt tensor whose class c is called ``new[c]``."""
    if not tensor.ndim:
        return tensor
    by_class = tensor.reshape(len(new), -1)
    return torch.empty_like(by_class).index_copy_(0, new, by_class).reshape(tensor.shape)


@each_loss
def test_labels_of_any_size_are_distinguished(loss: Loss) -> None:
    z, y = ORDINARY["on the sphere"]
    if all(declared.shape is Shape.NUMBER for declared in loss.learns.values()):
        double, single = (learnt_for(loss, (rows, y)) for rows in (z, z.float()))
        close(loss.value(z, y * 2**40 - 7, **double), loss.value(z, y, **double), 1e-12)
        close(loss.value(z.float(), y * 2**32, **single), loss.value(z.float(), y, **single), 1e-12)
        close(loss.value(z, y.to(torch.uint8), **double), loss.value(z, y, **double), 1e-12)


@every_kind
def test_rotating_everything_rotates_the_gradient(kind: type[Loss]) -> None:
    for loss, (z, y) in cases(settings(kind), ORDINARY):
        learnt = learnt_for(loss, (z, y))
        generator = torch.Generator().manual_seed(3)
        turn = torch.linalg.qr(torch.randn(z.shape[1], z.shape[1], dtype=z.dtype, generator=generator)).Q
        if loss.axes:
            # Losses that use single coordinates are invariant only to permutations of them.
            turn = torch.eye(z.shape[1], dtype=z.dtype)[torch.randperm(z.shape[1], generator=generator)]
        turned = {name: tensor @ turn if tensor.ndim == 2 else tensor for name, tensor in learnt.items()}
        here, there = (
            loss.gradients(z, y, **learnt),
            loss.gradients(normalise(z @ turn) if loss.unit else z @ turn, y, **turned),
        )
        close(there.value, here.value, 1e-10)
        close(there.z, here.z @ turn, 1e-10)


@every_kind
def test_pair_weights_give_the_gradient(kind: type[Loss]) -> None:
    for loss, (z, y) in cases(settings(kind), ALL, 4):
        learnt = learnt_for(loss, (z, y))
        weights = loss.weights(z, y, **learnt)
        rows = z if weights.rows is None else weights.rows
        gradient = torch.zeros_like(z) if weights.rest is None else weights.rest.clone()
        if weights.pair is not None:
            assert weights.pair.shape == (len(z), len(z))
            assert not (loss.unit and weights.pair.diagonal().any())
            gradient += pull_of(loss, weights.pair if weights.one_sided else weights.pair + weights.pair.T, rows)
        if weights.proxy is not None:
            gradient += pair_gradient(weights.proxy, normalise(learnt["proxies"]), z)
        close(loss.gradient(z, y, **learnt), tangent(gradient, z) if loss.unit else gradient, 1e-11)


def pull_of(loss: Loss, weights: Tensor, rows: Tensor) -> Tensor:
    """The gradient at ``rows`` of weights on their products; of unit rows as accurate as distances are."""
    return pair_gradient(weights, rows, rows) if loss.unit else weights @ rows


@every_kind
def test_float32_is_near_float64(kind: type[Loss]) -> None:
    batches = {f"in {dim} dimensions": drawn(40, dim, 5, seed=21) for dim in (2, 3, 8, 64)}
    for loss, (z, y) in named(settings(kind), batches):
        single = z.float()
        exact, near = (loss.gradients(x, y, **learnt_for(loss, (x, y))) for x in (normalise(single.double()), single))
        assert float(near.value) == pytest.approx(float(exact.value), rel=1e-5, abs=1e-6)
        assert (near.z.double() - exact.z).norm() <= 1e-4 * exact.z.norm() + 1e-7


@each_kind
def test_float32_gradients_hold_in_a_tight_cluster(kind: type[Loss]) -> None:
    batches = {f"in {dim} dimensions": tight(16, dim, 1e-3) for dim in (2, 3)}
    for loss, (z, y) in named(settings(kind), batches):
        single = z.float()
        exact, near = (loss.gradients(x, y, **learnt_for(loss, (x, y))) for x in (single.double(), single))
        assert (near.z.double() - exact.z).norm() <= 1e-4 * exact.z.norm() + 1e-7


@each_loss
def test_one_sample_alone_has_no_pairs(loss: Loss) -> None:
    if "proxies" not in loss.learns:
        batch = EDGES["one sample"]
        found = loss.gradients(*batch, **learnt_for(loss, batch))
        assert float(found.value) == 0
        assert not found.z.any()
        assert not any(gradient.any() for gradient in found.learnt.values())


@each_loss
def test_points_of_one_class_at_one_place_have_no_gradient(loss: Loss) -> None:
    z, y = EDGES["all one point in five dimensions"]
    if "proxies" not in loss.learns and not loss.axes:  # losses that know the axes depend on the place itself
        found = loss.gradients(z, torch.zeros_like(y), **learnt_for(loss, (z, torch.zeros_like(y))))
        close(tangent(found.z, z), torch.zeros_like(z), 1e-15)


@each_loss
def test_inputs_and_the_random_numbers_of_others_stay_as_they_are(loss: Loss) -> None:
    batch = drawn(12, 4, 3)
    learnt = learnt_for(loss, batch)
    before = [tensor.clone() for tensor in (*batch, *learnt.values())]
    state = torch.get_rng_state()
    loss.value(*batch, **learnt)
    loss.gradients(*batch, **learnt)
    loss.weights(*batch, **learnt)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(was, now) for was, now in zip(before, (*batch, *learnt.values()), strict=True))


@each_loss
def test_no_graph_is_kept_where_none_is_wanted(loss: Loss) -> None:
    z, y, learnt = watched(drawn(12, 4, 3), loss)
    with torch.no_grad():
        assert not loss.value(z, y, **learnt).requires_grad
    assert not loss.gradient(z, y, **learnt).requires_grad
    assert loss.value(z, y, **learnt).requires_grad


@each_loss
def test_learnt_tensors_come_from_the_generator_alone(loss: Loss) -> None:
    first, again, other = (loss.initial_tensors(5, 3, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    assert set(first) == set(loss.learns)
    for name, tensor in first.items():
        declared = loss.learns[name]
        assert tensor.shape == declared.size(5, 3, loss.per_class)
        assert declared.low <= float(tensor.min())
        assert float(tensor.max()) <= np.float32(declared.high)
        assert declared.shape is Shape.PROXIES or declared.symbol
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, again[name])
        if name == "proxies":
            assert not torch.equal(tensor, other[name])


@each_loss
def test_a_declaration_can_be_compared_hashed_and_sent_to_a_worker(loss: Loss) -> None:
    assert pickle.loads(pickle.dumps(loss)) == loss
    assert len({loss, type(loss)()}) == 1


@each_kind
def test_a_loss_describes_itself(kind: type[Loss]) -> None:
    for loss in settings(kind, corners):
        for text in (loss.title, loss.formula, loss.weight_formula, loss.reference):
            assert text.strip()
        assert loss.families
        assert set(loss.families) <= set(FAMILIES)
        for sentence in (loss.sentence, loss.variant_text, loss.elsewhere, *loss.traps):
            assert sentence.endswith(".")
    for knob in params(kind):
        assert knob.meaning


@each_kind
def test_variants_have_different_sentences(kind: type[Loss]) -> None:
    every = settings(kind, corners)
    switched = {tuple(v for v in knobs(loss).values() if isinstance(v, (bool, str))) for loss in every}
    assert len({loss.variant_text for loss in every}) >= len(switched)


BAD_POINTS = {
    "row 2 of z has norm 2": lambda z: z * torch.tensor([1, 1, 2, 1, 1, 1.0])[:, None],
    "row 0 of z has norm 0": lambda z: z * torch.tensor([0, 1, 1, 1, 1, 1.0])[:, None],
    "row 4 of z has a value that is not finite": lambda z: z.index_fill(0, torch.tensor([4]), math.nan),
    "row 5 of z has a value that is not finite.*": lambda z: z.index_fill(0, torch.tensor([5]), math.inf),
    r"z has shape \(6, 2, 1\)": lambda z: z[:, :, None],
    r"z has shape \(12,\)": lambda z: z.flatten(),
    r"z has shape \(0, 2\)": lambda z: z[:0],
    r"z has shape \(6, 0\)": lambda z: z[:, :0],
    "z is torch.float16": lambda z: z.half(),
    "z is torch.int64": lambda z: z.long(),
}
BAD_LABELS = {
    r"y has shape \(5,\) for z of shape \(6, 2\); pass \(6,\)": lambda y: y[:5],
    r"y has shape \(6, 1\)": lambda y: y[:, None],
    "y is torch.float32": lambda y: y.float(),
    "y is torch.bool": lambda y: y > 0,
}


@each_loss
def test_bad_points_are_refused_by_name(loss: Loss) -> None:
    z, y = drawn(6, 2, 2, seed=5)
    batch = (z.float(), y)
    for complaint, bad in BAD_POINTS.items():
        if loss.unit or "norm" not in complaint:
            with pytest.raises(ValueError, match=complaint):
                loss.value(bad(batch[0]), y, **learnt_for(loss, batch))
            with pytest.raises(ValueError, match=complaint):
                loss.gradient(bad(batch[0]), y, **learnt_for(loss, batch))


@each_loss
def test_bad_labels_are_refused_by_name(loss: Loss) -> None:
    z, y = drawn(6, 2, 2, seed=5)
    for complaint, bad in BAD_LABELS.items():
        with pytest.raises(ValueError, match=complaint):
            loss.value(z, bad(y), **learnt_for(loss, (z, y)))


@each_loss
def test_learnt_tensors_that_do_not_fit_are_refused_by_name(loss: Loss) -> None:
    z, y = drawn(6, 2, 2, seed=5)
    learnt = learnt_for(loss, (z, y))
    with pytest.raises(ValueError, match=r"learnt tensors wanted: .*; given: .*extra"):
        loss.value(z, y, **learnt, extra=z)
    for name, tensor in learnt.items():
        others = {other: t for other, t in learnt.items() if other != name}
        wrongs = [
            (tensor[..., None], "classes" if tensor.ndim else r"pass torch.float64 \(\)"),
            (tensor.float(), "torch.float64"),
            (tensor * math.nan, "not finite"),
        ]
        if tensor.ndim:
            some = tensor[: loss.per_class if name == "proxies" else 1]
            wrongs.append((some, "labels run from 0 to 1; .* has rows for 0 to 0"))
            with pytest.raises(ValueError, match="labels run from -1"):
                loss.value(z, y - 1, **learnt)
        if name == "proxies":
            wrongs += [(tensor[:, :1], "classes.*, 2"), (tensor * 0, "row 0 of .* is zero")]
        for wrong, complaint in wrongs:
            with pytest.raises(ValueError, match=complaint):
                loss.value(z, y, **others, **{name: wrong})
        with pytest.raises(ValueError, match=f"wanted: .*{name}.*; given: none"):
            loss.value(z, y)


@each_loss
def test_arguments_that_are_no_tensors_are_refused_by_name(loss: Loss) -> None:
    z, y = drawn(6, 2, 2, seed=5)
    for batch, name in (((z.numpy(), y), "z"), ((z, y.tolist()), "y")):
        with pytest.raises(TypeError, match=f"{name} is .*; pass a torch.Tensor"):
            loss.value(*batch, **learnt_for(loss, (z, y)))


@every_loss
def test_a_batch_of_a_thousand_is_finite(loss: Loss) -> None:
    z, y = drawn(1024, 16, 64, seed=0)
    batch = (z.float(), 3 * y + 5)
    found = loss.gradients(*batch, **learnt_for(loss, batch))
    assert torch.isfinite(found.z).all()
    assert all(torch.isfinite(gradient).all() for gradient in found.learnt.values())
    assert math.isfinite(float(found.value))


@pytest.mark.parametrize("loss", [loss for kind in LOSSES.values() if (loss := kind()).distance_bounds], ids=spelled)
def test_a_loss_with_bounds_moves_no_pair_within_them_and_some_beyond(loss: Loss) -> None:
    assert loss.distance_bounds
    near, far = loss.distance_bounds
    z = normalise(torch.randn(40, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64))
    y = torch.arange(40) % 4
    d = (z[:, None] - z).norm(dim=2)
    weights, same = loss.weights(z, y).pair, y[:, None] == y
    assert weights is not None
    done = torch.where(same, d < near, d > far)
    assert not weights[done].any()
    assert weights[same & (d > near)].any()
    assert weights[~same & (d < far)].any()
