"""The identity of visitors: a browser, by the cookie that Streamlit gives it; without the cookie, its address.

Anyone can invent such cookies. So that one client cannot be many visitors, at most ``seats`` browsers of an address, such as a
class, count as visitors of their own at a time; further browsers belong to the crowd of that address. Who has been seen longest
has a seat, so that cookies invented during a lesson take the seats of none who was there before, nor of one back from a break.

A frame in another site's slides has no cookie if the browser blocks third-party cookies; Streamlit's
``server.xsrfCookieSameSite`` can allow it over https.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from math import inf
from threading import Lock

from starlette.requests import HTTPConnection

from dml_viz.engine.limits import Visitor
from dml_viz.serve.configuration import value_of
from dml_viz.threads import once

LOOPBACK = ("127.0.0.1", "::1")
BROWSER = "dml_viz.browser"  # in a connection's scope: the bytes by which the guard knows its browser
TOKEN = 16  # of such bytes
FREED = 300.0  # seconds without a request after which another browser may have the seat until its own one is back
FORGOTTEN = 7200.0  # seconds without a request after which a browser is seen for the first time again
WAITING = 10  # times the seats: most browsers of an address that are remembered
ADDRESSES = 10_000  # most addresses that are remembered


class SeatsByAddress:
    """The browsers of each address that count as visitors of their own: of those that are there, the ``most`` seen longest.

    Safe to use from any thread.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock, self._lock = most, clock, Lock()
        # The browsers of an address in the order in which they came, each with the time of its last request.
        self._seen: OrderedDict[str, dict[bytes, float]] = OrderedDict()

    def has(self, address: str, browser: bytes) -> bool:
        """Note a request of the browser, and return whether it has a seat."""
        with self._lock:
            seen, now = self._seen.setdefault(address, {}), self._clock()
            self._seen.move_to_end(address)
            while len(self._seen) > ADDRESSES:
                self._seen.popitem(last=False)
            if now - seen.get(browser, -inf) > FORGOTTEN:
                seen.pop(browser, None)  # it comes anew, after all others
            if browser not in seen and len(seen) >= WAITING * self._most:
                for gone in [other for other, when in seen.items() if now - when > FREED]:
                    del seen[gone]
                if len(seen) >= WAITING * self._most:
                    return False
            seen[browser] = now
            taken = 0
            for other, when in seen.items():
                if other == browser or taken == self._most:
                    break
                taken += now - when <= FREED
            return taken < self._most


@once
def seats() -> SeatsByAddress:
    """The seats of this server process; ValueError if the configured number is none."""
    text = value_of("seats")
    if not (text.isdecimal() and int(text)):
        raise ValueError(f'seats = "{text}" is not a number of browsers; write a whole number, 1 or more')
    return SeatsByAddress(int(text))


def visitor_of(connection: HTTPConnection) -> Visitor:
    """The visitor who sends a request, or opens a socket."""
    return identify(connection.scope.get(BROWSER, b""), connection.client.host if connection.client else "")


def identify(browser: bytes, client: str) -> Visitor:
    """The visitor with ``browser``, empty if it is not known, at the address ``client``."""
    address = _network(client)
    if len(browser) == TOKEN and seats().has(address, browser):
        return Visitor(browser.hex(), address=address)
    return Visitor(address, crowd=True, address=address)


def _network(client: str) -> str:
    """The address that stands for a client: one for all of this machine, and for IPv6 the network of 64 bits; "" if unknown."""
    address: IPv4Address | IPv6Address | None = None
    with suppress(ValueError):
        address = ip_address(client)
        address = getattr(address, "ipv4_mapped", None) or address
    if address is None or address.is_loopback:
        return LOOPBACK[0] if address else ""
    return str(address if address.version == 4 else ip_network((address.packed[:8] + bytes(8), 64)))
