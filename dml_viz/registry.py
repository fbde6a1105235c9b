"""The folder is the list: every module of a package gives the one public leaf that it defines.

A module whose name begins with ``_`` gives none: it holds what the others share.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TypeVar

T = TypeVar("T")


def discover(package: str, base: type[T]) -> dict[str, type[T]]:
    """File name -> the subclass of ``base`` defined in that file of ``package``, in alphabetical order.

    Raises TypeError where a file defines none or several.
    """
    found: dict[str, type[T]] = {}
    for info in sorted(pkgutil.iter_modules(importlib.import_module(package).__path__), key=lambda info: info.name):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{package}.{info.name}")
        leaves = [
            thing
            for thing in vars(module).values()
            if isinstance(thing, type) and issubclass(thing, base) and thing.__module__ == module.__name__
        ]
        if len(leaves) != 1:
            raise TypeError(
                f"{module.__name__} defines {len(leaves)} subclasses of {base.__name__}; one file, one idea"
            )
        found[info.name] = leaves[0]
    return found
