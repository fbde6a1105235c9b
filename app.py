"""Launcher of the app: ``streamlit run app.py``. It warms the training workers, then serves ``dml_viz/app/main.py``."""

import gc
import pkgutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

import dml_viz.serve.one_thread  # noqa: F401  before all that imports torch
from dml_viz import explain
from dml_viz.app import frame, frontend
from dml_viz.export.taken_along import taken_along
from dml_viz.serve import server, take_route
from dml_viz.serve.classroom.questions import predictions_of
from dml_viz.serve.connections import SocketLimit
from dml_viz.serve.guard import Guard
from dml_viz.serve.page_requests import PageRedirects, PageTitles


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Import what pages need and start the workers before the first visitor; end the workers with the server."""
    for room in pkgutil.walk_packages(explain.__path__, f"{explain.__name__}."):
        import_module(room.name)
    frontend.ask_nobody_for_address()
    frontend.run_callbacks_to_their_end()
    frame.page_files()  # the first visitors come together, a class behind one link
    with server.serving():
        # Garbage collection visits all objects that torch and plotly made at import; freezing exempts them.
        gc.collect()
        gc.freeze()
        yield


server.check()
routes = [*server.routes(partial(predictions_of, explain, frame.page_files()[0].path_in_address)), take_route.route(taken_along)]
app = st.App(
    Path(frame.__file__).with_name("main.py"),
    lifespan=lifespan,
    routes=[server.below(frontend.base_path(), route) for route in routes],
    middleware=[
        Middleware(Guard, frontend),
        Middleware(SocketLimit),
        Middleware(PageRedirects, frontend),
        Middleware(PageTitles, frontend, frame.browser_title),
    ],
    on_script_error=frame.show_error,
)
