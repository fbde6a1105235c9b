"""One function of a page's model or of its sentences as JavaScript: a function, a method, a lambda, each with its closure."""

import ast
import inspect
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from dml_viz.threads import syntax_tree
from dml_viz.to_javascript.expressions import LIBRARY, unreserved_name
from dml_viz.to_javascript.room_expressions import Names, RoomExpressions
from dml_viz.to_javascript.translation import STEP, Translation, definition


class RoomTranslation(Translation):
    """The JavaScript of ``function``: its ``parameters``, the lines of its ``body``, and whether it ``yields``.

    TypeError, naming file and line, for code that cannot be translated.
    """

    _in: RoomExpressions

    def __init__(self, function: FunctionType, names: Names) -> None:
        tree = _tree(function)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        known = {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}
        self._in = RoomExpressions(
            inspect.getsourcefile(function), known, set(_parameters(tree)), names.javascript_of, names.note_attribute
        )
        self._in.names_of = names
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.default is not inspect.Parameter.empty
        }
        self.parameters = self._signature(tree.args, {name: names.javascript_of(value) for name, value in defaults.items()})
        if isinstance(tree, ast.Lambda):
            self.body, self.yields = [f"return {self._in.expression(tree.body)};"], False
            return
        self.yields = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in _within(tree))
        self.body = self._body(tree, _parameters(tree))

    def _signature(self, given: ast.arguments, defaults: Mapping[str, str]) -> str:
        """Parameters by place, then those that have a name alone, as one object."""

        def written(name: str) -> str:
            return unreserved_name(name) + (f" = {defaults[name]}" if name in defaults else "")

        parts = [written(arg.arg) for arg in (*given.posonlyargs, *given.args) if arg.arg not in ("self", "cls")]
        if given.vararg:
            parts.append(f"...{unreserved_name(given.vararg.arg)}")
        if given.kwonlyargs and given.vararg:
            raise self._in.refusal(given, "a signature with both")
        if given.kwonlyargs:
            parts.append(f"{{ {', '.join(written(arg.arg) for arg in given.kwonlyargs)} }} = {{}}")
        return ", ".join([*parts, *([unreserved_name(given.kwarg.arg)] if given.kwarg else [])])

    def _statement(self, node: ast.stmt) -> list[str]:
        write = self._in.expression
        match node:
            case ast.Assign(targets=[_, _, *_] as targets, value=value):
                first, *others = reversed(targets)
                return [self._assignment(first, write(value)), *(self._assignment(other, write(first)) for other in others)]
            case ast.While(test=test, body=body, orelse=[]):
                return [f"while ({self._in.condition(test)}) {{", *self._indented(body), "}"]
            case ast.With(items=[ast.withitem(optional_vars=None)], body=body):
                return self._block(body)  # without a graph, or as a bar of controls
            case ast.FunctionDef(name=name) if not any(isinstance(part, ast.Yield) for part in _within(node)):
                inner = [STEP + line for line in self._body(node, _parameters(node))]
                return [f"{unreserved_name(name)} = ({self._signature(node.args, {})}) => {{", *inner, "};"]
            case ast.Raise(exc=ast.Call(func=ast.Name(id=kind), args=words)):
                return [f"throw {LIBRARY}.error({', '.join([json.dumps(kind), *map(write, words)])});"]
            case ast.Try(
                body=body, handlers=[ast.ExceptHandler(type=ast.Name(), name=name, body=other)], orelse=[], finalbody=[]
            ):
                caught = name or "$error"
                otherwise = self._in.within([caught], lambda: self._indented(other))
                head = f"{STEP}{caught} = {LIBRARY}.caught({caught});"
                return ["try {", *self._indented(body), f"}} catch ({caught}) {{", head, *otherwise, "}"]
            case ast.Raise(exc=ast.Name(id=kind)):
                return [f'throw {LIBRARY}.error("{kind}");']
            case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
                return [f"yield {write(value)};"]
            case ast.Expr(value=ast.YieldFrom(value=value)):
                return [f"yield* {LIBRARY}.each({write(value)});"]
            case ast.Assert() | ast.Pass() | ast.Import() | ast.ImportFrom():
                return []
            case ast.Expr(value=value) if not isinstance(value, ast.Constant):
                return [f"{write(value)};"]
            case _:
                return super()._statement(node)

    def _assignment(self, target: ast.expr, value: str) -> str:
        match target:
            case ast.List():
                return f"{self._in.assignment_target(target)} = {LIBRARY}.each({value});"
            case ast.Subscript(value=of, slice=index):
                return f"{LIBRARY}.put({self._in.expression(of)}, {value}, {self._in.index(index)});"
            case ast.Attribute(value=of, attr=name):
                return f"{self._in.expression(of)}.{self._in.names_of.note_attribute(name)} = {value};"
            case _:
                return super()._assignment(target, value)


def _parameters(tree: ast.FunctionDef | ast.Lambda) -> list[str]:
    given = tree.args
    extra = [arg for arg in (given.vararg, given.kwarg) if arg]
    return [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs, *extra)]


def _within(tree: ast.AST) -> Iterator[ast.AST]:
    """All that is in ``tree``, the functions in it left out."""
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield child
            yield from _within(child)


def _tree(function: FunctionType) -> ast.FunctionDef | ast.Lambda:
    """The syntax of a function; that of a lambda is known by where its result is written."""
    if function.__name__ != "<lambda>":
        return definition(function)
    file = inspect.getsourcefile(function)
    assert file
    spans = {span for span in function.__code__.co_positions() if None not in span}
    for node in _lambdas(file):
        body = node.body
        if (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset) in spans and _covers(node, spans):
            return node
    raise TypeError(f"{file}:{function.__code__.co_firstlineno}: the lambda is not found in its file; write it as a function")


def _covers(node: ast.Lambda, spans: set[Any]) -> bool:
    return all(node.lineno <= first and (last or 0) <= (node.end_lineno or 0) for first, last, *_ in spans if first)


@cache
def _lambdas(file: str) -> list[ast.Lambda]:
    tree = syntax_tree(Path(file).read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
