"""A loss as a stand-alone PyTorch module."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeGuard

import torch

from dml_viz.losses import Loss
from dml_viz.to_pytorch.asking import ORDER, Asking
from dml_viz.to_pytorch.example import example, sizes, speaks
from dml_viz.to_pytorch.gathering import Gathering, decided_source
from dml_viz.to_pytorch.rewriting import STEP, Text, body_of, function_of, rewritten
from dml_viz.to_pytorch.spreading import LEARNT, Spreading
from dml_viz.to_pytorch.tidying import tidied

WIDTH = 100


@lru_cache(maxsize=256)
def snippet(loss: Loss) -> str:
    """The loss, with its knobs as they stand, as a Python module that needs torch alone and runs as it is.

    TypeError where the loss's source does what only a class of this app can.
    """
    return _Writing(loss).module()


class _Writing:
    """The parts of one snippet."""

    def __init__(self, loss: Loss) -> None:
        self.loss = loss
        self.name = type(loss).__name__ if loss.learns else type(loss).__module__.rpartition(".")[2]
        self.gathered = Gathering(loss)
        self.held = _held(loss)

    def module(self) -> str:
        """All of it."""
        body, helpers = self._body_and_helpers()
        start, drawing = self._start() if self.loss.learns else ([], [])
        helpers += drawing
        main = self._class(start, body) if self.loss.learns else self._function(body)
        gathered, use = self.gathered, example(self.loss, self.name, start, held=self.held)
        code = [main, *gathered.classes.values(), *helpers, use]
        constants = list(dict.fromkeys(line for name, line in gathered.constants.items() if speaks(code, name)))
        knobs = [line for name, line in gathered.knobs.items() if speaks([*code, *constants], name)]
        imports = {"import torch", "from torch import Tensor", *gathered.imports}
        used = [line for line in imports if speaks([*code, *constants], line.split()[-1])]
        head = "\n".join(sorted(used, key=lambda line: ("torch" in line, line.startswith("from"), line)))
        # What a reader came for first; a function may be defined after those that call it.
        parts = [head, "\n".join(knobs), main, "\n".join(constants), *gathered.classes.values(), *helpers, use]
        return "\n\n\n".join(part.strip("\n") for part in parts if part).replace("\n\n\n", "\n\n", 1) + "\n"

    def _body_and_helpers(self) -> tuple[list[str], list[str]]:
        """The lines of the loss of rows z and labels y, and the functions that they call."""
        root = self.gathered.method("of_pairs" if self._is_of_pairs() else "of_rows")
        spreading = Spreading(self.gathered.functions, ORDER)
        spread = {name: spreading.function(name) for name in self.gathered.functions if name != root}
        asking = Asking(self.loss, self.gathered)
        source = spreading.function(
            root, asking.ends | {f"{LEARNT}{name}": f"self.{name}" for name in self.loss.learns}
        )
        lines = [*asking.definitions(spreading.asks(root), spreading.names(root)), *body_of(source)]
        whole = tidied(f"def {root}():\n" + "".join(f"{STEP}{line}\n" for line in lines))
        helpers = {
            name: tidied(spread.get(name, plain)) for name, plain in self.gathered.functions.items() if name != root
        }
        written = _without_constants({**helpers, root: whole})
        return body_of(written.pop(root)), list(written.values())

    def _is_of_pairs(self) -> bool:
        """Whether, at these knobs, the loss of rows is that of their pairs."""
        whole = decided_source(inspect.getattr_static(type(self.loss), "of_rows"), self.loss)
        return type(self.loss).of_rows is Loss.of_rows or "super().of_rows" in body_of(whole)[-1]

    def _function(self, body: list[str]) -> str:
        lines = [f"def {self.name}(z: Tensor, y: Tensor) -> Tensor:", *self._docstring(), *body]
        return "\n".join([lines[0], *(f"{STEP}{line}".rstrip() for line in lines[1:])])

    def _class(self, start: list[str], body: list[str]) -> str:
        parameters = "".join(f", {name}: int" for name in sizes(start))
        methods = [
            f"def __init__(self{parameters}) -> None:", *(f"{STEP}{line}" for line in ("super().__init__()", *start)), "",
            "def forward(self, z: Tensor, y: Tensor) -> Tensor:", *(f"{STEP}{line}" for line in body),
        ]  # fmt: skip
        lines = [*self._docstring(), "", *methods]
        return "\n".join([f"class {self.name}(torch.nn.Module):", *(f"{STEP}{line}".rstrip() for line in lines)])

    def _docstring(self) -> list[str]:
        """Sentence, variant, arguments and source."""
        loss = self.loss
        rows = "rows of norm 1" if loss.unit else "rows as the net gives them, not normalised"
        classes = ", from 0 on" if loss.learns else ""
        told = [
            type(loss).sentence, loss.variant, loss.constant, f"z (N, d): {rows}; y (N,): whole-number labels{classes}.",
            f"{type(loss).reference}.",
        ]  # fmt: skip
        first, *others = (textwrap.wrap(part, WIDTH - 2 * len(STEP)) for part in told if part)
        lines = [*first, *(line for part in others for line in ("", *part))]
        return [f'"""{lines[0]}', *lines[1:], '"""']

    def _start(self) -> tuple[list[str], list[str]]:
        """The lines that make the learnt tensors, and the function that draws them where one line does not."""
        init = inspect.getattr_static(type(self.loss), "init")
        source = rewritten(self.gathered.source(init, self.loss), _without_generator)
        function = function_of(source)
        returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
        made = [value for value in returned if value and self._made(value)]
        if len(made) < len(returned):
            raise TypeError(
                f"{type(self.loss).__name__}.init is to return what it learns as a dict that is written out"
            )
        if len(made) == 1:
            values = [ast.get_source_segment(source, value) or "" for value in made[0].values]
            lines = [line for line in body_of(source)[:-1] if not line.startswith("del ")]
            return lines + list(map(self._kept, self.loss.learns, values)), []
        (name,) = self.loss.learns
        parameters = ", ".join(f"{size}: int" for size in sizes(body_of(source)))
        body = body_of(rewritten(source, lambda node, text: text(node.values[0]) if self._made(node) else None))
        whole = [f"def initial_{name}({parameters}) -> Tensor:", *(f"{STEP}{line}".rstrip() for line in body)]
        return [self._kept(name, f"initial_{name}({', '.join(sizes(body))})")], ["\n".join(whole)]

    def _made(self, node: ast.AST) -> TypeGuard[ast.Dict]:
        """Whether a node is what the loss learns, by name."""
        return (
            isinstance(node, ast.Dict) and tuple(getattr(key, "value", None) for key in node.keys) == self.loss.learns
        )

    def _kept(self, name: str, value: str) -> str:
        """The line that makes a tensor one of the module's: a parameter, or a buffer where the loss holds it constant."""
        return f'self.register_buffer("{name}", {value})' if self.held else f"self.{name} = torch.nn.Parameter({value})"


