"""One expression of a page's model or of its sentences as JavaScript: Python with NumPy, f-strings and classes.

Arguments by name come last in JavaScript, as one object, for functions of the library and where they have no other way.
"""

import ast
import inspect
import json
from collections.abc import Mapping
from contextlib import suppress
from types import FunctionType
from typing import Any, Protocol

from dml_viz.to_javascript.expressions import KEY, LIBRARY, OUT, Expressions, unreserved_name

OPERATORS: dict[type[ast.AST], str] = {
    ast.BitAnd: "bitand", ast.BitOr: "bitor", ast.MatMult: "matmul",
}  # fmt: skip
# Methods of Python's own values that are functions of the library, with the value first.
METHODS = {name: name for name in (
    "capitalize", "count", "extend", "get", "index", "join", "partition", "replace", "rstrip", "setdefault", "startswith",
    "upper", "lower", "split", "removeprefix",
)} | {"translate": "translated"}  # fmt: skip


class Names(Protocol):
    """What is known of the names in Python code."""

    def javascript_of(self, thing: Any) -> str:
        """The JavaScript of any object that a name in Python stands for; LookupError where it has none."""

    def note_attribute(self, name: str) -> str:
        """Note that the attribute ``name`` is read, and return its name in JavaScript."""

    def method(self, name: str) -> FunctionType | None:
        """The method with this name; None where no class has one."""

    def class_name(self, kind: type) -> str:
        """The name of a class in JavaScript."""


