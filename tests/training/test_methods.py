"""Methods: results do not depend on the slicing of steps, and the term of each equals its sums written out."""

import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize

from dml_viz.data.datasets.digits import Digits
from dml_viz.data.datasets.glyphs import Glyphs
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.data.training_set import training_set
from dml_viz.explain.beyond_one_loss.model_training import Settings, race_of
from dml_viz.losses import LOSSES, Loss
from dml_viz.losses.contrastive import Contrastive
from dml_viz.losses.n_pair import NPair
from dml_viz.losses.triplet import Triplet
from dml_viz.params import NearestError, params
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.run_form import run_form, run_link
from dml_viz.training.device import repeatable
from dml_viz.training.learners import MethodLearner
from dml_viz.training.loop import Run, State, advance, begin, fork, observe
from dml_viz.training.methods import METHODS
from dml_viz.training.methods._base import Method, StepBatch, Survey, class_mean_directions
from dml_viz.training.methods.codes import Codes
from dml_viz.training.methods.density import Density
from dml_viz.training.methods.divide import Divide
from dml_viz.training.methods.fewer_than_classes import FewProxies
from dml_viz.training.methods.hdml import HDML
from dml_viz.training.methods.learnt_sampler import LearntSampler
from dml_viz.training.methods.levels import Levels
from dml_viz.training.methods.signatures import Signatures
from dml_viz.training.methods.teacher import Teacher
from dml_viz.training.methods.tree import Tree
from dml_viz.training.methods.two_losses import TwoLosses
from dml_viz.training.nets.conv import Conv
from dml_viz.training.nets.levels import Levels as LevelsNet
from dml_viz.training.nets.levels import level_widths
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.paths import with_training_defaults
from dml_viz.training.race_url import read_racers, write_racers
from dml_viz.training.step import Learner
from tests.samples import for_each

SMALL = Run(Digits(), dim=8, net=MLP(16, 1), sampler=PByK(4, 6), lr=0.003, steps=24, every=10, loss=Contrastive(), device="cpu")
KNOBS = {"divide": {"joint": 0.5}, "teacher": {"lessons": 10}}
NAMES = tuple(METHODS)


def run_with(name: str) -> Run:
    return replace(SMALL, method=METHODS[name](**KNOBS.get(name, {})))


def same(a: State, b: State) -> bool:
    pairs = [(a.weights, b.weights), *zip(a.learnt, b.learnt, strict=True)]
    arrays = [(getattr(p, part), getattr(q, part)) for p, q in pairs for part in ("value", "mean", "square")]
    return a.step == b.step and all(np.array_equal(p, q) for p, q in arrays)


@pytest.mark.parametrize("name", NAMES)
def test_slices_forks_and_looks_change_no_bit(name: str) -> None:
    run = run_with(name)
    whole, frames = advance(run, begin(run), run.steps)
    state, pieces = begin(run), []
    for place, steps in enumerate((1, 9, 3, 11)):
        observe(run, state)
        other = pickle.loads(pickle.dumps(fork(run, run, state)))
        state, new = advance(run, other if place % 2 else state, steps)
        pieces += new
    assert same(state, whole)
    assert [np.array_equal(a.z, b.z) and a.scalars["loss"] == b.scalars["loss"] for a, b in zip(frames, pieces, strict=True)]
    assert not whole.failed


@pytest.mark.parametrize("name", [name for name in NAMES if METHODS[name]().every or METHODS[name]().of_features])
def test_a_conv_net_takes_methods_that_look_at_features(name: str) -> None:
    run = replace(run_with(name), net=Conv(4), steps=3)
    state, _ = advance(run, begin(run), 3)
    assert state.step == 3
    assert not state.failed


def test_a_learner_of_methods_trains_a_plain_run_bit_for_bit() -> None:
    whole, _ = advance(SMALL, begin(SMALL), SMALL.steps)
    with repeatable():
        learner = MethodLearner(SMALL, begin(SMALL))
        for _ in range(SMALL.steps):
            learner.train()
    assert same(learner.state(), whole)


