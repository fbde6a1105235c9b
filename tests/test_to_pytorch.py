"""The snippet of a loss, with torch alone, computes the same as the loss."""

import ast
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from dml_viz.embedding.sphere import tangent
from dml_viz.losses import LOSSES, Loss, Shape
from dml_viz.params import knobs, params
from dml_viz.to_pytorch import snippet
from tests.batches import ORDINARY, learnt_for
from tests.corners import corners
from tests.samples import for_each, pairs_of

BATCHES = ("on the sphere", "in five dimensions", "unequal classes", "a class of one")


def variants() -> Iterator[Loss]:
    """Every loss at every setting of its switches, with its numbers as they are and at either end of their sliders."""
    for kind in LOSSES.values():
        numbers = [knob for knob in params(kind) if knob.slider]
        for corner in corners(kind):
            ends = [{knob.name: knob.ends[end] for knob in numbers} for end in (0, -1)]
            usual = {knob.name: knob.default for knob in numbers}
            yield from (kind(**{**corner, **there}) for there in (usual, *ends))


def spelled(loss: Loss) -> str:
    return f"{type(loss).__name__}({','.join(f'{name}={value}' for name, value in knobs(loss).items())})"


def loaded(loss: Loss) -> dict[str, Any]:
    """The names that the snippet defines, in a namespace of its own."""
    names: dict[str, Any] = {"__name__": "snippet"}
    exec(compile(snippet(loss), spelled(loss), "exec"), names)
    return names


def called(loss: Loss, z: Tensor, y: Tensor, learnt: dict[str, Tensor]) -> Tensor:
    """The snippet's value with ``learnt`` as its learnt tensors."""
    rows = any(tensor.ndim for tensor in learnt.values())
    sizes = {"classes": int(y.max()) + 2, "dim": z.shape[1]} if rows else {}
    module = loaded(loss)[type(loss).__name__](**sizes).double()
    assert {name: tensor.shape for name, tensor in module.state_dict().items()} == {
        name: tensor.shape for name, tensor in learnt.items()
    }
    return torch.func.functional_call(module, learnt, (z, y))  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", LOSSES.values(), ids=LOSSES)
def test_value_and_gradients_are_the_losses_own(kind: type[Loss]) -> None:
    every = dict.fromkeys(loss for loss in variants() if type(loss) is kind)
    for loss, name in [*((kind(), name) for name in BATCHES), *pairs_of(every, BATCHES)]:
        print(spelled(loss), "on the batch:", name)  # shown if the test fails, for the last one
        batch = ORDINARY[name]
        z, y = batch[0].clone().requires_grad_(), batch[1]
        learnt = {key: tensor.clone().requires_grad_() for key, tensor in learnt_for(loss, batch).items()}
        value = called(loss, z, y, learnt)
        leaves = [z, *learnt.values()]
        at_z, *at_learnt = (
            torch.autograd.grad(value, leaves, allow_unused=True, materialize_grads=True)
            if value.requires_grad
            else map(torch.zeros_like, leaves)
        )
        wanted = loss.gradients(*batch, **learnt_for(loss, batch))
        found = tangent(at_z, batch[0]) if loss.unit else at_z
        for got, own in zip((value.detach(), found, *at_learnt), (wanted.value, wanted.z, *wanted.learnt.values()), strict=True):
            torch.testing.assert_close(got, own, rtol=0, atol=1e-9 * max(1.0, float(own.abs().max())))


def test_every_snippet_runs_alone(tmp_path: Path) -> None:
    for name, kind in LOSSES.items():
        (tmp_path / f"{name}_alone.py").write_text(snippet(kind()), encoding="utf-8")
    # One process for all: torch takes seconds to import.
    driver = (
        "import pathlib, runpy, sys, warnings\n"
        "warnings.simplefilter('error')\n"
        "for path in sorted(pathlib.Path(sys.argv[1]).glob('*_alone.py')):\n"
        "    print(path.stem, flush=True)\n"
        "    runpy.run_path(str(path), run_name='__main__')\n"
        "assert not any(name.split('.')[0] == 'dml_viz' for name in sys.modules)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", driver, str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-500:] + result.stderr[-3000:]
    assert result.stdout.count("step 2:") == len(LOSSES)
    assert "nan" not in result.stdout


@for_each("loss", [kind() for kind in LOSSES.values()], ids=spelled)
def test_a_snippet_reads_as_code_of_its_own(loss: Loss) -> None:
    text = snippet(loss)
    for left in ("dml_viz", "super().of"):
        assert left not in text
    assert max(map(len, text.splitlines())) <= 130
    tree = ast.parse(text)
    imported = {
        (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert "torch" in imported
    assert imported <= {"torch", *sys.stdlib_module_names}
    main = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    assert main.name == type(loss).__name__
    docstring = " ".join((ast.get_docstring(main) or "").split())
    for part in (type(loss).sentence, loss.variant_text, type(loss).reference):
        assert part in docstring


@for_each("loss", [kind() for kind in LOSSES.values()], ids=spelled)
def test_everything_defined_is_used(loss: Loss) -> None:
    tree = ast.parse(snippet(loss))
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    named |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name not in ("__init__", "forward"):
            assert node.name in named
        if isinstance(node, ast.Import | ast.ImportFrom):
            assert {alias.name for alias in node.names} & (named | {"annotations"})


@for_each("kind", LOSSES.values(), ids=LOSSES)
def test_a_knob_is_an_argument_whose_default_is_its_setting(kind: type[Loss]) -> None:
    for knob in params(kind):
        loss = kind(**{knob.name: knob.ends[-1]})
        arguments = inspect.signature(loaded(loss)[kind.__name__]).parameters
        assert {name: arguments[name].default for name in knobs(loss)} == knobs(loss)
        rows = any(tensor.shape is not Shape.NUMBER for tensor in kind.learnable)
        sizes = {"classes": 3, "dim": 2} if rows else {}
        assert getattr(loaded(kind())[kind.__name__](**sizes, **{knob.name: knob.ends[0]}), knob.name) == knob.ends[0]


@pytest.mark.parametrize("kind", [kind for kind in LOSSES.values() if any(each.bounded for each in kind.learnable)])
def test_a_module_clamps_what_it_learns_to_its_range(kind: type[Loss]) -> None:
    for tensor in kind.learnable:
        loss = kind(**({tensor.switch: True} if tensor.switch else {}))
        module = loaded(loss)[kind.__name__]().double()
        parameter = getattr(module, tensor.name)
        with torch.no_grad():
            parameter.fill_(tensor.high + 1)
        module(*ORDINARY["on the sphere"]).backward()
        assert float(parameter.detach()) == tensor.high
        assert parameter.grad
