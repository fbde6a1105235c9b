"""Streamlit as the server asks it (`dml_viz.serve.frontend.Frontend`), and the server as a page that runs asks it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import config, file_util, net_util
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequest, ScriptRequests
from streamlit.runtime.scriptrunner_utils.script_run_context import RunLocation, ThreadState
from streamlit.web.server.server_util import allow_all_cross_origin_requests, is_allowed_origin
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string, validate_xsrf_token
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from dml_viz.engine.limits import Visitor
from dml_viz.serve.figure_store import store
from dml_viz.serve.file_analyses import file_analyses
from dml_viz.serve.uploads import uploads
from dml_viz.serve.visitors import LOOPBACK, identify


def allows_host(host: str) -> bool | None:
    """Whether ``server.allowedHosts`` names ``host``; None where it names none."""
    return is_host_allowed(host or None) if config.get_option("server.allowedHosts") else None


def allows_origin(origin: str) -> bool:
    """Whether ``server.corsAllowedOrigins`` names ``origin``, or ``server.enableCORS`` is off."""
    return allow_all_cross_origin_requests() or is_allowed_origin(origin)


def listens_at() -> str:
    """The value of ``server.address``; "" without one."""
    return config.get_option("server.address") or ""


def public_name() -> str:
    """The value of ``browser.serverAddress``; "" without one."""
    return config.get_option("browser.serverAddress") or ""


def base_path() -> str:
    """The value of ``server.baseUrlPath``, without slashes at its ends."""
    return str(config.get_option("server.baseUrlPath")).strip("/")


def browser_of(cookies: Mapping[str, str]) -> bytes:
    """The token in Streamlit's cookie against forged requests; empty without a valid one."""
    return decode_xsrf_token_string(cookies.get(XSRF_COOKIE_NAME, ""))[0] or b""


def comes_from_page(token: str | None, cookies: Mapping[str, str]) -> bool:
    """Whether ``token`` is that in the cookie, which another site cannot read."""
    return validate_xsrf_token(token, cookies.get(XSRF_COOKIE_NAME))


def document() -> str:
    """The document of the Streamlit that is installed."""
    return (Path(file_util.get_static_dir()) / "index.html").read_text(encoding="utf-8")


def delete_upload(session: str, file: str) -> None:
    """Delete a file from Streamlit's store."""
    if Runtime.exists():
        manager: Any = Runtime.instance().uploaded_file_mgr
        manager.remove_file(session, file)


def ask_nobody_for_address() -> None:
    """Keep Streamlit from asking the internet for the server's address, while the whole server waits for the answer."""
    net_util.get_external_ip = lambda: None


def run_callbacks_to_their_end() -> None:
    """Let a callback finish where the browser's next request comes meanwhile.

    Streamlit ends the callback at its next access to the session, and calls none for the next request if the value is the same
    in both: what the visitor changed is lost. With this the next request is handled right after the callback.
    """
    pending_request = ScriptRequests.on_scriptrunner_yield

    def outside_callbacks(requests: ScriptRequests) -> ScriptRequest | None:
        return None if ThreadState.get().run_location is RunLocation.CALLBACK else pending_request(requests)

    ScriptRequests.on_scriptrunner_yield = outside_callbacks  # type: ignore[assignment, method-assign]


def visitor() -> Visitor:
    """The visitor whose session runs the page."""
    # Streamlit has no address for a browser on this machine.
    return identify(browser_of(st.context.cookies), st.context.ip_address or LOOPBACK[0])


def session_id() -> str:
    """The id of the session, a browser's tab, that runs the page; "" without one."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


@st.cache_resource(scope="session", on_release=lambda session: _forget_files(session), show_spinner=False)
def allow_uploads(session: str) -> str:
    """Allow ``session`` to upload until its tab is closed, and return it."""
    uploads().allow_session(session, visitor().name)
    return session


def _forget_files(session: str) -> None:
    """Forget the files of a session, and the figures made of them."""
    file_analyses().leave(session)
    if uploads().forget_session(session):
        store().forget_files_of(session)
