"""Launcher of the app: ``streamlit run app.py``. It warms the training workers, then serves ``dml_viz/app/main.py``."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware

from dml_viz.app import error_handler, server
from dml_viz.app.web.guard import Guard
from dml_viz.app.web.redirects import PageRedirects
from dml_viz.app.web.socket_limit import SocketLimit


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Start the workers before the first visitor, and end them with the server."""
    with server.serving():
        # Garbage collection visits all objects that torch and plotly made at import; freezing exempts them.
        gc.collect()
        gc.freeze()
        yield


app = st.App(
    "dml_viz/app/main.py",
    lifespan=lifespan,
    routes=server.routes(),
    middleware=[Middleware(Guard), Middleware(SocketLimit), Middleware(PageRedirects)],
    on_script_error=error_handler.show,
)
