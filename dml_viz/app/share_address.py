"""The address in shared links: in place of an address of this machine alone, that of the network, if the server listens there."""

import ipaddress
from urllib.parse import urlsplit

import streamlit as st
from streamlit import config, net_util

KEY = "share.address"
HERE, NETWORK = "this machine", "the network"


def is_of_this_machine(url: str) -> bool:
    """Whether ``url`` always leads to the machine that opens it."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def address_in_network(url: str, listens: str | None, machine: str | None) -> str:
    """``url`` for others in the network, with the address ``machine``; empty if the server does not listen there.

    ``listens`` is the address that the server is configured to listen at, None for all.
    """
    everywhere = listens in (None, "", "0.0.0.0", "::")
    at = machine if everywhere else listens
    if not at or is_of_this_machine(f"//{at}"):
        return ""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return parts._replace(netloc=f"[{at}]{port}" if ":" in at else f"{at}{port}").geturl()


def home_of(url: str, page: str) -> str:
    """The address of the app, without a slash at its end; ``url`` is that of its ``page``."""
    return url.partition("?")[0].removesuffix("/").removesuffix(page).removesuffix("/")


def choose_address(url: str) -> str:
    """The address to share: ``url``, or for an address of this machine, with a warning, the network's if that is chosen."""
    if not is_of_this_machine(url):
        return url
    listens = config.get_option("server.address")
    shared = address_in_network(url, listens, net_util.get_internal_ip())
    if not shared:
        st.warning(
            f"{urlsplit(url).hostname} is this machine: the link opens nowhere else. For a class, start the app with "
            "`make serve`."
        )
        return url
    which = st.segmented_control("Address", (HERE, NETWORK), default=HERE, required=True, key=KEY)
    if which == NETWORK:
        return shared
    st.warning(f"{urlsplit(url).hostname} is this machine: the link opens nowhere else. The network has {shared.split('?')[0]}")
    return url
