"""What tests go over: all of it with ``THOROUGH=1``, before a release; else samples of large products, the same every time."""

import inspect
import os
from collections.abc import Callable, Iterable
from functools import wraps
from itertools import cycle, islice, product
from typing import Any, TypeVar

import pytest

Value = TypeVar("Value")
Test = Callable[..., None]
THOROUGH = os.environ.get("THOROUGH", "0") not in ("", "0")
thorough = pytest.mark.skipif(not THOROUGH, reason="for THOROUGH=1: others hold most of it, or one like it")


def sample(values: Iterable[Value], n: int) -> list[Value]:
    """All ``values`` if `THOROUGH`; else ``n`` of them, spread evenly, with the first and, of two or more, the last."""
    every = list(values)
    if THOROUGH or len(every) <= n:
        return every
    return [every[round(k * (len(every) - 1) / max(n - 1, 1))] for k in range(n)]


def pairs_of(*axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """The product of axes if `THOROUGH`; else as many tuples as the longest axis has, with every value of every axis."""
    every = [list(axis) for axis in axes]
    if THOROUGH:
        return list(product(*every))
    return list(zip(*(islice(cycle(axis), max(map(len, every))) for axis in every), strict=True))


def for_each(
    names: str | tuple[str, ...], values: Iterable[Any], ids: Iterable[str] | Callable[[Any], str] = repr
) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, in one test of all ``values``, which share its fixtures; a failure names its values.

    For many values that take milliseconds each: a test of its own would take as long.
    """
    every, arguments = list(values), [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    said = [ids(value) for value in every] if callable(ids) else list(ids)
    assert len(said) == len(every) > 0

    def decorated(test: Test) -> Test:
        @wraps(test)
        def of_all(**fixtures: Any) -> None:
            for name, value in zip(said, every, strict=True):
                given = dict(zip(arguments, value if len(arguments) > 1 else (value,), strict=True))
                try:
                    test(**given, **fixtures)
                except BaseException as error:
                    error.add_note(f"{', '.join(arguments)}: {name}")
                    raise

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        of_all.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return of_all

    return decorated
