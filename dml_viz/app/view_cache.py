"""What is drawn of a few points is kept for the next visitor who asks for the same, as a class of students does."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st

L = TypeVar("L")
More = ParamSpec("More")
V = TypeVar("V")

FEW = 60  # points
KEPT = 256  # views by one function


def kept_of_few(
    model: type[L], size: Callable[[L], int], apart: Callable[[L], tuple[object, ...]]
) -> Callable[[Callable[Concatenate[L, More], V]], Callable[Concatenate[L, More], V]]:
    """Decorator of a function of a look and more: where ``size`` of the look is at most `FEW`, its last results are kept.

    ``apart`` is what tells one look from another.
    """

    def decorate(draw: Callable[Concatenate[L, More], V]) -> Callable[Concatenate[L, More], V]:
        keep = st.cache_data(max_entries=KEPT, show_spinner=False, hash_funcs={model: apart})(draw)

        @wraps(draw)
        def view(seen: L, /, *args: More.args, **kwargs: More.kwargs) -> V:
            return (keep if size(seen) <= FEW else draw)(seen, *args, **kwargs)

        return view

    return decorate
