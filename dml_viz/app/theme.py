"""The visitor's theme, light or dark."""

import streamlit as st

WANTED = "theme.wanted"


def theme() -> str:
    """ "light" or "dark", as the browser shows the page now; "light" where it has not said yet.

    Where no browser shows it, as what the session holds under `WANTED`.
    """
    wanted = st.session_state.get(WANTED, st.context.theme.type)
    return "dark" if wanted == "dark" else "light"