class RoomExpressions(Expressions):
    """Writer of the expressions of a function, as `Expressions`, of all Python that pages are written in."""

    names_of: Names

    def library_function(self, node: ast.AST, op: ast.AST) -> str:
        return OPERATORS[type(op)] if type(op) in OPERATORS else super().library_function(node, op)

    def expression(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=value) if value is Ellipsis:
                return f"{LIBRARY}.ELLIPSIS"
            case ast.JoinedStr(values=parts):
                if len(parts) == 1 and isinstance(parts[0], ast.Constant):
                    return self.expression(parts[0])
                return f"{LIBRARY}.text({', '.join(map(self.expression, parts))})"
            case ast.FormattedValue(value=value, conversion=-1 | 114 as conversion, format_spec=spec):
                written = self.expression(value) if conversion < 0 else f"{LIBRARY}.repr({self.expression(value)})"
                return f"{LIBRARY}.format({written}, {self.expression(spec)})" if spec else f"{LIBRARY}.str({written})"
            case ast.Name(id="self" | "cls" as name) if name in self._variables:
                return "this"
            case ast.Call(func=ast.Name(id="super"), args=[]):
                return "super"
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return f"{LIBRARY}.invert({self.expression(operand)})"
            case ast.BoolOp(op=op, values=[first, *others]) if not all(isinstance(part, ast.Compare) for part in node.values):
                rest = others[0] if len(others) == 1 else ast.BoolOp(op, others)
                called = "and" if isinstance(op, ast.And) else "or"
                return f"{LIBRARY}.{called}({self.expression(first)}, () => {self.expression(rest)})"
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                return f"({unreserved_name(name)} = {self.expression(value)})"
            case ast.Set(elts=parts):
                return f"new Set([{', '.join(map(self._part, parts))}])"
            case ast.SetComp(elt=element, generators=clauses):
                return self._gathered(clauses, "new Set()", lambda: f"{OUT}.add({self.expression(element)});")
            case ast.Slice(lower=low, upper=high, step=step):
                if not (low or high or step):
                    return f"{LIBRARY}.EVERY"
                ends = [self.expression(end) if end else "null" for end in (low, high)]
                return f"new {LIBRARY}.Slice({', '.join([*ends, *([self.expression(step)] if step else [])])})"
            case ast.Subscript(value=value, slice=index):
                return f"{LIBRARY}.at({self.expression(value)}, {self.index(index)})"
            case _:
                return super().expression(node)

    def index(self, node: ast.expr) -> str:
        """What is between the brackets, as arguments."""
        match node:
            case ast.Tuple(elts=parts):
                return ", ".join(map(self.expression, parts))
            case ast.Call(func=ast.Name(id="tuple"), args=[of]):
                return f"...{LIBRARY}.each({self.expression(of)})"
            case _:
                return self.expression(node)

    def _comparison(self, node: ast.AST, left: ast.expr, op: ast.cmpop, right: ast.expr) -> str:
        if isinstance(op, ast.NotEq):
            return f"{LIBRARY}.ne({self.expression(left)}, {self.expression(right)})"
        return super()._comparison(node, left, op, right)

    def assignment_target(self, node: ast.expr) -> str:
        match node:
            case ast.Starred(value=value):
                return f"...{self.assignment_target(value)}"
            case ast.List(elts=parts):
                return f"[{', '.join(map(self.assignment_target, parts))}]"
            case ast.Attribute():
                return self.expression(node)
            case _:
                return super().assignment_target(node)

    def _named(self, node: ast.expr) -> str:
        with suppress(LookupError):
            return self.names_of.javascript_of(self._thing(node))
        if isinstance(node, ast.Attribute) and node.attr == "__getitem__":
            return f"(({KEY}) => {LIBRARY}.at({self.expression(node.value)}, {KEY}))"
        if isinstance(node, ast.Attribute):
            of, name = self.expression(node.value), self.names_of.note_attribute(node.attr)
            if method := self.names_of.method(node.attr):
                parameters = [name for name in inspect.signature(method).parameters if name != "self"]
                return f"{LIBRARY}.bound({of}, {json.dumps(name)}, {json.dumps(parameters)})"
            return f"{of}.{name}"
        raise self.refusal(node)

    def _call(self, node: ast.Call) -> str:
        function = node.func
        if isinstance(function, ast.Subscript) and self._is_class(function.value):
            function = function.value  # list[int]() is list()
        arguments, named = [self._part(argument) for argument in node.args], self._by_name(node)
        thing: Any = None
        with suppress(LookupError):
            thing = self._thing(function)
        if thing is not None and not isinstance(getattr(thing, "__self__", None), Mapping | str | tuple):
            return self._call_of(thing, function, arguments, named, node)
        if isinstance(function, ast.Attribute):
            of = self.expression(function.value)
            if function.attr in METHODS:
                return f"{LIBRARY}.{METHODS[function.attr]}({', '.join([of, *arguments])})"
            if function.attr == "append":
                return f"{of}.push({arguments[0]})"
            if named and (method := self.names_of.method(function.attr)):
                arguments, named = _placed(method, arguments, named, self.refusal(node, f"the call {ast.unparse(node)}"))
            return f"{of}.{self.names_of.note_attribute(function.attr)}({', '.join([*arguments, *_object(named)])})"
        listed = f"[{', '.join(arguments)}]"
        return f"{LIBRARY}.call({', '.join([self.expression(function), listed, *_object(named)])})"

    def _is_class(self, node: ast.expr) -> bool:
        with suppress(LookupError):
            return isinstance(self._thing(node), type)
        return False

    def _by_name(self, node: ast.Call) -> dict[str, str]:
        """The arguments by name; those of a dictionary by the text that spreads it."""
        return {
            keyword.arg or f"...{LIBRARY}.plainly({self.expression(keyword.value)})": self.expression(keyword.value)
            for keyword in node.keywords
        }

    def _call_of(self, thing: Any, function: ast.expr, arguments: list[str], named: dict[str, str], node: ast.Call) -> str:
        """A call of a known function or class."""
        called = self.expression(function)
        if isinstance(thing, type) and called.startswith(f"{LIBRARY}."):
            return f"{called}({', '.join([*arguments, *_object(named)])})"
        spread = any(part.startswith("...") for part in (*named, *(arguments if named else ())))
        if isinstance(thing, type) and (spread or getattr(thing, "by_hand", None)):
            return f"{LIBRARY}.call({called}, [{', '.join(arguments)}]{', ' + _object(named)[0] if named else ''})"
        ours = isinstance(thing, type) or (isinstance(thing, FunctionType) and not called.startswith(f"{LIBRARY}."))
        if named and ours:
            arguments, named = _placed(thing, arguments, named, self.refusal(node, f"the call {ast.unparse(node)}"))
        return f"{'new ' if isinstance(thing, type) else ''}{called}({', '.join([*arguments, *_object(named)])})"


def _placed(thing: Any, arguments: list[str], named: dict[str, str], refusal: TypeError) -> tuple[list[str], dict[str, str]]:
    """Arguments by place, those given by name among them, and those that have a name alone."""
    if any(argument.startswith("...") for argument in arguments):
        raise refusal
    parameters = list(inspect.signature(thing).parameters.values())
    by_place = [p.name for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY and p.name != "self"]
    placed = list(arguments)
    alone = {name: value for name, value in named.items() if name not in by_place}
    last = max((by_place.index(name) for name in named if name in by_place), default=len(placed) - 1)
    last = len(by_place) - 1 if alone else last
    placed += [named.get(name, "undefined") for name in by_place[len(placed) : last + 1]]
    return placed, alone


def _object(named: dict[str, str]) -> list[str]:
    """The arguments by name as one object; none without any."""
    entries = (name if name.startswith("...") else f"{name}: {value}" for name, value in named.items())
    return [f"{{ {', '.join(entries)} }}"] if named else []


def literal(value: str | float | bool | None) -> str:
    """A plain value of Python in JavaScript."""
    if isinstance(value, float) and value != value:
        return "NaN"
    if value in (float("inf"), -float("inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return json.dumps(value)
