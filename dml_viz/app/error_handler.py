"""What a visitor is told when a page meets a fault of ours."""

from __future__ import annotations

import logging

import streamlit as st

LOG = logging.getLogger(__name__)


def tell(error: Exception) -> bool:
    """Say it in a sentence where the page broke off, and in full in the server's log; True: nothing else is to be shown."""
    LOG.error("A page broke off", exc_info=error)
    st.error(
        f"This page met a fault of its own ({type(error).__name__}) and broke off here. A run that trains is not lost: "
        "reload the page, or open it without the settings in its link."
    )
    return True