def test_a_fork_to_another_method_keeps_weights_and_drops_memory() -> None:
    run = run_with("divide")
    state, _ = advance(run, begin(run), 5)
    assert fork(run, run, state).memory == state.memory
    other = fork(run, run_with("density"), state)
    assert not other.memory
    assert other.adam == 5
    assert np.array_equal(other.weights.value, state.weights.value)


# The term of each method, in sums written out.

GENERATOR = torch.Generator().manual_seed(0)
Z = normalize(torch.randn(12, 6, generator=GENERATOR, dtype=torch.float64), dim=1)
Y = torch.arange(4).repeat_interleave(3)


def batch(method: Method, **more: object) -> StepBatch:
    memory = {}
    if method.every:
        seen = Survey(Y, Z, Z @ torch.ones(6, 7, dtype=torch.float64), 0, lambda steps, dim: Z)
        memory = method.survey(seen, {})
    return StepBatch(**{"z": Z, "y": Y, "images": torch.arange(12), "learnt": {}, "parameters": {}, "memory": memory, **more})  # type: ignore[arg-type]


def tangent_slope(value: Callable[[Tensor], Tensor]) -> tuple[float, Tensor]:
    z = Z.clone().requires_grad_()
    found = value(z)
    (slope,) = torch.autograd.grad(found, z)
    return float(found.detach()), slope - (slope * Z).sum(1, keepdim=True) * Z


def assert_as_written(method: Method, loss: Loss, literal: Callable[[Tensor], Tensor], **more: object) -> None:
    found = method.response(loss, batch(method, **more)).gradients
    value, slope = tangent_slope(literal)
    assert float(found.value) == pytest.approx(value, rel=1e-12)
    assert torch.allclose(found.z, slope, rtol=1e-10, atol=1e-12)


def spanning(z: Tensor) -> set[tuple[int, int]]:
    """The edges of the shortest tree of each class, grown point by point."""
    edges = set()
    for label in Y.unique().tolist():
        members = [k for k in range(12) if Y[k] == label]
        reached = {members[0]}
        while len(reached) < len(members):
            length = {(i, j): float((z[i] - z[j]).norm()) for i in reached for j in members if j not in reached}
            i, j = min(length, key=length.__getitem__)
            reached.add(j)
            edges.add((min(i, j), max(i, j)))
    return edges


def test_a_tree_of_positives_is_the_paper_s_pairs() -> None:
    edges = spanning(Z)

    def literal(z: Tensor) -> Tensor:
        total = z.new_zeros(())
        for i in range(12):
            for j in range(i + 1, 12):
                d2 = (z[i] - z[j]).square().sum()
                if (i, j) in edges:
                    total = total + d2 / 2
                elif Y[i] != Y[j]:
                    total = total + (1 - d2.sqrt()).relu().square() / 2
        return 2 * total / (12 * 11)

    assert_as_written(Tree(), Contrastive(), literal)
    found = Tree().positive_mask(Z, Y)
    assert {(i, j) for i, j in found.nonzero().tolist() if i < j} == edges


@for_each("name", [name for name, kind in LOSSES.items() if kind.masked])
def test_closed_forms_use_the_edges_of_the_tree(name: str) -> None:
    loss = with_training_defaults(LOSSES[name])
    learnt = {key: tensor.double() for key, tensor in loss.initial_tensors(4, 6, torch.Generator()).items()}
    pairs = Tree().pairs(loss, batch(Tree(), learnt=learnt))
    value, weights = loss.value_and_weights(pairs)
    by_autograd = Loss.value_and_weights(loss, pairs)
    assert float(value) == pytest.approx(float(by_autograd[0]), rel=1e-9)
    assert torch.allclose(weights, by_autograd[1], rtol=1e-7, atol=1e-10)
    whole, _ = loss.value_and_weights(loss.pairs(Z, Y, learnt))
    assert float(whole) != float(value)


