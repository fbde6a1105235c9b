"""Visitors take turns: a few at a time, one of each visitor, and who waits holds nobody up."""

from contextlib import ExitStack
from threading import Event, Thread

import pytest

from dml_viz.serve import uploads
from dml_viz.serve.uploads import Turns


def start(of: Turns, visitor: str, begun: Event, done: Event) -> Thread:
    def work() -> None:
        with of.of(visitor):
            begun.set()
            done.wait()

    thread = Thread(target=work)
    thread.start()
    return thread


def test_a_visitor_with_many_files_holds_up_no_other() -> None:
    of, done = Turns(2), Event()
    begun = [Event() for _ in range(5)]
    threads = [start(of, "greedy", one, done) for one in begun]
    try:
        with of.of("another"):
            assert sum(one.is_set() for one in begun) <= 1
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert all(one.is_set() for one in begun)


def test_no_more_than_so_many_work_at_a_time_and_who_gives_up_leaves_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LOOKS", 0.001)
    of = Turns(2)

    def gives_up() -> None:
        raise InterruptedError

    with ExitStack() as stack:
        stack.enter_context(of.of("first"))
        stack.enter_context(of.of("second"))
        with pytest.raises(InterruptedError):
            stack.enter_context(of.of("third", gives_up))
    with of.of("first"), of.of("third"):
        pass


def test_an_error_at_work_ends_the_turn() -> None:
    of = Turns(1)
    with pytest.raises(KeyError), of.of("first"):
        raise KeyError
    with of.of("first"):
        pass
