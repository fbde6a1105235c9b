"""Who a visitor is: the browser, by the cookie that Streamlit gives it against forged requests; without one, its address.

Anyone can make such cookies up. So that one client is not many visitors, at most ``seats`` browsers of an address, a class,
count as visitors of their own at a time; whoever comes beyond these is one of the crowd of that address.

A frame in another site's slides has no cookie where browsers block those of third parties; ``server.xsrfCookieSameSite`` of
Streamlit can allow it over https.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from threading import Lock

from starlette.requests import HTTPConnection

from dml_viz.engine.configuration import chosen
from dml_viz.engine.visitor import Visitor

LOOPBACK = ("127.0.0.1", "::1")
TOKEN = 16  # bytes of a cookie of Streamlit's
FREED, ADDRESSES = (
    300.0,
    10_000,
)  # seconds after which the seat of a browser that is not seen is another's; addresses known


class Seats:
    """The browsers of each address that count as visitors of their own, at most ``most``; safe to use from any thread."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock, self._lock = most, clock, Lock()
        self._seen: OrderedDict[str, dict[bytes, float]] = OrderedDict()

    def has(self, address: str, browser: bytes) -> bool:
        """Whether the browser has a seat, or takes a free one."""
        with self._lock:
            seen, now = self._seen.setdefault(address, {}), self._clock()
            self._seen.move_to_end(address)
            while len(self._seen) > ADDRESSES:
                self._seen.popitem(last=False)
            if browser not in seen and len(seen) >= self._most:
                for gone in [one for one, when in seen.items() if now - when > FREED]:
                    del seen[gone]
                if len(seen) >= self._most:
                    return False
            seen[browser] = now
            return True


@cache
def seats() -> Seats:
    """The seats of this server process; ValueError where the configured number is none."""
    text = chosen("seats")
    if not (text.isdecimal() and int(text)):
        raise ValueError(f'seats = "{text}" is not a number of browsers; write a whole number, 1 or more')
    return Seats(int(text))


def visitor_of(connection: HTTPConnection) -> Visitor:
    """The visitor who sends a request, or opens a socket."""
    return _visitor(connection.cookies, connection.client.host if connection.client else "")


def visitor() -> Visitor:
    """The visitor whose session runs the page."""
    import streamlit as st  # here, since the command line makes figures without it

    return _visitor(
        st.context.cookies, st.context.ip_address or LOOPBACK[0]
    )  # Streamlit names no address for this machine


def _visitor(cookies: Mapping[str, str], client: str) -> Visitor:
    from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string
    from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

    token, _ = decode_xsrf_token_string(cookies.get(XSRF_COOKIE_NAME, ""))
    address = _network(client)
    if token and len(token) == TOKEN and seats().has(address, token):
        return Visitor(token.hex(), address=address)
    return Visitor(address, crowd=True, address=address)


def _network(client: str) -> str:
    """The address of whoever is behind it: that of this machine, however it is reached; of IPv6 the network that one is given."""
    found: IPv4Address | IPv6Address | None = None
    with suppress(ValueError):
        found = ip_address(client)
        found = getattr(found, "ipv4_mapped", None) or found
    if found is None or found.is_loopback:
        return LOOPBACK[0] if found else ""
    return str(found if found.version == 4 else ip_network((found.packed[:8] + bytes(8), 64)))
