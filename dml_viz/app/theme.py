"""The visitor's theme, light or dark."""

import streamlit as st

WANTED = "theme.wanted"


def theme() -> str:
    """The theme of the page in the browser, "light" or "dark"; "light" until the browser has reported it.

    Without a browser it is the session's value of `WANTED`.
    """
    wanted = st.session_state.get(WANTED, st.context.theme.type)
    return "dark" if wanted == "dark" else "light"
