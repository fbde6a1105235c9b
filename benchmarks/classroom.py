"""A classroom of thirty and of two hundred simulated students beside a live run (``python -m benchmarks.classroom``).

Each student has a socket of its own. A scene of 2 kB goes to all of them ten times a second: how long it takes to each. A link
goes to all: when the last has it, to which a student adds up to a second at random. All answer a vote: how long after the last
answer the teacher's count has it. And the memory of the server, before and with the class.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from benchmarks.visitor import Progress, visiting, watch
from dml_viz.export.rehearse import Student
from dml_viz.serve.classroom.codes import Signer
from tests.serve.classroom.devices import Teacher, leave, until
from tests.served import serving

SCENE, SCENE95, LINK, COUNT, MEMORY = 0.06, 0.2, 3.0, 1.0, 300e6  # s, s, s, s, bytes: the targets
JITTER = 1.0  # s that a student waits at most before it applies a link
PACE, BYTES = 0.1, 1900  # s from one scene to the next; bytes of its settings
SECRET = "measured with this secret"
RUN = "data=digits&net=mlp&run.dim=3&run.steps=20000"


class Ear:
    """What the students hear, and when."""

    def __init__(self) -> None:
        self.scenes: list[float] = []
        self.links: dict[str, float] = {}

    def hear(self, student: Student, message: Mapping[str, Any]) -> None:
        """Note how old a scene is, and when a link has come."""
        if message["type"] == "scene":
            self.scenes.append(time.monotonic() - message["scene"]["step"])
        elif message["type"] == "link":
            self.links[student.id] = time.monotonic()


async def lesson(url: str, pid: int, count: int, seconds: float) -> list[bool]:
    """One lesson with ``count`` students; whether each target is met."""
    server, progress = psutil.Process(pid), Progress()
    given, ear = Signer(lambda _: SECRET.encode()).invite(), Ear()
    async with visiting(url, "train", RUN) as tab:
        watching = asyncio.create_task(watch(tab, progress))
        await until(lambda: progress.steps)
        before, steps, began = server.memory_info().rss, progress.steps, time.monotonic()
        teacher = Teacher(url, given.code)
        teacher.token = given.token
        students = [Student(url, given.code, 2.0, ear.hear) for _ in range(count)]
        tasks = [asyncio.create_task(teacher.stay())]
        await until(lambda: teacher.state)
        tasks += [asyncio.create_task(student.stay()) for student in students]
        await until(lambda: teacher.counts.get("people") == count)
        await teacher.say(type="follow", on=True)
        while time.monotonic() - began < seconds:
            settings = {"fastap.at": "a" * BYTES}
            scene = {"page": "fastap", "settings": settings, "step": time.monotonic(), "pointer": None}
            await asyncio.gather(teacher.say(type="scene", scene=scene), asyncio.sleep(PACE))
        sent = time.monotonic()
        await teacher.say(type="link", link="/fastap?fastap.bins=20")
        await until(partial(_all_have, ear, students))
        link = max(ear.links.values()) - sent + JITTER
        await teacher.say(type="open", epoch=0, ask={"prediction": "fastap.bins"})
        await until(lambda: all(student.taken for student in students))
        taken = time.monotonic()
        await until(lambda: teacher.counts["answered"] == count)
        counted, more = time.monotonic() - taken, server.memory_info().rss - before
        speed = (progress.steps - steps) / (time.monotonic() - began)
        await teacher.say(type="end")
        watching.cancel()
        await leave(tasks)
    scene95 = statistics.quantiles(ear.scenes, n=20)[-1]
    middle = statistics.median(ear.scenes)
    print(
        f"{count:4} students: scene {middle * 1e3:.0f} ms, 95 % within {scene95 * 1e3:.0f} ms ({len(ear.scenes)} came); link "
        f"{link:.2f} s; counted after {counted:.2f} s; {more / 1e6:.0f} MB more; the run beside: {speed:.0f} steps/s",
        flush=True,
    )
    return [middle < SCENE, scene95 < SCENE95, link < LINK, counted < COUNT, more < MEMORY]


def _all_have(ear: Ear, students: list[Student]) -> bool:
    return len(ear.links) == len(students)


def main(arguments: list[str]) -> int:
    """Measure and print; return how many targets were missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, nargs="+", default=[30, 200])
    parser.add_argument("--seconds", type=float, default=15.0, help="of scenes")
    options = parser.parse_args(arguments)
    os.environ["DML_VIZ_CLASSROOM_SECRET"] = SECRET
    met: list[bool] = []
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "log.txt") as server:
        for count in options.students:
            met += asyncio.run(lesson(server.url, server.pid, count, options.seconds))
    print(f"{met.count(False)} of {len(met)} targets missed; {os.cpu_count()} cores, shared with the students themselves")
    return met.count(False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