def _without_generator(node: ast.AST, text: Text) -> str | None:
    """A call without its generator: the snippet draws from torch's own."""
    if isinstance(node, ast.Call) and any(keyword.arg == "generator" for keyword in node.keywords):
        left = [text(part) for part in (*node.args, *node.keywords) if getattr(part, "arg", "") != "generator"]
        return f"{text(node.func)}({', '.join(left)})"
    return None


def _without_constants(functions: Mapping[str, str]) -> dict[str, str]:
    """The functions by name, those that only return one expression of no argument written out where they are called."""
    trees = {name: function_of(source) for name, source in functions.items()}
    constant = {
        f"{name}()": " ".join(body_of(functions[name])).removeprefix("return ")
        for name, tree in trees.items()
        if not tree.args.args and isinstance(tree.body[-1], ast.Return) and len(body_of(functions[name])) == 1
    }

    def replace(node: ast.AST, text: Text) -> str | None:
        return constant.get(ast.unparse(node)) if isinstance(node, ast.Call) else None

    return {name: rewritten(source, replace) for name, source in functions.items() if f"{name}()" not in constant}


def _held(loss: Loss) -> bool:
    """Whether the loss takes its proxies for constant."""
    if "proxies" not in loss.learns:
        return False
    drawn = loss.init(1, 2, torch.Generator().manual_seed(0))
    learnt = {name: tensor.requires_grad_() for name, tensor in drawn.items()}
    return not loss.pairs(torch.ones(1, 2), torch.zeros(1, dtype=torch.long), learnt).to.requires_grad
