"""The losses of the browser against those of Python: every loss, both ends of its sliders, every batch of tests."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from dml_viz.embedding.sphere import tangent
from dml_viz.losses import LOSSES, Loss
from dml_viz.losses._results import Weights
from dml_viz.losses._scalar import Number, dot, numbers, total
from dml_viz.params import knobs, param
from dml_viz.to_javascript import javascript_of_loss, javascript_of_losses
from tests.batches import ALL, EDGES, ORDINARY, Batch, learnt_for
from tests.javascript import Evaluate, evaluating
from tests.losses.test_losses import named, settings

NEAR = 1e-9
RUN = """
  const { gradient } = await asset("losses/losses.js");
  const floats = ([name, numbers]) => [name, Float64Array.from(numbers)];
  return given.map(([name, knobs, { n, dim, z, y, learnt }]) => {
    const scene = { n, dim, z: Float64Array.from(z), y: Int32Array.from(y) };
    scene.learnt = Object.fromEntries(Object.entries(learnt).map(floats));
    const found = gradient(name, scene, knobs);
    const arrays = Object.entries({ ...found.learnt, z: found.z, weights: found.weights });
    return { ...found, ...Object.fromEntries(arrays.map(([key, array]) => [key, array && [...array]])) };
  });
"""


@dataclass(frozen=True)
class Sums(Loss):
    """No published loss, but sums with all operations that losses may use and so far do not."""

    title = sentence = formula = reference = elsewhere = "Sums"
    families = ("pairs",)
    scale: float = param(2.0, "a factor", "s")
    sign: bool = param(True, "a switch", "t")

    @property
    def variant_text(self) -> str:
        return "One."

    @property
    def _doubled(self) -> float:
        return 2 * self.scale

    def _scaled(self, x: Number) -> Number:
        return x * self._doubled if self.sign else -x

    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        new, delete = numbers(z), y.tolist()  # names that JavaScript does not allow for variables
        s = {(i, j): dot(new[i], new[j]) for i in range(len(new)) for j in range(0, len(new), 2) if i != j}
        rising, falling = sorted(s.values()), sorted(s.values(), key=lambda x: x + 1, reverse=True)
        parts = [rising[0] ** 3, falling[-1] / 3, *(2 - x for x in rising[1:4][:-1])]
        alias = parts
        alias += [rising[k // 2] for k in delete if k % 2 == 1 and k not in (4, 6) and k in {1: 0, 3: 0}]
        for k, (name, x) in enumerate(zip(("a", "b", "c"), falling, strict=False)):
            if name == "b":
                parts[k] = x * x
            elif k == 2:
                parts[-1] = x
                break
        by_place = dict(enumerate([x] for x in rising))
        last = None
        for x in falling:
            by_place[0].append(x)
            last = x if last is None or x < last else last
        parts.extend(total(by_place[k]) for k in by_place if max(k, 1) != 2)
        place = max(by_place, key=by_place.__getitem__) if not by_place else min(list(by_place), key=lambda k: rising[k])
        width = math.radians(30) + math.tan(math.pi / 5) + math.sqrt(len(tuple(parts)))
        all_or_any = 1.0 if all(part > -9 for part in parts) and any(part > 0 for part in parts) else 0.5
        return sum(parts) * width * all_or_any + self._scaled(rising[place]) + (last if last is not None else 0.0)


class Looping(Sums):
    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        while True:
            return 0.0


class Foreign(Sums):
    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        return torch.det(z)


class Unknown(Sums):
    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        return float(y[0])


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Evaluate:
    """See `tests.javascript.evaluating`."""
    return evaluating(tmp_path_factory.mktemp("assets"), {"losses/sums.js": alone(Sums)})


def alone(kind: type[Loss]) -> str:
    """A module of one loss."""
    return f'import * as $ from "./python.js";\n{javascript_of_loss(kind)}\nexport {{ {kind.__name__} }};\n'


def sent(batch: Batch, learnt: dict[str, Tensor]) -> dict[str, Any]:
    """A batch as the browser gets it."""
    z, y = batch
    given = {name: tensor.flatten().tolist() for name, tensor in learnt.items()}
    return {"n": len(z), "dim": z.shape[1], "z": z.flatten().tolist(), "y": y.tolist(), "learnt": given}


def near(found: Tensor, wanted: Tensor) -> bool:
    """Whether numbers are equal up to NEAR times the largest entry, or times 1 if all are smaller."""
    return torch.allclose(found, wanted, rtol=0, atol=NEAR * max(1.0, float(wanted.abs().max())))


def read(numbers: Any, like: Tensor) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64).reshape(like.shape)


def gradients_by_hand(loss: Loss, batch: Batch, learnt: dict[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
    """The gradients of the paper's sums by autograd."""
    z = batch[0].clone().requires_grad_()
    watched = {name: tensor.clone().requires_grad_() for name, tensor in learnt.items()}
    value, leaves = loss.by_hand(z, batch[1], **watched), [z, *watched.values()]
    found = [torch.zeros_like(leaf) for leaf in leaves]
    if isinstance(value, Tensor) and value.requires_grad:
        found = list(torch.autograd.grad(value, leaves, allow_unused=True, materialize_grads=True))
    return tangent(found[0], batch[0]) if loss.unit else found[0], dict(zip(learnt, found[1:], strict=True))