def test_a_slice_is_trained_as_an_embedding_of_its_own() -> None:
    method = Divide(clusters=3)
    memory = {"cluster": torch.ones(12, dtype=torch.int64), "turn": torch.tensor(0)}

    def literal(z: Tensor) -> Tensor:
        own = torch.stack([row[2:4] / row[2:4].norm() for row in z])
        return Contrastive().by_hand(own, Y)  # type: ignore[return-value]

    assert_as_written(method, Contrastive(), literal, memory=memory)
    assert_as_written(method, Contrastive(), lambda z: Contrastive().by_hand(z, Y), memory=memory, done=0.8)  # type: ignore[arg-type, return-value]


def test_clusters_take_turns_and_a_batch_of_a_cluster_has_only_its_images() -> None:
    method, labels = Divide(together=0.5), torch.arange(5).repeat(20)
    of = torch.tensor([0] * 70 + [1] * 10 + [2] * 19 + [3])  # of very unequal sizes; the last has no two images of a class
    drawn, came = torch.arange(20), []
    for turn in range(9):
        memory = {"cluster": of, "turn": torch.tensor(turn)}
        images = method.draw(drawn, labels, memory, torch.Generator().manual_seed(turn), 0.2)
        (cluster,) = of[images].unique().tolist()
        came.append(cluster)
        assert len(images) == 20
    assert came == [0, 1, 2] * 3
    assert method.draw(drawn, labels, memory, torch.Generator(), 0.6) is drawn
    after = method.response(Contrastive(), batch(method)).memory
    assert int(after["turn"]) == 1


def test_the_slices_of_a_divided_embedding_have_one_length_in_every_row_that_is_scored() -> None:
    run = replace(SMALL, dim=8, method=Divide(clusters=3), steps=3)
    state, frames = advance(run, begin(run), 3)
    lengths = torch.from_numpy(frames[-1].z).split(run.method.disjoint_widths(8), 1)
    assert [part.shape[1] for part in lengths] == [2, 3, 3]
    assert all(torch.allclose(part.norm(dim=1), torch.tensor(3**-0.5), atol=1e-5) for part in lengths)
    rows = training_set(SMALL.dataset, SMALL.protocol, torch.device("cpu")).x
    with torch.no_grad():
        first = MethodLearner(run, state).net[:-1](rows)[:, :2]  # before slices get their length
    expected = first / first.norm(dim=1, keepdim=True) / 3**0.5
    assert torch.allclose(MethodLearner(run, state).embed(rows)[:, :2], expected, atol=1e-6)


def test_clusters_keep_their_numbers() -> None:
    method = Divide(clusters=3)
    seen = Survey(Y, Z, Z, 0, lambda steps, dim: Z)
    first = method.survey(seen, {})
    renamed = {"cluster": (first["cluster"] + 1) % 3}
    assert torch.equal(method.survey(seen, renamed)["cluster"], renamed["cluster"])


def test_known_categories_take_the_place_of_clusters() -> None:
    categories = torch.tensor([5, 5, 7, 7, 9, 9, 7, 7, 5, 5, 9, 9])
    seen = Survey(Y, Z, Z, 0, lambda steps, dim: Z, categories)
    method = Divide(clusters=2, by="categories")
    assert method.survey(seen, {})["cluster"].tolist() == [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0]  # of 5 and 9, and of 7
    clusters = Divide(clusters=2).survey(seen, {})["cluster"]
    for without in (None, torch.zeros(12, dtype=torch.int64)):
        assert torch.equal(method.survey(replace(seen, categories=without), {})["cluster"], clusters)
    run = replace(SMALL, dataset=Glyphs(), method=Divide(by="categories"), steps=1)
    state, _ = advance(run, begin(run), 1)
    data = training_set(run.dataset, run.protocol, torch.device("cpu"))
    _, expected = data.table.categories.unique(return_inverse=True)
    assert np.array_equal(state.memory["cluster"], expected.numpy() % 4)


