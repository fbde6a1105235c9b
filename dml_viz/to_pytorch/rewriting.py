"""Python source rewritten in place: what is not replaced keeps its line breaks and its comments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

Text: TypeAlias = Callable[[ast.AST], str]
Replace: TypeAlias = Callable[[ast.AST, Text], str | None]

PRIMARY = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)
STEP = "    "


def rewritten(source: str, replace: Replace) -> str:
    """``source`` with every node for which ``replace`` gives a text replaced by it; the others are descended into.

    ``replace`` is given a node and a function that writes a node anew, for the parts of it that stay.
    """
    # Columns of the syntax tree count bytes.
    encoded = source.encode()
    starts = [0]
    for line in encoded.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: Any) -> tuple[int, int]:
        # A decorated function begins with its decorators.
        first = min([node, *getattr(node, "decorator_list", [])], key=lambda part: part.lineno)
        return starts[first.lineno - 1] + first.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def text(node: ast.AST) -> str:
        new = replace(node, text)
        return inside(node, *span(node)) if new is None else new

    def inside(node: ast.AST, at: int, end: int) -> str:
        pieces: list[bytes] = []
        for child in sorted(_placed(node), key=lambda child: span(child)):
            first, last = span(child)
            new = text(child)
            if (
                _bracketed(encoded, first, last)
                and isinstance(child, ast.IfExp | ast.BoolOp | ast.BinOp)
                and is_primary(new)
            ):
                first, last = first - 1, last + 1
            pieces += [encoded[at:first], new.encode()]
            at = last
        return b"".join([*pieces, encoded[at:end]]).decode()

    return inside(ast.parse(source), 0, len(encoded))


def _placed(node: ast.AST) -> Iterator[ast.AST]:
    """The nearest nodes below that have a place in the source."""
    if isinstance(node, ast.JoinedStr):
        return
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "lineno"):
            yield child
        else:
            yield from _placed(child)


def _bracketed(encoded: bytes, first: int, last: int) -> bool:
    """Whether brackets that call nothing stand around."""
    before = encoded[first - 2 : first - 1]
    around = encoded[first - 1 : first] == b"(" and encoded[last : last + 1] == b")"
    return around and not (before.isalnum() or before in (b"_", b")", b"]"))


def is_primary(text: str) -> bool:
    """Whether an expression needs no brackets wherever it stands."""
    return isinstance(ast.parse(text, mode="eval").body, PRIMARY)


def function_of(source: str) -> ast.FunctionDef:
    """The one function that ``source`` defines."""
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    return function


def body_of(source: str) -> list[str]:
    """The lines of a function's body without its docstring, not indented."""
    function = function_of(source)
    told = ast.get_docstring(function) is not None
    header = function.body[0].end_lineno if told else header_end(function)
    assert header
    return [line.removeprefix(STEP) for line in source.splitlines()[header:]]


def header_end(node: ast.FunctionDef | ast.If | ast.For | ast.While | ast.With) -> int:
    """The last line of a compound statement's header."""
    if isinstance(node, ast.FunctionDef):
        parameters = [*node.args.args, *node.args.kwonlyargs]
        first = node.returns.end_lineno if node.returns else max([node.lineno, *(one.lineno for one in parameters)])
    elif isinstance(node, ast.With):
        first = node.items[-1].context_expr.end_lineno
    else:
        first = (node.iter if isinstance(node, ast.For) else node.test).end_lineno
    assert first
    return first


def local_names(function: ast.AST) -> set[str]:
    """Names that a function binds itself, its parameters among them."""
    stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
