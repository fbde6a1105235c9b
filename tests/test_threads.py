"""Threads that ask for one thing together get one thing, and threads that read sources together all get their trees."""

import ast
import subprocess
import sys
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
from tests.package import ROOT

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


def test_no_thread_of_the_server_starts_another_for_a_product_of_matrices() -> None:
    # Of the product of a thread that is not the first one, torch.set_num_threads says nothing.
    program = """if True:
        import dml_viz.serve.one_thread
        import psutil, threading, torch
        rows, count = torch.ones(500, 64, dtype=torch.float64), psutil.Process().num_threads
        before = count()
        after = []
        thread = threading.Thread(target=lambda: (rows.T @ rows, after.append(count())))
        thread.start()
        thread.join()
        print(after[0] - before)
    """
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) == 1, "the thread itself, and no other"
    app = ast.parse((ROOT / "app.py").read_text()).body
    imports = [ast.unparse(each) for each in app if isinstance(each, ast.Import | ast.ImportFrom)]
    assert next(each for each in imports if "dml_viz" in each) == "import dml_viz.serve.one_thread", (
        "app.py imports it before all that imports torch"
    )
