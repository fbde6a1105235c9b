"""The visitor's theme, light or dark."""

from __future__ import annotations

import streamlit as st


def theme() -> str:
    """ "light" or "dark", as the browser shows the page now; "light" where it has not said yet."""
    return "dark" if st.context.theme.type == "dark" else "light"
