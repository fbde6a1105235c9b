"""Threads that ask for one thing together get one thing, and threads that read sources together all get their trees."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

import pytest

from dml_viz import to_pytorch
from dml_viz.losses import LOSSES
from dml_viz.losses.fastap import FastAP
from dml_viz.threads import once, source_of
from dml_viz.to_javascript import javascript_of_losses

T = TypeVar("T")
VISITORS, TIMES = 8, 1


def together(act: Callable[[], T]) -> list[T]:
    """What each of `VISITORS` threads gets that call ``act`` at one moment."""
    begin = Barrier(VISITORS)

    def called(_: int) -> T:
        begin.wait()
        return act()

    with ThreadPoolExecutor(VISITORS) as threads:
        return list(threads.map(called, range(VISITORS)))


def test_the_value_is_one_for_all_threads_and_another_after_it_is_forgotten() -> None:
    made = once(object)
    first = together(made)
    assert len(set(map(id, first))) == 1
    assert made.forget() is first[0]
    assert made.forget() is None
    assert made() is not first[0]


def test_a_value_that_could_not_be_made_is_made_by_the_next_who_asks() -> None:
    tries = iter((OSError("no disk"), None))

    @once
    def value() -> str:
        if error := next(tries):
            raise error
        return "made"

    with pytest.raises(OSError, match="no disk"):
        value()
    assert value() == "made"


def test_visitors_read_all_losses_as_javascript_together() -> None:
    for _ in range(TIMES):
        assert together(javascript_of_losses._make) == [javascript_of_losses()] * VISITORS


def test_visitors_read_losses_as_pytorch_together() -> None:
    losses = [kind() for kind in list(LOSSES.values())[::6]]
    expected = list(map(to_pytorch.snippet, losses))
    read = together(lambda: list(map(to_pytorch.snippet.__wrapped__, losses)))
    assert read == [expected] * VISITORS
    assert together(lambda: source_of(FastAP)) == [source_of(FastAP)] * VISITORS
