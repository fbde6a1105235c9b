"""Conditions whose outcome the knobs settle, decided, so that one variant is left."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

from dml_viz.to_pytorch.rewriting import STEP, Text, function_of, header_end

OPERATORS = (ast.unaryop, ast.boolop, ast.operator, ast.cmpop, ast.expr_context)
PARTS = (
    ast.Constant, ast.UnaryOp, ast.BoolOp, ast.BinOp, ast.Compare, ast.IfExp, ast.Tuple, ast.List, ast.Set, ast.Dict,
    ast.Subscript, *OPERATORS,
)  # fmt: skip


class UnsettledError(Exception):
    """An expression whose value only a batch decides."""


def settled(node: ast.AST, subject: Any) -> Any:
    """The value of an expression of ``subject``'s attributes (as ``self``) and constants; `UnsettledError` for any other."""
    parts = list(ast.walk(node))
    owned = [part for part in parts if own(part)]
    given = [getattr(subject, part.attr, UnsettledError) for part in owned if isinstance(part, ast.Attribute)]
    names = [part for part in parts if isinstance(part, ast.Name)]
    if len(names) != len(owned) or any(value is UnsettledError or callable(value) for value in given):
        raise UnsettledError
    if not all(isinstance(part, PARTS) or part in owned or part in names for part in parts):
        raise UnsettledError
    assert isinstance(node, ast.expr)
    return eval(compile(ast.Expression(node), "a loss", "eval"), {"self": subject})


def own(node: ast.AST) -> bool:
    """Whether a node is an attribute of ``self``."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def decided(node: ast.AST, subject: Any, text: Text) -> str | None:
    """What is left of a choice that ``subject`` decides; None for what is no such choice."""
    try:
        if isinstance(node, ast.IfExp):
            return text(node.body if settled(node.test, subject) else node.orelse)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict):
            wanted = settled(node.slice, subject)
            keys = [settled(key, subject) for key in node.value.keys if key]
            return text(node.value.values[keys.index(wanted)])
        if isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return repr(settled(node, subject))
    except UnsettledError:
        return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and isinstance(node.right, ast.IfExp):
        return text(node.left) if text(node.right) == "0" else None
    return _of_several(node, subject, text) if isinstance(node, ast.BoolOp) else None


def _of_several(node: ast.BoolOp, subject: Any, text: Text) -> str:
    left: list[str] = []
    every = isinstance(node.op, ast.And)
    for part in node.values:
        try:
            if bool(settled(part, subject)) is not every:
                return repr(not every)
        except UnsettledError:
            left.append(text(part))
    return (" and " if every else " or ").join(left) or repr(every)


def without_dead_branches(source: str, subject: Any) -> str:
    """A function without the branches that ``subject``, or a return before them, keeps from running."""
    while (shorter := _without_one(source, subject)) is not None:
        source = shorter
    return source


def _without_one(source: str, subject: Any) -> str | None:
    lines = source.splitlines()
    for node in ast.walk(function_of(source)):
        blocks = (getattr(node, name, None) for name in ("body", "orelse"))
        for block in (block for block in blocks if isinstance(block, list)):
            for place, statement in enumerate(block):
                if isinstance(statement, ast.If):
                    with suppress(UnsettledError):
                        return "\n".join(_with_branch(lines, statement, bool(settled(statement.test, subject)))) + "\n"
                if isinstance(statement, ast.Return | ast.Raise) and block[place + 1 :]:
                    return "\n".join(lines[: statement.end_lineno] + lines[block[-1].end_lineno :]) + "\n"
    return None


def _with_branch(lines: list[str], node: ast.If, true: bool) -> list[str]:
    """The lines with ``node``, whose condition is settled, replaced by the branch that runs."""
    top, bottom = node.lineno - 1, node.end_lineno
    body = lines[header_end(node) : node.body[-1].end_lineno]
    after = lines[node.body[-1].end_lineno : bottom]  # from elif or else on, comments before it included
    nested = lines[top].lstrip().startswith("elif")
    indent = lines[top][: len(lines[top]) - len(lines[top].lstrip())]
    if nested:
        kept = [f"{indent}else:", *body] if true else after
    elif true:
        kept = [line.removeprefix(STEP) for line in body]
    elif node.orelse and after[0].lstrip().startswith("elif"):
        kept = [after[0].replace("elif", "if", 1), *after[1:]]
    else:
        kept = [line.removeprefix(STEP) for line in after[1:]]
    while not kept and not nested and top and lines[top - 1].lstrip().startswith("#"):
        top -= 1  # what is gone needs no comment
    return [*lines[:top], *kept, *lines[bottom:]]
