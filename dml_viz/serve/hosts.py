"""The hosts that the server answers as, and the origins whose pages may open its sockets.

A page of another site cannot open a socket: the origin that its browser names is not this server's. So that it cannot make the
server's address its own either, by giving its own name that address, the server answers only as a host that no stranger can
name: any address; names of this machine and of networks without a public name; what a proxy passes on, since no page can send
the headers of proxies with a socket. A server that listens on its own machine alone has no other name than that machine's own.

Streamlit's option ``server.allowedHosts`` names the hosts instead, ``server.corsAllowedOrigins`` further origins.
"""

import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from dml_viz.serve.frontend import Frontend
from dml_viz.threads import once

PORTS = {"http": ":80", "https": ":443"}
OF_PROXIES = ("forwarded", "x-forwarded-", "x-real-ip", "via")
# Ends of names that only a network itself gives: RFC 6762 and 8375, and ICANN's reservation of 2024.
OF_NETWORKS = (".local", ".internal", ".home.arpa")


def is_own_host(headers: Headers, frontend: Frontend) -> bool:
    """Whether the host of a request is one that this server answers as."""
    host = headers.get("host", "")
    if (allowed := frontend.allows_host(host)) is not None:
        return allowed
    if not host or any(name.startswith(OF_PROXIES) for name in headers):
        return True
    name = _name(host)
    if _is_address(name) or f".{name}".endswith(".localhost"):
        return True
    listens = _plain(frontend.listens_at())
    given = {listens, _plain(frontend.public_name())} - {""}
    return name in given or (not _is_of_this_machine(listens) and _is_of_a_network(name))


def is_own_origin(headers: Headers, frontend: Frontend) -> bool:
    """Whether a page of this server opens a socket, or a page of an origin that the configuration names."""
    return same_origin(headers) or frontend.allows_origin(headers.get("origin", ""))


def same_origin(headers: Headers) -> bool:
    """Whether a page of this server asks: the host of its Origin is the request's host, perhaps that before a proxy."""
    try:
        origin = urlsplit(headers.get("origin", ""))
    except ValueError:
        return False
    port = PORTS.get(origin.scheme)
    if port is None or not origin.netloc:
        return False
    hosts = (headers.get("host", ""), *headers.get("x-forwarded-host", "").split(","))
    return origin.netloc.lower().removesuffix(port) in {host.strip().lower().removesuffix(port) for host in hosts}


@once
def own_name() -> str:
    """The name of this machine."""
    return _plain(socket.gethostname())


def _name(host: str) -> str:
    """The name or address in ``host``, a Host header, without its port; "" for what is no host."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises for a port that is none
    except ValueError:
        return ""
    more = parts.username is not None or parts.path or parts.query or parts.fragment
    return "" if more else _plain(parts.hostname or "")


def _is_of_this_machine(name: str) -> bool:
    """Whether no other machine reaches a server that listens at ``name``."""
    return name == "localhost" or (_is_address(name) and ip_address(name).is_loopback)


def _is_of_a_network(name: str) -> bool:
    """Whether nobody outside the network can give a machine this name."""
    return bool(name) and ("." not in name or name == own_name() or name.endswith(OF_NETWORKS))


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _plain(name: str) -> str:
    return name.strip().lower().rstrip(".").strip("[]")