def test_signatures_draw_the_nearest_classes_and_follow_them() -> None:
    method = Signatures(momentum=0.75)
    start = batch(method)
    expected = torch.stack([(s := Z[label == Y].sum(0)) / s.norm() for label in range(4)])
    assert torch.allclose(start.memory["signatures"], expected)
    old = {"signatures": torch.eye(6, dtype=torch.float64)[:5]}
    after = method.response(Contrastive(), replace(start, memory=old)).memory["signatures"]
    literal = 0.75 * old["signatures"][0] + 0.25 * expected[0]
    assert torch.allclose(after[0], literal / literal.norm())
    assert torch.equal(after[4], old["signatures"][4])  # a class that was not drawn
    angles = torch.tensor([0.0, 0.1, 0.25, 3.0, 3.2])
    signatures = torch.stack((angles.cos(), angles.sin()), 1)
    labels = torch.arange(5).repeat_interleave(4)
    for seed in range(5):
        images = method.draw(torch.arange(8), labels, {"signatures": signatures}, torch.Generator().manual_seed(seed), 0)
        assert tuple(labels[images].unique().tolist()) in {(0, 1), (1, 2), (3, 4)}


def test_triplets_of_dense_centres() -> None:
    method = Density(margin=0.7, radius=0.9, own=0.5)
    centres = []
    for label in range(4):
        centre = Z[label == Y].mean(0)
        centre = centre / centre.norm()
        for _ in range(60):
            near = [row for row in Z[label == Y] if (row - centre).norm() < 0.9]
            if near:
                centre = sum(near) / torch.linalg.vector_norm(sum(near))  # type: ignore[arg-type, assignment]
        centres.append(centre)

    def literal(z: Tensor) -> Tensor:
        terms = [
            ((centres[label] - z[p]).square().sum() - (centres[label] - z[n]).square().sum() + 0.7).relu()
            for label in range(4)
            for p in range(12)
            for n in range(12)
            if Y[p] == label != Y[n]
        ]
        return sum(terms) / len(terms) + 0.5 * Contrastive().by_hand(z, Y)  # type: ignore[return-value]

    assert_as_written(method, Contrastive(), literal)


def test_an_outlier_moves_the_mean_and_not_the_dense_centre() -> None:
    angles = torch.tensor([0.0, 0.05, 0.1, 2.0], dtype=torch.float64)
    z, y = torch.stack((angles.cos(), angles.sin()), 1), torch.zeros(4, dtype=torch.int64)
    (centre,) = Density(radius=0.5).dense_centres(z, y, 1)
    assert float(torch.atan2(centre[1], centre[0])) == pytest.approx(0.05)
    (mean,) = class_mean_directions(z, y, 1)
    assert float(torch.atan2(mean[1], mean[0])) > 0.3


def pulled(a: Tensor, p: Tensor, n: Tensor, mean: float, alpha: float) -> Tensor:
    """The official code's pull of a negative towards the anchor."""
    near, far = (a - p).norm(), (a - n).norm()
    if bool(far <= near):
        return n
    return a + (near + (far - near) * math.exp(-alpha / mean)) / far * (n - a)


def pulled_rows(z: Tensor, places: tuple[list[int], ...], mean: float, alpha: float) -> Tensor:
    return torch.stack([pulled(z[a], z[p], z[n], mean, alpha) for a, p, n in zip(*places, strict=True)])


