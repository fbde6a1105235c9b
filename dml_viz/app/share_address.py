"""The address that a page is handed out under: where that is this machine's own, the network's, if the server listens there."""

import ipaddress
from urllib.parse import urlsplit

import streamlit as st
from streamlit import config, net_util

KEY = "share.address"
HERE, NETWORK = "this machine", "the network"


def own(url: str) -> bool:
    """Whether ``url`` leads nowhere but to the machine that opens it."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def of_network(url: str, listens: str | None, machine: str | None) -> str:
    """``url`` as others in the network reach it, at the address ``machine``; empty where the server does not listen there.

    ``listens`` is the address that the server was told to listen at, None for all.
    """
    everywhere = listens in (None, "", "0.0.0.0", "::")
    at = machine if everywhere else listens
    if not at or own(f"//{at}"):
        return ""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return parts._replace(netloc=f"[{at}]{port}" if ":" in at else f"{at}{port}").geturl()


def choose(url: str) -> str:
    """Warn where ``url`` is this machine's and offer the network's; the one to hand out."""
    if not own(url):
        return url
    listens = config.get_option("server.address")
    there = of_network(url, listens, net_util.get_internal_ip())
    if not there:
        st.warning(
            f"{urlsplit(url).hostname} is this machine: the link opens nowhere else. For a class, start the app with "
            "`make serve`.",
        )  # fmt: skip
        return url
    chosen = st.segmented_control("Address", (HERE, NETWORK), default=HERE, required=True, key=KEY)
    if chosen == NETWORK:
        return there
    st.warning(
        f"{urlsplit(url).hostname} is this machine: the link opens nowhere else. The network has {there.split('?')[0]}"
    )
    return url
