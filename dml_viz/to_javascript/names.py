"""The names of variables of Python in JavaScript."""

import ast
from collections.abc import Iterator

# Names that Python allows and JavaScript does not, and names that the translation itself writes.
RESERVED = (
    "arguments", "case", "catch", "const", "debugger", "default", "delete", "do", "enum", "eval", "export", "extends", "false",
    "function", "implements", "instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public",
    "static", "super", "switch", "this", "throw", "true", "typeof", "undefined", "var", "void", "Infinity", "Math",
)  # fmt: skip


def javascript_name(name: str) -> str:
    """The name of a variable in JavaScript."""
    return f"{name}$" if name in RESERVED else name


def assigned_names(target: ast.expr) -> Iterator[str]:
    """The variables that an assignment to ``target`` sets."""
    return (part.id for part in ast.walk(target) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
