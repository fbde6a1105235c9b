"""TypeScript declarations of typed dictionaries of Python, against which the browser's scripts are checked."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

HEAD = "// deno-fmt-ignore-file\n// deno-lint-ignore-file\n"
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", object: "unknown", Any: "unknown"}


def declarations(dictionaries: Iterable[type], unions: Mapping[str, Any]) -> str:
    """An interface for each of the typed dictionaries and those that their values are of, and ``unions`` by their names."""
    known: dict[type, str] = {}
    for each in dictionaries:
        _declare(each, known)
    named = [
        f"type {name} = {' | '.join(_written(each, known) for each in get_args(union))};\n" for name, union in unions.items()
    ]
    return "".join([HEAD, *known.values(), *named])


def _declare(dictionary: type, known: dict[type, str]) -> None:
    """Add the interface of ``dictionary`` to those that are ``known``, behind those that its values are of."""
    if dictionary in known:
        return
    known[dictionary] = ""  # its values may be of its own kind
    words = (inspect.getdoc(dictionary) or dictionary.__name__).splitlines()
    lines = [f"/** {words[0]} */"] if len(words) == 1 else ["/**", *(f" * {line}".rstrip() for line in words), " */"]
    lines.append(f"interface {dictionary.__name__} {{")
    for name, hint in get_type_hints(dictionary, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        lines.append(f"  {name}{'?' if optional else ''}: {_written(get_args(hint)[0] if optional else hint, known)};")
    del known[dictionary]
    known[dictionary] = "\n".join([*lines, "}", ""])


def _written(hint: Any, known: dict[type, str]) -> str:
    """A type of Python as one of TypeScript; TypeError for one that JSON has no values of."""
    if hint in PLAIN:
        return PLAIN[hint]
    if is_typeddict(hint):
        _declare(hint, known)
        return str(hint.__name__)
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Literal:
        return " | ".join(f'"{part}"' for part in parts)
    if kind in (Union, UnionType):
        return " | ".join(dict.fromkeys(_written(part, known) for part in parts))
    if kind in (dict, Mapping):
        return f"Record<string, {_written(parts[1], known)}>"
    if kind is tuple and parts[-1] is not ...:
        return f"[{', '.join(_written(part, known) for part in parts)}]"
    if kind in (list, Sequence, tuple):
        item = _written(parts[0], known)
        return f"({item})[]" if " " in item and not item.startswith(("Record<", "[")) else f"{item}[]"
    raise TypeError(f"{hint!r} cannot be declared for the browser; use what JSON has, and typed dictionaries")
