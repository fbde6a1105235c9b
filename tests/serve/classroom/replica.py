"""A server with the routes of classrooms alone, behind the guard: in a thread, or as a process of its own (``PORT STORE``)."""

import socket
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware

from dml_viz.app import frontend
from dml_viz.engine.store import FolderStore, Store
from dml_viz.serve.classroom.classrooms import Classrooms
from dml_viz.serve.classroom.route import keep_out_of_log, routes
from dml_viz.serve.guard import Guard
from dml_viz.serve.visitors import visitor_of
from tests.serve.classroom.lessons import needs


def app(classrooms: Classrooms) -> Starlette:
    return Starlette(routes=routes(lambda: classrooms, visitor_of), middleware=[Middleware(Guard, frontend)])


def server(classrooms: Classrooms) -> uvicorn.Server:
    return uvicorn.Server(uvicorn.Config(app(classrooms), log_level="warning", lifespan="off", ws="websockets-sansio"))


class Replica:
    """The server in a thread."""

    def __init__(self) -> None:
        keep_out_of_log()
        self.needs = needs(Store())
        self.classrooms = Classrooms(self.needs)
        listening = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{listening.getsockname()[1]}"
        self._server = server(self.classrooms)
        self._thread = Thread(target=self._server.run, args=([listening],))
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()


if __name__ == "__main__":
    port, store = sys.argv[1:]
    with suppress(KeyboardInterrupt):
        server(Classrooms(needs(FolderStore(Path(store)), {}))).run([socket.create_server(("127.0.0.1", int(port)))])
