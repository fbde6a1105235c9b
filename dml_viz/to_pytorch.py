"""A loss as stand-alone PyTorch: its own source and that of all it calls, with its knobs as arguments of a module."""

import ast
import inspect
import math
import re
import sys
import textwrap
from collections.abc import Iterable
from functools import lru_cache
from types import FunctionType, ModuleType

from dml_viz.embedding.matmul import inner_products
from dml_viz.losses import Loss, Pairs, Shape
from dml_viz.params import params
from dml_viz.threads import source_of, syntax_tree

STEP = "    "
WIDTH = 96  # characters of a docstring's line
CLASSES, SAMPLES, INPUTS, DIM = 8, 4, 20, 16  # of the example
PRODUCT = '''def inner_products(a: Tensor, b: Tensor) -> Tensor:
    """Inner products (N, M) of rows ``a`` (N, d) and ``b`` (M, d)."""
    return a @ b.T
'''


@lru_cache(maxsize=256)
def snippet(loss: Loss) -> str:
    """The loss as a Python module that runs as it is with torch alone; its knobs default to those of ``loss``."""
    kind = type(loss)
    sources = Sources(loss)
    main = _class(f"{kind.__name__}(torch.nn.Module)", _about(loss), [_init(loss), *sources.methods[kind].values()])
    pairs = [_class("Pairs", str(inspect.getdoc(Pairs)), of.values())] if (of := sources.methods[Pairs]) else []
    constants = "\n".join(sources.constants.values())
    parts = [sources.head, main, constants, *pairs, *sources.definitions.values(), _example(loss)]
    return "\n\n\n".join(part.strip("\n") for part in parts if part) + "\n"


class Sources:
    """The source of all that a loss calls, each piece once, in the order in which it is found.

    ``imports`` are statements. By name, ``methods`` are those of a class, ``constants`` are assignments, and ``definitions`` are
    functions and classes of this package.
    """

    def __init__(self, loss: Loss) -> None:
        kind, forward = type(loss), _forward(loss)
        self.imports = {"import torch", "from torch import Tensor"}
        self.methods: dict[type, dict[str, str]] = {kind: {"forward": forward}, Pairs: {}}
        self.constants: dict[str, str] = {}
        self.definitions: dict[str, str] = {}
        self._add_names(forward, sys.modules[Loss.__module__], kind)
        if kind.initial_tensors is not Loss.initial_tensors:
            self._add_method(kind, "initial_tensors")

    @property
    def head(self) -> str:
        """The import statements, those of torch last."""
        statements = sorted(self.imports, key=lambda line: (line.startswith("from"), line))
        of_torch = [line for line in statements if "torch" in line]
        others = [line for line in statements if line not in of_torch]
        groups = (["from __future__ import annotations"], others, of_torch)
        return "\n\n".join("\n".join(group) for group in groups if group)

    def _add_method(self, owner: type, name: str) -> None:
        """Add the method or property ``name`` of ``owner``, if it is one, and what it names."""
        declared = inspect.getattr_static(owner, name, None)
        if isinstance(declared, bool | str | tuple) and name not in getattr(owner, "__dataclass_fields__", ()):
            self.methods[owner].setdefault(name, f"{name} = {declared!r}\n")
        function = declared.fget if isinstance(declared, property) else getattr(declared, "func", declared)
        if isinstance(function, FunctionType) and name not in self.methods[owner]:
            source = textwrap.dedent(inspect.getsource(function))
            self.methods[owner][name] = source
            self._add_names(source, sys.modules[function.__module__], owner)

    def _add_names(self, source: str, module: ModuleType, owner: type | None = None) -> None:
        """Add all that ``source`` names: globals of ``module``, members of ``self``, an ``owner``, and members of pairs."""
        for node in ast.walk(syntax_tree(source)):
            if isinstance(node, ast.Name) and node.id in vars(module):
                self._add_global(node.id, module)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                of = {"self": owner, "pairs": Pairs}.get(node.value.id)
                if of:
                    self._add_method(of, node.attr)

    def _add_global(self, name: str, module: ModuleType) -> None:
        """Add the import, constant, function or class ``name`` of ``module``."""
        thing, text = vars(module)[name], inspect.getsource(module)
        imported = re.search(rf"^(?:from (\S+) )?import (?:.*\W)?{name}\b", text, re.MULTILINE)
        if imported and (imported[1] or "").startswith("dml_viz"):
            self._add_global(name, sys.modules[imported[1]])
        elif imported:
            self.imports.add(f"from {imported[1]} import {name}" if imported[1] else f"import {name}")
        elif thing is Pairs:
            self._add_method(Pairs, "__init__")
        elif name not in self.definitions and name not in self.constants:
            if isinstance(thing, FunctionType | type):
                source = self.definitions[name] = PRODUCT if thing is inner_products else source_of(thing)
            else:
                assignment = re.search(rf"^(?:#.*\n)*{name}\b.* = .*$", text, re.MULTILINE)
                assert assignment, f"{module.__name__} has no constant {name}"
                source = self.constants[name] = assignment[0]
            self._add_names(source, module)


def _class(head: str, doc: str, methods: Iterable[str]) -> str:
    doc = f'"""{doc}\n"""' if "\n" in doc else f'"""{doc}"""'
    return f"class {head}:\n" + textwrap.indent("\n".join((doc + "\n", *methods)), STEP)


