"""The source of a loss and of all that it calls, with its knobs put in."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from functools import cache, cached_property
from types import FunctionType, ModuleType
from typing import Any

from dml_viz.embedding.matmul import product
from dml_viz.params import params
from dml_viz.to_pytorch.rewriting import Text, body_of, is_primary, local_names, rewritten
from dml_viz.to_pytorch.settling import decided, own, without_dead_branches

OURS = "dml_viz"


class Gathering:
    """Collects every function, class, constant and import that the functions asked for need, each after what it needs.

    ``functions`` and ``classes`` are sources by name, ``constants`` and ``knobs`` lines by name, ``imports`` statements.
    """

    def __init__(self, loss: Any) -> None:
        self.functions: dict[str, str] = {}
        self.classes: dict[str, str] = {}
        self.constants: dict[str, str] = {}
        self.knobs: dict[str, str] = {}
        self.imports: set[str] = set()
        self._loss = loss
        self._knobs = {knob.name: knob for knob in params(loss)}
        self._names: dict[Any, str] = {}

    def method(self, name: str) -> str:
        """The name under which the loss's method ``name`` is gathered."""
        return self.function(getattr(type(self._loss), name), self._loss)

    def function(self, function: Any, subject: Any = None) -> str:
        """The name under which ``function``, whose ``self`` is ``subject``, is gathered."""
        if function not in self._names:
            name = function.__name__
            while name in self._names.values():
                name += "_"
            self._names[function] = name
            source = self.source(function, subject)
            self.functions[name] = re.sub(rf"\Adef {function.__name__}\(", f"def {name}(", source)
        return self._names[function]

    def source(self, function: Any, subject: Any = None) -> str:
        """The source of ``function`` without ``self``, what ``subject`` settles decided, what is left gathered."""
        return self._gathered(decided_source(function, subject), sys.modules[function.__module__], subject)

    def _gathered(self, source: str, module: ModuleType, subject: Any = None) -> str:
        bound = {name: thing for name, thing in vars(module).items() if name != "Pairs"}
        for name in local_names(ast.parse(source)):
            bound.pop(name, None)

        def replace(node: ast.AST, text: Text) -> str | None:
            if isinstance(node, ast.Name) and node.id == "super":
                raise TypeError(f"a stand-alone {type(self._loss).__name__} has no super()")
            if subject and isinstance(node, ast.Attribute) and own(node):
                return self.attribute(node.attr, subject)
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Name) and bound.get(called.id) is product and isinstance(node, ast.Call):
                return "{} @ {}.T".format(*(_enclosed(text(argument)) for argument in node.args))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                owner = bound.get(node.value.id)
                if isinstance(owner, ModuleType) and owner.__name__.startswith(OURS):
                    return self._named(getattr(owner, node.attr), node.attr, owner)
                return None
            if isinstance(node, ast.Name) and node.id in bound:
                return self._named(bound[node.id], node.id, module)
            return None

        return rewritten(source, replace)

    def attribute(self, name: str, subject: Any) -> str | None:
        """What is written for ``self.name`` where self is ``subject``; None where it has none."""
        if not hasattr(subject, name):
            return None
        declared = inspect.getattr_static(subject, name, None)
        value = getattr(subject, name)
        if isinstance(declared, FunctionType):
            return self.function(declared, subject)
        if isinstance(value, bool | str) or not isinstance(value, int | float):
            return repr(value)
        if name in self._knobs:
            constant = name.strip("_").upper()
            self.knobs[constant] = f"{constant} = {value!r}  # {self._knobs[name].meaning}"
            return constant
        if isinstance(declared, property | cached_property):
            function = declared.fget if isinstance(declared, property) else declared.func
            body = body_of(self.source(function, subject))
            if len(body) == 1 and not re.fullmatch(r"return [\w.]+\(\)", body[0]):
                return _enclosed(body[0].removeprefix("return "))
        return _enclosed(repr(value))

    def _named(self, thing: Any, name: str, module: ModuleType) -> str:
        """The name under which ``thing``, called ``name`` in ``module``, is gathered."""
        statement, home = _import_of(name, module)
        if statement and not home.startswith(OURS):
            self.imports.add(statement)
            return name
        if isinstance(thing, FunctionType):
            return self.function(thing)
        if isinstance(thing, type):
            source = textwrap.dedent(inspect.getsource(thing))
            self.classes.setdefault(thing.__name__, self._gathered(source, sys.modules[thing.__module__]))
            return thing.__name__
        if statement:
            return self._named(thing, name, sys.modules[home])
        if name not in self.constants:
            self.constants[name] = self._gathered(_assignment_of(name, module), module)
        return name


def decided_source(function: Any, subject: Any = None) -> str:
    """The source of ``function`` without ``self`` and without what ``subject`` decides against."""
    source = _source_of(function)
    return without_dead_branches(rewritten(source, lambda node, text: decided(node, subject, text)), subject)


@cache
def _source_of(function: Any) -> str:
    """The source of a function without decorators and without ``self``."""
    source = re.sub(r"\A(@.*\n)+", "", textwrap.dedent(inspect.getsource(function)))
    return re.sub(r"\A(def \w+\()self(, )?", r"\1", source)


def _enclosed(text: str) -> str:
    return text if is_primary(text) and not text.startswith("-") else f"({text})"


@cache
def _import_of(name: str, module: ModuleType) -> tuple[str, str]:
    """The statement by which ``module`` imports ``name`` and the module it comes from; empty where it is its own."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            if (alias.asname or alias.name) == name:
                known_as = f" as {alias.asname}" if alias.asname else ""
                if isinstance(node, ast.Import):
                    return f"import {alias.name}{known_as}", alias.name
                assert isinstance(node, ast.ImportFrom)
                return f"from {node.module} import {alias.name}{known_as}", str(node.module)
    return "", ""


def _assignment_of(name: str, module: ModuleType) -> str:
    """The lines by which ``module`` sets its constant ``name``, the comments above included."""
    source = inspect.getsource(module)
    lines = source.splitlines()
    for node in ast.parse(source).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(name in local_names(target) for target in targets):
            top = node.lineno - 1
            while top and lines[top - 1].startswith("#"):
                top -= 1
            return "\n".join(lines[top : node.end_lineno])
    raise TypeError(f"{module.__name__} has no constant {name}")
