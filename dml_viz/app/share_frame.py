"""One figure of a page for slides: the link that shows it alone, and the lines that put it into a page."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

import streamlit as st

from dml_viz.app import url_state
from dml_viz.app.presentation import ONLY, figures_of

KEY, HEIGHT = "share.figure", 520  # px


def joined(address: str, settings: Mapping[str, str]) -> str:
    """``address`` with ``settings``."""
    return f"{address}?{urlencode(settings, safe='~')}" if settings else address


def snippet(link: str) -> str:
    """An iframe of ``link``, for reveal.js, Quarto and any HTML."""
    return f'<iframe src="{escape(link)}" width="100%" height="{HEIGHT}" style="border: 0" loading="lazy"></iframe>'


def offer(address: str, settings: Mapping[str, str]) -> None:
    """Draw the choice of a figure and the lines for it; ``settings`` are those of the page at ``address``."""
    figures = figures_of(st.session_state[url_state.VISIT])
    if not figures:
        st.caption("This page has no figure.")
        return
    alike = list(figures.values())
    names = {key: claim if alike.count(claim) == 1 else f"{claim} ({key})" for key, claim in figures.items()}
    chosen = st.selectbox("Figure", tuple(figures), format_func=names.__getitem__, key=KEY)
    kept = {name: text for name, text in settings.items() if name not in url_state.FRAME}
    st.code(snippet(joined(address, {**kept, ONLY: chosen})), language="html", wrap_lines=True)
    st.caption("For reveal.js, Quarto or any HTML. Out of sight, and on a slide that is not shown, it sleeps.")
