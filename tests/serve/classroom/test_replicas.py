"""Two replicas behind nginx as in docs/serving, one of which is killed with a vote open; and a rehearsal over real sockets."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from dml_viz.engine.store import FolderStore
from dml_viz.export.rehearse import Student
from tests.programs import NGINX
from tests.serve.classroom.devices import SOON, come, leave, until
from tests.serve.classroom.lessons import CHOICE, needs
from tests.serve.classroom.replica import Replica
from tests.served import ROOT, free_port

STUDENTS, BACK = 6, 5.0  # students; seconds within which all are back


@contextmanager
def proxied(folder: Path) -> Iterator[tuple[str, dict[int, subprocess.Popen[bytes]]]]:
    """The address of nginx before two replicas over one store, and their processes by their ports."""
    path, ports, listen = NGINX.path(), (free_port(), free_port()), free_port()
    site = (ROOT / "docs/serving/nginx.conf").read_text(encoding="utf-8")
    for written, port in zip(("8501", "8502"), ports, strict=True):
        site = site.replace(f":{written}", f":{port}")
    (folder / "site.conf").write_text(site.replace("listen 80 default_server", f"listen 127.0.0.1:{listen}"))
    head = f"daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
    (folder / "nginx.conf").write_text(f"{head}http {{ access_log off; include {folder}/site.conf; }}\n")
    module = [sys.executable, "-m", "tests.serve.classroom.replica"]
    replicas = {port: subprocess.Popen([*module, str(port), str(folder / "store")], cwd=ROOT) for port in ports}
    nginx = subprocess.Popen([path, "-c", str(folder / "nginx.conf"), "-e", f"{folder}/log"], stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{listen}", replicas
    finally:
        for process in (nginx, *replicas.values()):
            process.terminate()
            process.wait()


def of_classroom(replicas: dict[int, subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """The replica to which the connections of nginx lead."""
    open_at = {
        port: sum(
            each.status == "ESTABLISHED" and each.laddr.port == port
            for each in psutil.Process(process.pid).net_connections("tcp")
        )
        for port, process in replicas.items()
    }
    assert sorted(map(bool, open_at.values())) == [False, True], "all devices of a classroom are on one replica"
    return replicas[max(open_at, key=lambda port: open_at[port])]


async def listening(ports: tuple[int, ...]) -> None:
    async def one(port: int) -> None:
        began = time.monotonic()
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                assert time.monotonic() - began < SOON
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return

    await asyncio.gather(*map(one, ports))


def test_a_killed_replica_loses_no_answer_and_counts_none_twice(tmp_path: Path) -> None:
    async def play(url: str, replicas: dict[int, subprocess.Popen[bytes]]) -> None:
        await listening(tuple(replicas))
        given = needs(FolderStore(tmp_path / "store"), {}).signer.invite()
        teacher, students, tasks = await come(url, given, STUDENTS)
        await teacher.say(type="open", epoch=0, ask=CHOICE)
        await until(lambda: all(student.taken == 1 for student in students))
        await until(lambda: teacher.counts["answered"] == STUDENTS)
        answers = [dict(student.answers) for student in students]
        teacher.counts = {}
        of_classroom(replicas).kill()
        took = await until(lambda: teacher.counts.get("answered") == STUDENTS == teacher.counts["people"])
        assert took < BACK
        assert (teacher.last["state"], [student.answers for student in students]) == ("open 1", answers)
        late = Student(url, given.code, spread=0)
        tasks.append(asyncio.create_task(late.stay()))
        await until(lambda: teacher.counts["answered"] == STUDENTS + 1 == teacher.counts["people"])
        await teacher.say(type="close", epoch=1)
        await until(lambda: late.state == "closed 1")
        await leave(tasks)

    with proxied(tmp_path) as (url, replicas):
        asyncio.run(play(url, replicas))


def test_simulated_students_answer_each_vote_once_until_the_teacher_ends_the_classroom() -> None:
    replica = Replica()
    given = replica.needs.signer.invite()

    async def play() -> None:
        url = f"http://{replica.host}"
        teacher, _, tasks = await come(url, given, 0)
        ran = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", "import sys; from dml_viz.export.cli import main; sys.exit(main())"),
            *("rehearse", given.code.lower(), "--students", "7", "--url", url, "--within", "0.2"),
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        await until(lambda: teacher.counts.get("people") == 7)
        for epoch, action in enumerate(("open", "close", "again", "close")):
            await teacher.say(type=action, epoch=epoch, ask={"prediction": "ranked_list.share"})
            await until(lambda: teacher.last["epoch"] == epoch + 1)  # noqa: B023
            await until(lambda: teacher.counts["votes"] == [7] * len(teacher.last["votes"]))
        await teacher.say(type="end")
        output, _ = await ran.communicate()
        assert ran.returncode == 0
        assert "7 of 7 students are there" in output.decode()
        assert output.decode().endswith("The teacher has ended this classroom.\n")
        await leave(tasks)

    try:
        asyncio.run(play())
    finally:
        replica.close()
