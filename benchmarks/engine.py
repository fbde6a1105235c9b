"""Training through the engine, watched over a socket, against the same loop alone; and thirty runs that take turns.

Both train in a process of one thread and low priority, in turns, so that other load on the machine affects both alike.
"""

import json
import math
import socket
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Event, Thread
from typing import cast

import uvicorn
from starlette.applications import Starlette
from websockets.sync.client import connect
from websockets.typing import Origin

from dml_viz.data.datasets.digits import Digits
from dml_viz.data.wire import unpack
from dml_viz.engine import TRAINING, Engine, Job, Limits, local_workers, start
from dml_viz.engine.limits import Visitor
from dml_viz.engine.pool import WorkerPool
from dml_viz.engine.slices import Slice, packed, train
from dml_viz.serve.answering import Answers
from dml_viz.serve.stream import routes
from dml_viz.training.loop import Run, begin
from dml_viz.training.nets.mlp import MLP

ROUNDS = 9
PACE = 0.115
RUNS = 30
SECONDS = 20.0
LONGEST = 600.0
RUN = Run(Digits(), net=MLP(), dim=2, steps=600, every=10, device="cpu")


def bare(alone: WorkerPool) -> float:
    """The seconds of the loop alone from first step to last, measured in its own process."""
    whole = Slice(RUN, packed(begin(RUN)), RUN.steps, math.inf)
    return alone.submit(train, TRAINING, whole).result().seconds


def through(live: Job) -> float:
    """The seconds from the press of "Train" to the last frame."""
    live.reset()
    live.wait_for(lambda live: live.status == "paused" and live.at() is not None, LONGEST)
    began = time.perf_counter()
    live.play()
    live.wait_for(lambda live: live.status == "done", LONGEST)
    return time.perf_counter() - began


@contextmanager
def watched(engine: Engine, live: Job) -> Iterator[list[int]]:
    """Within the block a reader gets frames over a socket as a page does; their sizes are added to the list."""
    listening = socket.create_server(("127.0.0.1", 0))
    host = f"127.0.0.1:{listening.getsockname()[1]}"
    answers = Answers()
    app = Starlette(routes=routes(lambda: engine, lambda: answers, lambda _: Visitor("")))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", ws="websockets-sansio"))
    serving = Thread(target=server.run, args=([listening],))
    over, sizes = Event(), list[int]()

    def pull() -> None:
        after = -1
        with connect(f"ws://{host}/live/{live.id}", origin=Origin(f"http://{host}")) as page:
            while not over.wait(PACE):
                page.send(json.dumps({"want": "next", "after": after, "rows": 0}))
                message = cast(bytes, page.recv())
                header, _ = unpack(message)
                after = -1 if header["latest"] < after else header["latest"]
                if header["kind"] == "frame":
                    sizes.append(len(message))

    pulling = Thread(target=pull)
    serving.start()
    pulling.start()
    try:
        yield sizes
    finally:
        over.set()
        pulling.join()
        server.should_exit = True
        serving.join()


def against_bare() -> None:
    """Print steps per second through the engine, watched by a page, and of the loop alone."""
    engine = start(partial(local_workers, 1))
    live = engine.create(RUN, "bench")
    with local_workers(1) as alone, watched(engine, live) as sizes:
        bare(alone)
        through(live)
        sizes.clear()
        pairs = [(bare(alone), through(live)) for _ in range(ROUNDS)]
    engine.close()
    alone_took, watched_took = zip(*pairs, strict=True)
    for name, pick in (("median", statistics.median), ("best round", min)):
        by_itself, watching = RUN.steps / pick(alone_took), RUN.steps / pick(watched_took)
        print(f"{name}: {by_itself:.0f} steps per second bare, {watching:.0f} through the engine and watched", end=", ")
        print(f"{watching / by_itself:.1%}")
    print(f"median of the rounds' ratios: {statistics.median(a / w for a, w in pairs):.1%}")
    print(f"({ROUNDS} rounds of {RUN.steps} steps, a frame every {RUN.every};", end=" ")
    print(f"the reader got {len(sizes)} frames of {statistics.mean(sizes) / 1000:.0f} kB)")


def taking_turns() -> None:
    """Print how evenly runs share the workers, and their total speed."""
    engine = start(limits=Limits(unwatched=LONGEST))
    run = replace(RUN, steps=20_000)
    lives = [engine.create(replace(run, seed=k), str(k)) for k in range(RUNS)]
    begun = [live for live in lives if live.wait_for(lambda live: live.at() is not None, LONGEST)]
    began = time.perf_counter()
    for live in begun:
        live.play()
    Event().wait(SECONDS)
    steps = [live.step for live in begun]
    seconds = time.perf_counter() - began
    engine.close()
    print(f"{len(steps)} runs in turn: {sum(steps) / seconds:.0f} steps per second in all; ", end="")
    print(f"each made {min(steps)} to {max(steps)}, median {statistics.median(steps):.0f}, in {seconds:.0f} s")


if __name__ == "__main__":
    against_bare()
    taking_turns()