def test_synthetic_triplets_and_their_generator() -> None:
    method, width = HDML(alpha=0.4, beta=0.3, margin=0.9), 7
    features = torch.rand(12, width, generator=GENERATOR, dtype=torch.float64)
    weight, bias = (torch.randn(*size, generator=GENERATOR, dtype=torch.float64) for size in ((6, width), (6,)))
    parameters = {
        name: tensor.double() for name, tensor in method.initial_tensors(4, width, 6, torch.Generator().manual_seed(1)).items()
    }
    memory = {"loss": torch.tensor(0.6, dtype=torch.float64), "generator": torch.tensor(0.8, dtype=torch.float64)}
    seen = batch(method, features=features, head=(weight, bias), parameters=parameters, memory=memory)
    anchor, positive, negative = places = tuple(rows.tolist() for rows in method.triplets(seen))
    assert anchor == list(range(12))
    for a, p, n in zip(anchor, positive, negative, strict=True):
        members = [k for k in range(12) if Y[k] == Y[a]]
        assert p == members[(members.index(a) + 1) % 3]
        assert Y[n] != Y[a]

    def generated(rows: Tensor, into: Tensor, out: Tensor) -> Tensor:
        return ((rows @ into.T).relu() @ out.T).relu()

    leaves = {name: tensor.clone().requires_grad_() for name, tensor in parameters.items()}
    easy = pulled_rows(Z, places, 0.6, 0.4)
    made_rows = generated(torch.cat([Z[anchor], Z[positive], easy]), leaves["into"], leaves["out"])
    back = (generated(Z, leaves["into"], leaves["out"]) - features).square().mean()
    kept = cross_entropy(made_rows @ parameters["classes"].T, torch.cat([Y[anchor], Y[positive], Y[negative]]))
    cost = (back + kept) / 2
    slopes = torch.autograd.grad(cost, [leaves["into"], leaves["out"]])
    (of_classes,) = torch.autograd.grad(cross_entropy(features @ leaves["classes"].T, Y), leaves["classes"])
    real = math.exp(-0.3 / 0.8)
    head = (weight.clone().requires_grad_(), bias.clone().requires_grad_())

    def literal(z: Tensor) -> Tensor:
        rows = torch.cat([z[anchor], z[positive], pulled_rows(z, places, 0.6, 0.4)])
        synthetic = [row / row.norm() for row in generated(rows, parameters["into"], parameters["out"]) @ head[0].T + head[1]]
        terms = [
            ((synthetic[k] - synthetic[12 + k]).square().sum() - (synthetic[k] - synthetic[24 + k]).square().sum() + 0.9).relu()
            for k in range(12)
        ]
        return real * Contrastive().by_hand(z, Y) + (1 - real) * sum(terms) / 12  # type: ignore[return-value]

    found = method.response(Contrastive(), seen)
    value, slope = tangent_slope(literal)
    assert float(found.gradients.value) == pytest.approx(value, rel=1e-12)
    assert torch.allclose(found.gradients.z, slope, rtol=1e-9, atol=1e-12)
    of_head = torch.autograd.grad(literal(Z), head)
    assert found.head is not None
    assert all(torch.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in zip(found.head, of_head, strict=True))
    for name, expected in zip(("into", "out", "classes"), (*slopes, of_classes), strict=True):
        assert torch.allclose(found.parameters[name], expected, rtol=1e-9, atol=1e-12)
    plain = float(Contrastive().by_hand(Z, Y))  # type: ignore[arg-type]
    assert float(found.memory["loss"]) == pytest.approx(0.95 * 0.6 + 0.05 * plain)
    assert float(found.memory["generator"]) == pytest.approx(0.95 * 0.8 + 0.05 * float(cost.detach()))


def test_at_first_the_real_loss_counts_alone_and_without_a_net_the_synthetic_one() -> None:
    method = HDML()
    parameters = {
        name: tensor.double() for name, tensor in method.initial_tensors(4, 7, 6, torch.Generator().manual_seed(1)).items()
    }
    head = (torch.ones(6, 7, dtype=torch.float64), torch.ones(6, dtype=torch.float64))
    of_net = batch(method, features=torch.ones(12, 7, dtype=torch.float64), head=head, parameters=parameters)
    first = method.response(Contrastive(), of_net)
    assert float(first.gradients.value) == pytest.approx(float(Contrastive().by_hand(Z, Y)), rel=1e-12)  # type: ignore[arg-type]
    assert math.isfinite(float(first.memory["generator"]))
    memory = {name: torch.tensor(0.5, dtype=torch.float64) for name in ("loss", "generator")}
    places = tuple(rows.tolist() for rows in method.triplets(batch(method)))

    def literal(z: Tensor) -> Tensor:
        easy = [row / row.norm() for row in pulled_rows(z, places, 0.5, method.alpha)]
        near = (z[places[1]] - z[places[0]]).square().sum(1)
        far = (torch.stack(easy) - z[places[0]]).square().sum(1)
        return (near - far + method.margin).relu().mean()

    assert_as_written(method, Contrastive(), literal, memory=memory, parameters=parameters)


