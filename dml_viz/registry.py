"""Discovery by folder: every module of a package defines one subclass of a base, and is found because it is there.

A module whose name begins with ``_`` is skipped: it contains what the others share.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from inspect import signature
from types import FunctionType, ModuleType
from typing import Any, TypeVar

T = TypeVar("T")


def functions(package: str, *parameters: str) -> dict[str, Callable[..., Any]]:
    """Name -> function, for every public function in the files of ``package`` whose parameters are exactly ``parameters``."""
    by_name: dict[str, Callable[..., Any]] = {}
    for module in modules(package):
        for name, thing in vars(module).items():
            defined_here = isinstance(thing, FunctionType) and thing.__module__ == module.__name__
            if defined_here and not name.startswith("_") and tuple(signature(thing).parameters) == parameters:
                by_name[name] = thing
    return by_name


def discover(package: str, base: type[T]) -> dict[str, type[T]]:
    """File name -> the subclass of ``base`` defined in that file of ``package``, in alphabetical order of the files.

    A subclass with another name in links has it as ``in_links``. Raises TypeError where a file defines no subclass or several.
    """
    by_name: dict[str, type[T]] = {}
    for module in modules(package):
        leaves = [
            thing
            for thing in vars(module).values()
            if isinstance(thing, type) and issubclass(thing, base) and thing.__module__ == module.__name__
        ]
        if len(leaves) != 1:
            raise TypeError(f"{module.__name__} defines {len(leaves)} subclasses of {base.__name__}; one file, one idea")
        by_name[getattr(leaves[0], "in_links", "") or module.__name__.rpartition(".")[2]] = leaves[0]
    return by_name


def name_of(leaf: Any) -> str:
    """The name in links of an object whose class `discover` finds."""
    return getattr(leaf, "in_links", "") or type(leaf).__module__.rpartition(".")[2]


def modules(package: str) -> Iterator[ModuleType]:
    """Import and yield the modules of ``package`` in alphabetical order, without those whose names begin with ``_``."""
    folder = importlib.import_module(package).__path__
    for name in sorted(info.name for info in pkgutil.iter_modules(folder)):
        if not name.startswith("_"):
            yield importlib.import_module(f"{package}.{name}")
