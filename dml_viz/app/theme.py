"""The visitor's theme, light or dark."""

import streamlit as st

from dml_viz.app import tab


def theme() -> str:
    """The theme of the page in the browser, "light" or "dark"; "light" until the browser has reported it.

    Without a browser it is the session's `tab.THEME`.
    """
    name = tab.THEME.find() or st.context.theme.type
    return "dark" if name == "dark" else "light"
