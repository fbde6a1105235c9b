"""One Python function as JavaScript: the part of Python in which losses write `by_hand`."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from dml_viz.threads import syntax_tree
from dml_viz.to_javascript.expressions import LIBRARY, Expressions, assigned_names, unreserved_name

STEP = "  "


class Translation:
    """The JavaScript of ``function``: its ``parameters`` and the lines of its ``body``.

    ``javascript_of`` returns the JavaScript of an object that the function's module or Python itself has by a name,
    ``attribute_name`` that of an attribute of ``self``; both raise LookupError for others. Code that cannot be translated raises
    a TypeError that names its file and line.
    """

    def __init__(
        self, function: FunctionType, javascript_of: Callable[[Any], str], attribute_name: Callable[[str], str] | None = None
    ) -> None:
        tree = definition(function)
        given = tree.args
        named = [arg.arg for arg in (*given.args, *((given.kwarg,) if given.kwarg else ())) if arg.arg != "self"]
        self._in = Expressions(inspect.getsourcefile(function), function.__globals__, set(), javascript_of, attribute_name)
        if given.vararg or given.kwonlyargs or given.posonlyargs or given.defaults:
            raise self._in.refusal(tree, f"the signature of {tree.name}()")
        self.parameters = ", ".join(map(unreserved_name, named))
        self.body = self._body(tree, named)

    def parameters_and_body(self, indent: str = "") -> str:
        """Parameters in parentheses and body in braces, as what follows the name of a function that stands at ``indent``."""
        lines = "".join(f"{indent}{STEP}{line}\n" for line in self.body)
        return f"({self.parameters}) {{\n{lines}{indent}}}\n"

    def _body(self, tree: ast.FunctionDef, parameters: list[str]) -> list[str]:
        """The body of a function, in which its variables are known besides those around it."""
        assigned = list(dict.fromkeys(name for statement in tree.body for name in assigned_in(statement)))
        variables = [unreserved_name(name) for name in assigned if name not in parameters]
        declared = [f"let {', '.join(variables)};"] if variables else []
        return declared + self._in.within([*parameters, *assigned], lambda: self._block(tree.body))

    def _block(self, statements: list[ast.stmt]) -> list[str]:
        return [line for statement in statements for line in self._statement(statement)]

    def _indented(self, statements: list[ast.stmt]) -> list[str]:
        return [STEP + line for line in self._block(statements)]

    def _statement(self, node: ast.stmt) -> list[str]:
        match node:
            case ast.Return(value=value):
                return [f"return {self._in.expression(value) if value else 'null'};"]
            case ast.Assign(targets=[target], value=value):
                return [self._assignment(target, self._in.expression(value))]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return [self._assignment(target, self._in.expression(value))]
            case ast.AugAssign(target=target, op=op, value=value):
                called = "iadd" if isinstance(op, ast.Add) else self._in.library_function(node, op)
                changed = f"{LIBRARY}.{called}({self._in.expression(target)}, {self._in.expression(value)})"
                return [self._assignment(target, changed)]
            case ast.For(target=target, iter=over, body=body, orelse=[]):
                head = f"for ({self._in.assignment_target(target)} of {LIBRARY}.each({self._in.expression(over)})) {{"
                return [head, *self._indented(body), "}"]
            case ast.If(test=test, body=body, orelse=orelse):
                otherwise = ["} else {", *self._indented(orelse)] if orelse else []
                return [f"if ({self._in.condition(test)}) {{", *self._indented(body), *otherwise, "}"]
            case ast.Continue() | ast.Break():
                return [f"{type(node).__name__.lower()};"]
            case ast.Expr(value=ast.Constant(value=str())):
                return []
            case ast.Expr(value=ast.Call() as call):
                return [f"{self._in.expression(call)};"]
            case _:
                raise self._in.refusal(node)

    def _assignment(self, target: ast.expr, value: str) -> str:
        match target:
            case ast.Name(id=name):
                return f"{unreserved_name(name)} = {value};"
            case ast.Tuple():
                return f"{self._in.assignment_target(target)} = {LIBRARY}.each({value});"
            case ast.Subscript(value=of, slice=index) if not isinstance(index, ast.Slice):
                return f"{LIBRARY}.put({self._in.expression(of)}, {self._in.expression(index)}, {value});"
            case _:
                raise self._in.refusal(target)


def definition(function: FunctionType) -> ast.FunctionDef:
    """The syntax of a function that has a name, with the lines of its file."""
    lines, start = inspect.getsourcelines(function)
    tree = syntax_tree(textwrap.dedent("".join(lines))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    ast.increment_lineno(tree, start - 1)
    return tree


def assigned_in(node: ast.AST) -> Iterator[str]:
    """The variables that a statement, or an expression in it, assigns; those of functions in it left out."""
    if isinstance(node, ast.FunctionDef):
        yield node.name
    if isinstance(node, ast.Lambda | ast.FunctionDef):
        return
    if isinstance(node, ast.stmt | ast.NamedExpr):
        for target in getattr(node, "targets", [getattr(node, "target", None)]):
            yield from assigned_names(target) if target else ()
    for child in ast.iter_child_nodes(node):
        yield from assigned_in(child)
