"""Who a visitor is: the browser, by the cookie that Streamlit gives it against forged requests; without one, its address.

A frame in another site's slides has no cookie where browsers block those of third parties; ``server.xsrfCookieSameSite`` of
Streamlit can allow it over https.
"""

from collections.abc import Mapping

from starlette.requests import HTTPConnection

from dml_viz.engine.visitor import Visitor

LOOPBACK = ("127.0.0.1", "::1")


def visitor_of(connection: HTTPConnection) -> Visitor:
    """The visitor who sends a request, or opens a socket."""
    return _visitor(connection.cookies, connection.client.host if connection.client else "")


def visitor() -> Visitor:
    """The visitor whose session runs the page."""
    import streamlit as st  # here, since the command line makes figures without it

    return _visitor(st.context.cookies, st.context.ip_address or "")


def _visitor(cookies: Mapping[str, str], address: str) -> Visitor:
    from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string
    from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

    token, _ = decode_xsrf_token_string(cookies.get(XSRF_COOKIE_NAME, ""))
    if token:
        return Visitor(token.hex())
    # Streamlit names no address for this machine.
    return Visitor("" if address in LOOPBACK else address, crowd=True)
