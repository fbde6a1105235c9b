"""The order of calls, whose durations the test sets, on workers moved by hand."""

from collections import Counter

import pytest

from dml_viz.engine.fair_queue import Asker, FairQueue, QueuedCall
from tests.fake_training import ManualExecutor


class Clerk:
    """A queue before workers that make one call at a time, for as many seconds as its name says."""

    def __init__(self, width: int = 1) -> None:
        self.now, self.workers, self.calls = 0.0, ManualExecutor(), list[QueuedCall]()
        self.queue = FairQueue(self.workers.submit, lambda: width, lambda: self.now)
        self.seconds: Counter[Asker] = Counter()

    def ask(self, *asker: str, takes: float = 1.0, again: bool = False) -> QueuedCall:
        """Submit a call of ``takes`` seconds; with ``again`` its asker submits another one as soon as it is done."""

        def work() -> None:
            self.now += takes
            self.seconds[asker] += takes

        call = self.queue.submit(asker, work)
        if again:
            call.add_done_callback(lambda _: self.ask(*asker, takes=takes, again=True))
        self.queue.dispatch()
        return call

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.workers.make()


def test_visitors_get_the_same_time_however_much_they_ask_for_and_however_long_it_takes() -> None:
    clerk = Clerk()
    for k in range(6):
        clerk.ask("greedy", f"job {k}", takes=3.0, again=True)
    for k in range(9):
        clerk.ask(f"ordinary {k}", "job", takes=1.0, again=True)
    clerk.run(1000)
    shares = [clerk.seconds[f"ordinary {k}", "job"] / 100 for k in range(9)]
    assert min(shares) > 0.95
    own = [clerk.seconds["greedy", f"job {k}"] for k in range(6)]
    assert max(own) - min(own) <= 3.0, "the jobs of a visitor share alike, too"


def test_long_calls_of_one_job_do_not_delay_the_other_jobs_of_its_visitor() -> None:
    clerk = Clerk()
    for k in range(5):
        clerk.ask("crowd", f"job {k}", takes=0.1, again=True)
    clerk.ask("crowd", "heavy", takes=2.0, again=True)
    clerk.run(240)
    assert min(clerk.seconds.values()) > 0.9 * 40


def test_a_visitor_who_returns_has_no_saved_up_time() -> None:
    clerk = Clerk()
    clerk.ask("early", again=True), clerk.ask("late")
    clerk.run(500)
    clerk.ask("late", again=True)
    before = clerk.seconds["early",]
    clerk.run(100)
    assert clerk.seconds["early",] - before == pytest.approx(50, abs=2)


def test_as_many_calls_are_under_way_as_there_are_workers() -> None:
    clerk = Clerk(width=3)
    calls = [clerk.ask("one") for _ in range(5)]
    assert (len(clerk.workers.waiting), clerk.queue.idle) == (3, -2)
    assert clerk.queue.visitors_and_workers == (1, 3)
    clerk.workers.make_all()
    assert all(call.done() for call in calls)
    assert clerk.queue.idle == 3


def test_a_call_that_is_cancelled_in_time_is_never_made() -> None:
    clerk = Clerk()
    under_way, waiting, other = clerk.ask("one"), clerk.ask("one"), clerk.ask("two")
    assert waiting.cancel()
    clerk.workers.make_all()
    assert under_way.done()
    assert other.done()
    assert clerk.now == 2.0


def test_workers_that_refuse_calls_fail_each_of_them() -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("shut down")

    queue = FairQueue(refuse, lambda: 1)  # type: ignore[arg-type]
    calls = [queue.submit((str(k),), print) for k in range(600)]  # more than Python could nest
    queue.dispatch()
    assert all(isinstance(call.exception(0), RuntimeError) for call in calls)


def test_a_call_that_takes_too_long_is_given_up_and_its_place_is_free() -> None:
    clerk = Clerk()
    hung, waiting = clerk.ask("one"), clerk.ask("two")
    clerk.now += 11
    clerk.queue.restart_deadlines()
    clerk.now += 9
    assert clerk.queue.fail_late_calls(10, TimeoutError()) == []
    clerk.now += 2
    made, _ = clerk.workers.waiting.pop()
    assert clerk.queue.fail_late_calls(10, TimeoutError()) == [made]
    assert isinstance(hung.exception(0), TimeoutError)
    clerk.workers.make_all()
    assert waiting.done()
    assert clerk.queue.idle == 1
