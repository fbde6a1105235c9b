"""What a function no longer needs once its variant is settled, left out."""

from __future__ import annotations

import ast

from dml_viz.to_pytorch.rewriting import function_of


def tidied(source: str) -> str:
    """A function without assignments of a name to itself, and without names that it never reads."""
    while (shorter := _without_one(source)) is not None:
        source = shorter
    return source


def _without_one(source: str) -> str | None:
    function = function_of(source)
    read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            sides = list(zip(target.elts, value.elts, strict=True))
        else:
            sides = [(target, value)]
        kept = [side for side in sides if not _idle(*side, read)]
        if len(kept) < len(sides):
            return _with_sides(source, node, kept)
    return None


def _idle(target: ast.expr, value: ast.expr, read: set[str]) -> bool:
    if not isinstance(target, ast.Name):
        return False
    return target.id not in read or (isinstance(value, ast.Name) and value.id == target.id)


def _with_sides(source: str, node: ast.Assign, sides: list[tuple[ast.expr, ast.expr]]) -> str:
    """The source with only these parts of the assignment ``node`` left."""
    lines = source.splitlines()
    before, after = lines[: node.lineno - 1], lines[node.end_lineno :]
    left = ", ".join(ast.unparse(target) for target, _ in sides)
    right = ", ".join(str(ast.get_source_segment(source, value)) for _, value in sides)
    comment = lines[(node.end_lineno or 1) - 1].encode()[node.end_col_offset :].decode()
    kept = [f"{' ' * node.col_offset}{left} = {right}{comment}"] if sides else []
    while not kept and before[-1].lstrip().startswith("#"):
        before.pop()
    return "\n".join([*before, *kept, *after]) + "\n"