def test_each_level_gets_the_whole_loss_and_of_two_losses_each_all_points() -> None:
    def literal(z: Tensor) -> Tensor:
        thirds = [torch.stack([row[k : k + 2] / row[k : k + 2].norm() for row in z]) for k in (0, 2, 4)]
        return sum(Contrastive().by_hand(third, Y) for third in thirds) / 3  # type: ignore[arg-type, return-value]

    assert_as_written(Levels(), Contrastive(), literal)

    def of_two(z: Tensor) -> Tensor:
        return Contrastive().by_hand(z, Y) + 0.7 * NPair(normalise=True).by_hand(z, Y)  # type: ignore[return-value]

    assert_as_written(TwoLosses("N-pair", 0.7), Contrastive(), of_two)
    assert [level_widths(dim) for dim in (2, 3, 8, 64)] == [(2,), (3,), (2, 2, 4), (21, 21, 22)]


def test_a_net_of_three_levels_trains_with_every_method_and_gives_each_part_equal_length() -> None:
    run = replace(SMALL, net=LevelsNet(4), method=Levels(), steps=4)
    state, _ = advance(run, begin(run), 4)
    rows = training_set(SMALL.dataset, SMALL.protocol, torch.device("cpu")).x
    parts = MethodLearner(run, state).embed(rows).split(level_widths(8), 1)
    assert all(torch.allclose(part.norm(dim=1), torch.tensor(3**-0.5), atol=1e-5) for part in parts)
    for name in ("hdml", "divide"):
        other = replace(run_with(name), net=LevelsNet(4), steps=2)
        assert not advance(other, begin(other), 2)[0].failed


@pytest.mark.parametrize("form", ["relative", "absolute"])
def test_a_student_copies_its_teacher(form: str) -> None:
    teacher = normalize(torch.randn(12, 6, generator=GENERATOR, dtype=torch.float64), dim=1)

    def literal(z: Tensor) -> Tensor:
        if form == "absolute":
            term = sum((z[i] - teacher[i]).norm() for i in range(12)) / 12
        else:
            pairs = [(i, j) for i in range(12) for j in range(12) if i != j]
            squares = [((z[i] - z[j]).norm() - (teacher[i] - teacher[j]).norm()) ** 2 for i, j in pairs]
            term = torch.stack(squares).sum().sqrt() / 12
        return Contrastive().by_hand(z, Y) + 1.5 * term  # type: ignore[return-value]

    assert_as_written(Teacher(form, weight=1.5), Contrastive(), literal, memory={"teacher": teacher})
    rounded = normalize(3 * Z, dim=1)
    assert not torch.equal(rounded, Z)
    assert_as_written(Teacher(form), Contrastive(), lambda z: Contrastive().by_hand(z, Y), memory={"teacher": rounded})


def test_a_teacher_is_a_plain_run() -> None:
    run = replace(SMALL, method=Teacher("absolute", lessons=5))
    state, _ = advance(run, begin(run), 1)
    plain, _ = advance(SMALL, begin(SMALL), 5)
    rows = training_set(SMALL.dataset, SMALL.protocol, torch.device("cpu")).x
    assert torch.equal(torch.from_numpy(state.memory["teacher"]), Learner(SMALL, plain).embed(rows))


