"""A sentence in the corner of the screen on what has just happened, which goes by itself."""

from time import monotonic

import streamlit as st

from dml_viz.app import tab

SECONDS = 10


def announce(text: str) -> None:
    """Show ``text`` for `SECONDS`, through reruns of the page and on the next page."""
    announce_with_next_run(text)
    draw()


def announce_with_next_run(text: str) -> None:
    """Show ``text`` as `announce` does, from a callback, which the page's own `draw` follows."""
    tab.NOTICE.set((text, monotonic()))


def draw() -> None:
    """Show again what was announced last, if its time is not over.

    A rerun that begins at once drops what the one before has drawn, also if the browser has not shown it yet.
    """
    text, since = tab.NOTICE.get()
    if text and monotonic() - since < SECONDS:
        st.toast(text, duration=SECONDS)
