"""Links from a visitor's own points to the pages of the losses."""

from collections.abc import Mapping, Sequence

import streamlit as st

from dml_viz.app import frame, glossary

PAGES = ("fastap", "ranked_list", "angular", "proxies", "pairs", "gradients")


def draw(
    link: Mapping[str, str],
    pages: Sequence[str] = PAGES,
    words: str = "What each loss sees in these points, and how it would move them:",
) -> None:
    """Draw a link with the settings ``link`` to each of ``pages``, by default those that show points under a loss."""
    glossary.say(words, "caption")
    with st.container(horizontal=True):
        for page in pages:
            frame.link(page, link)