@pytest.mark.parametrize("assignment", ["dynamic", "static"])
def test_classes_share_proxies(assignment: str) -> None:
    method = FewProxies(share=0.5, assignment=assignment, scale=2.0)
    parameters = {"proxies": method.initial_tensors(6, 7, 6, torch.Generator().manual_seed(2))["proxies"].double()}
    leaf = parameters["proxies"].clone().requires_grad_()
    proxies = [row / row.norm() for row in leaf]

    def literal(z: Tensor) -> Tensor:
        terms = []
        means = [Z[label == Y].sum(0) / Z[label == Y].sum(0).norm() for label in range(4)]
        apart = [[float((mean - proxy.detach()).square().sum()) for proxy in proxies] for mean in means]
        even = [choice for choice in product(range(3), repeat=4) if max(map(choice.count, choice)) <= 2]
        best = min(even, key=lambda choice: sum(apart[label][choice[label]] for label in range(4)))
        for i in range(12):
            chosen = best[Y[i]] if assignment == "dynamic" else int(Y[i]) % 3
            scores = torch.stack([-4 * (z[i] - p).square().sum() for p in proxies])
            terms.append(-(scores[chosen].exp() / scores.exp().sum()).log())
        return sum(terms) / 12  # type: ignore[return-value]

    assert_as_written(method, Contrastive(), lambda z: literal(z), parameters=parameters)
    (slope,) = torch.autograd.grad(literal(Z), leaf)
    found = method.response(Contrastive(), batch(method, parameters=parameters)).parameters["proxies"]
    assert torch.allclose(found, slope, rtol=1e-9, atol=1e-12)


def test_parts_are_pulled_to_their_codewords() -> None:
    method = Codes(parts=2, words=3, temperature=0.4, weight=0.7)
    parameters = {"codewords": method.initial_tensors(4, 7, 6, torch.Generator().manual_seed(3))["codewords"].double()}
    leaf = parameters["codewords"].clone().requires_grad_()

    def literal(z: Tensor) -> Tensor:
        total = z.new_zeros(())
        for part in range(2):
            shares = []
            for i in range(12):
                apart = torch.stack([(z[i, 3 * part : 3 * part + 3] - word).square().sum() for word in leaf[part]])
                exponents = (-apart / 0.4).exp()
                shares.append(exponents / exponents.sum())
                total = total + apart.min() / 12 - shares[-1].square().sum() / 12
            total = total + (torch.stack(shares).mean(0) ** 2).sum()
        return total

    assert_as_written(method, Contrastive(), lambda z: Contrastive().by_hand(z, Y) + 0.7 * literal(z), parameters=parameters)  # type: ignore[arg-type, return-value]
    (slope,) = torch.autograd.grad(literal(Z), leaf)
    found = method.response(Contrastive(), batch(method, parameters=parameters)).parameters["codewords"]
    assert torch.allclose(found, 0.7 * slope, rtol=1e-9, atol=1e-12)
    nearest = [min(range(3), key=lambda k: float((Z[5, 3:] - leaf[1, k]).detach().norm()))]
    assert method.nearest_codewords(Z, parameters["codewords"])[1, 5] == nearest[0]


def test_preferences_of_a_learnt_sampler_increase_the_share_of_active_triplets() -> None:
    method = LearntSampler(speed=3.0, margin=0.4)
    policy = torch.randn(4, 4, generator=GENERATOR, dtype=torch.float64)
    mean = torch.tensor(0.2, dtype=torch.float64)
    rewards = {}
    for other in (1, 2, 3):
        triplets = [(a, p, n) for a in range(3) for p in range(3) for n in range(12) if a != p and Y[n] == other]
        active = [(Z[a] - Z[p]).square().sum() - (Z[a] - Z[n]).square().sum() + 0.4 > 0 for a, p, n in triplets]
        rewards[other] = sum(map(float, active)) / len(triplets)
    assert rewards == pytest.approx({label: float(reward) for label, reward in method.active_triplet_shares(Z, Y).items()})
    shares = {b: math.exp(policy[0, b]) / sum(math.exp(policy[0, c]) for c in (1, 2, 3)) for b in (1, 2, 3)}
    memory = {"policy": policy, "reward": mean}
    found = method.response(Contrastive(), batch(method, memory=memory)).memory
    for column in (1, 2, 3):
        climbed = sum(3 * (rewards[b] - 0.2) * ((b == column) - shares[column]) for b in rewards)
        assert float(found["policy"][0, column]) == pytest.approx(float(policy[0, column]) + climbed)
    assert torch.equal(found["policy"][1:], policy[1:])
    assert float(found["reward"]) == pytest.approx(0.95 * 0.2 + 0.05 * sum(rewards.values()) / 3)


