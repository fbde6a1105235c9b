"""The sentence that a page shows in place of an error of ours."""

import logging

import streamlit as st

LOG = logging.getLogger(__name__)


def show_error(error: Exception) -> bool:
    """Show a sentence where the page stopped, and log the error; return True, so that Streamlit shows nothing else."""
    LOG.error("A page stopped", exc_info=error)
    st.error(
        f"This page stopped because of an error in the app ({type(error).__name__}). A run that trains goes on: reload the "
        "page, or open it without the settings in its link."
    )
    return True