def _about(loss: Loss) -> str:
    """The docstring: sentence, the variant of the knobs, the class's docstring, arguments and source."""
    kind = type(loss)
    rows = "rows of norm 1" if loss.unit else "rows as the net gives them, not normalised"
    classes = ", from 0 on" if _sized(kind) else ""
    parts = [kind.sentence, f"With these defaults: {loss.variant_text} {loss.held_constant}".strip()]
    parts += str(inspect.getdoc(kind)).split("\n\n")
    parts += [f"z (N, d): {rows}; y (N,): whole-number labels{classes}.", f"{kind.reference}."]
    return "\n\n".join(textwrap.fill(part, WIDTH, break_on_hyphens=False) for part in parts)


def _forward(loss: Loss) -> str:
    """The method ``forward``: the loss of all pairs of the rows, or of the rows with its proxies."""
    kind = type(loss)
    learnt = "dict(self.named_parameters())"
    lines = ["return self.of_rows(z, y)"]
    if kind.pairs is not Loss.pairs:
        lines = [f"return self.of_pairs(self.pairs(z, y, {learnt}))"]
    elif "proxies" in loss.learns:
        per_class = '.div(self.per_class, rounding_mode="floor")' if kind.per_class is not Loss.per_class else ""
        lines = [
            "proxies = normalise(self.proxies)",
            f"owners = torch.arange(len(proxies), device=y.device){per_class}",
            "return self.of_pairs(Pairs(z, y, proxies, owners))",
        ]
    elif kind.of_rows is Loss.of_rows:
        ends = ", ends_constant=self.one_sided" if kind.one_sided is not Loss.one_sided else ""
        lines = [f"return self.of_pairs(Pairs(z, y{ends}{f', learnt={learnt}' if kind.learnable else ''}))"]
    lines = [*_clamps(kind), *lines]
    return "def forward(self, z: Tensor, y: Tensor) -> Tensor:\n" + "".join(f"{STEP}{line}\n" for line in lines)


def _sized(kind: type[Loss]) -> bool:
    """Whether the loss can learn tensors whose shape depends on the classes and dimensions."""
    return any(tensor.shape is not Shape.NUMBER for tensor in kind.learnable)


def _clamps(kind: type[Loss]) -> list[str]:
    """Lines that clamp the learnt tensors to their ranges, as training does after each step."""
    lines: list[str] = []
    for tensor in (tensor for tensor in kind.learnable if tensor.bounded):
        ends = [f"{end}={value!r}" for end, value in (("min", tensor.low), ("max", tensor.high)) if math.isfinite(value)]
        clamp = ["with torch.no_grad():", f"{STEP}self.{tensor.name}.clamp_({', '.join(ends)})"]
        lines += [f"if self.{tensor.switch}:", *(STEP + line for line in clamp)] if tensor.switch else clamp
    return lines


def _init(loss: Loss) -> str:
    """The constructor, with the knobs and the sizes of the learnt tensors as arguments."""
    learning, size = type(loss).initial_tensors is not Loss.initial_tensors, "int" if loss.learns else "int = 0"
    sizes = ("classes", "dim") if _sized(type(loss)) else ()
    values = {knob.name: getattr(loss, knob.name) for knob in params(loss)}
    arguments = [f"{name}: {size}," for name in sizes]
    for knob in params(loss):
        argument = f"{knob.name}: {knob.kind.__name__} = {_literal(values[knob.name])},"
        if knob.choices:
            arguments += [f"# {knob.meaning}:", f"{argument}  # {', '.join(map(_literal, knob.choices))}"]
        else:
            arguments.append(f"{argument}  # {knob.meaning}")
    lines = [
        "def __init__(",
        f"{STEP}self,",
        *(STEP + argument for argument in arguments),
        ") -> None:",
        f"{STEP}super().__init__()",
        *(f"{STEP}self.{name} = {name}" for name in values),
    ]
    if learning:
        lines += [
            f"{STEP}for name, tensor in self.initial_tensors({', '.join(sizes) or '0, 0'}, torch.default_generator).items():",
            f"{STEP * 2}setattr(self, name, torch.nn.Parameter(tensor))",
        ]
    return "\n".join(lines) + "\n"


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _example(loss: Loss) -> str:
    """A few steps with the loss, as the last lines of its snippet."""
    kind = type(loss)
    many, each = (CLASSES * SAMPLES // 2, 2) if kind.views else (CLASSES, SAMPLES)
    what = f"{many} images, two views of each" if kind.views else f"{many} classes, {each} samples of each"
    sizes = f"classes={many}, dim={DIM}" if loss.learns and _sized(kind) else ""
    learnt = ', {"params": loss.parameters(), "lr": 1e-1}' if loss.learns else ""
    rows = "torch.nn.functional.normalize(net(x), dim=1)" if loss.unit else "net(x)"
    return f"""if __name__ == "__main__":
    torch.manual_seed(0)
    y = torch.arange({many}).repeat_interleave({each})  # (N,): {what}
    x = torch.randn(len(y), {INPUTS})
    net = torch.nn.Linear({INPUTS}, {DIM})
    loss = {kind.__name__}({sizes})
    optimiser = torch.optim.Adam([{{"params": net.parameters()}}{learnt}], lr=1e-3)
    for step in range(3):
        z = {rows}  # (N, d)
        value = loss(z, y)
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        print(f"step {{step}}: {{value.item():.4f}}")
"""