def test_a_learnt_sampler_draws_by_its_preferences() -> None:
    method, labels = LearntSampler(), torch.arange(6).repeat_interleave(4)
    policy = torch.zeros(6, 6)
    policy[:, 4] = 50.0
    counts = torch.zeros(6)
    for seed in range(40):
        images = method.draw(torch.arange(8), labels, {"policy": policy}, torch.Generator().manual_seed(seed), 0)
        drawn = labels[images]
        assert len(images) == 8
        counts[drawn[drawn != drawn[0]].unique()] += 1
        assert 4 in drawn
    assert counts[[0, 1, 2, 3, 5]].sum() < 20  # beside the class 4 as first


# The runs that a method can be part of, and its text in a link.


@for_each("name", NAMES)
def test_a_method_takes_a_loss_or_says_why_not(name: str) -> None:
    method, taken = METHODS[name](), 0
    for kind in LOSSES.values():
        loss = with_training_defaults(kind)
        if why := method.refuses(loss):
            assert method.title in why
            assert loss.title in why
            with pytest.raises(ValueError, match=r"(Choose another|choose one)"):
                replace(SMALL, method=method, loss=loss)
        else:
            taken += 1
            learnt = {
                key: tensor.double() for key, tensor in loss.initial_tensors(4, 6, torch.Generator().manual_seed(0)).items()
            }
            if not loss.views and loss.unit:
                parameters = {
                    key: rows.double() for key, rows in method.initial_tensors(4, 7, 6, torch.Generator().manual_seed(0)).items()
                }
                found = method.response(loss, batch(method, learnt=learnt, parameters=parameters)).gradients
                assert bool(torch.isfinite(found.z).all())
                assert bool(torch.isfinite(found.value))
                assert set(found.learnt) == set(learnt)
    assert taken


@for_each("name", NAMES)
def test_a_method_is_declared_in_full_and_written_in_links_and_races(name: str) -> None:
    kind = METHODS[name]
    assert kind.title
    assert kind.sentence.endswith(".")
    assert kind.faithful
    assert not kind.faithful.endswith(".")
    assert kind.reference or name == "plain"
    method = kind()
    for knob in params(kind):
        assert knob.name not in ("lr", "method")
        end = next((end for end in knob.ends if end != knob.default), knob.default)
        method = kind(**{knob.name: end})
    run = Run(
        Digits(),
        loss=with_training_defaults(Triplet)
        if not method.refuses(with_training_defaults(Triplet))
        else with_training_defaults(Contrastive),
        method=method,
    )
    assert run_form(LinkReader(run_link(run))) == run
    race = race_of(Settings(method, run.loss))
    assert read_racers(write_racers(race.racers)) == race.racers
    assert race.run_of(1).method == method
    assert name == "plain" or kind.title in race.racers[1].title


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("triplet.method:forest", "method = 'forest'"),
        ("contrastive.method:tree.method.keep:few", "keep = 'few'"),
        ("contrastive.method:tree.method.depth:3", "no knob 'method.depth'"),
    ],
)
def test_a_racer_with_an_impossible_method_says_why(text: str, says: str) -> None:
    with pytest.raises(NearestError, match=says):
        read_racers(f"fastap~{text}")


def test_a_share_of_labels_is_wrong_and_no_class_is_lost() -> None:
    cpu = torch.device("cpu")
    right, wrong = (training_set(Digits(), "unseen classes", cpu, noise) for noise in (0.0, 0.3))
    assert float((right.labels != wrong.labels).double().mean()) == pytest.approx(0.3, abs=0.002)
    assert torch.equal(right.x, wrong.x)
    assert wrong.classes == right.classes == len(wrong.labels.unique())
    assert right is training_set(Digits(), "unseen classes", cpu, 0.0)