def cases(kind: type[Loss]) -> Iterator[tuple[Loss, str, Batch]]:
    """A loss at its defaults with every batch by name, at ends of its knobs with some; of raw rows with rows of many lengths."""
    for loss, (z, y) in named(settings(kind), ALL, 3):
        name = next(name for name, batch in ALL.items() if batch[0] is z)
        yield loss, name, (z, y) if loss.unit else (z * torch.linspace(0.5, 2, len(z), dtype=z.dtype)[:, None], y)


@pytest.mark.parametrize("name", LOSSES)
def test_the_browser_computes_the_values_gradients_and_weights_of_python(evaluate: Evaluate, name: str) -> None:
    every = [(loss, scene, batch, learnt_for(loss, batch)) for loss, scene, batch in cases(LOSSES[name])]
    results = evaluate(RUN, [(name, knobs(loss), sent(batch, learnt)) for loss, _, batch, learnt in every])
    for (loss, scene, batch, learnt), found in zip(every, results, strict=True):
        print(loss, scene)  # shown only if the test fails, at the last one
        wanted = loss.gradients(*batch, **learnt)
        assert near(read(found["value"], wanted.value), wanted.value)
        at_z, at_learnt = wanted.z, wanted.learnt
        if scene in EDGES and not near(read(found["z"], at_z), at_z):
            # At a kink, where rounding decides, the browser takes the side that the sums take.
            at_z, at_learnt = gradients_by_hand(loss, batch, learnt)
        assert near(read(found["z"], at_z), at_z)
        assert all(near(read(found[name], gradient), gradient) for name, gradient in at_learnt.items())
        if scene in ORDINARY:
            assert_moves_as(loss.weights(*batch, **learnt), found)


def assert_moves_as(wanted: Weights, found: dict[str, Any]) -> None:
    """Assert that the browser's weights move the points as Python's do."""
    assert found["oneSided"] == wanted.one_sided
    weights = wanted.pair if wanted.proxy is None else wanted.proxy
    assert weights is not None
    weighed = read(found["weights"], weights)
    if wanted.rows is not None:  # whose products with themselves are no pair's
        weights = weights.clone().fill_diagonal_(0)
    if wanted.proxy is None and not wanted.one_sided:
        # A sum may give the weight of a pair to either of its halves.
        weighed, weights = weighed + weighed.T, weights + weights.T
    assert near(weighed, weights)


def test_knobs_that_are_not_given_have_their_defaults(evaluate: Evaluate) -> None:
    scene = sent(next(iter(ORDINARY.values())), {})
    bare, one, full = evaluate(RUN, [("triplet", some, scene) for some in ({}, {"margin": 0.5}, {"margin": 0.2})])
    assert bare == full
    assert bare["value"] != one["value"]


@pytest.mark.parametrize("sign", [True, False])
def test_pythons_language_means_the_same_in_the_browser(evaluate: Evaluate, sign: bool) -> None:
    body = """
      const { gradient } = await asset("losses/autodiff.js");
      const { Sums } = await asset("losses/sums.js");
      return given.scenes.map((each) => {
        const scene = { ...each, z: Float64Array.from(each.z), y: Int32Array.from(each.y) };
        const found = gradient(new Sums(given.knobs), scene);
        return { value: found.value, z: [...found.z] };
      });
    """
    loss = Sums(sign=sign)
    results = evaluate(body, {"knobs": knobs(loss), "scenes": [sent(batch, {}) for batch in ORDINARY.values()]})
    for batch, found in zip(ORDINARY.values(), results, strict=True):
        gradient, _ = gradients_by_hand(loss, batch, {})
        assert found["value"] == pytest.approx(loss.by_hand(*batch), rel=NEAR)
        assert near(read(found["z"], gradient), gradient)


def test_a_loss_without_its_learnt_tensors_raises(evaluate: Evaluate) -> None:
    body = """
      const { gradient } = await asset("losses/losses.js");
      const words = (...given) => { try { gradient(...given); } catch (error) { return error.message; } };
      const scene = { n: 1, dim: 2, z: Float64Array.of(1, 0), y: Int32Array.of(0) };
      return [words("proxy_nca", scene), words("nothing", scene)];
    """
    assert evaluate(body) == ["there is no [proxies]", "loss nothing is not known"]


@pytest.mark.parametrize(
    ("kind", "line", "words"),
    [(Looping, "while True:", "While"), (Foreign, "return torch.det(z)", "torch.det"), (Unknown, "return float(y[0])", "float")],
)
def test_unsupported_syntax_is_reported_with_its_place(kind: type[Loss], line: str, words: str) -> None:
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    place = next(number for number, text in enumerate(source, 1) if text.strip() == line)
    with pytest.raises(TypeError, match=rf"{Path(__file__).stem}\.py:{place}: .*{words}.* has no translation to JavaScript"):
        javascript_of_loss(kind)


def test_each_loss_is_written_into_the_module_once() -> None:
    for name, kind in LOSSES.items():
        assert javascript_of_losses().count(f"class {kind.__name__} ") == 1
        assert f"  {name}: {kind.__name__}," in javascript_of_losses()
