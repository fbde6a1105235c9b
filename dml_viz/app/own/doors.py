"""The way from points of a visitor's own to the pages of the losses."""

from collections.abc import Mapping, Sequence

import streamlit as st

from dml_viz.app import frame, glossary

PAGES = ("fastap", "ranked_list", "angular", "proxies", "pairs", "gradients")


def draw(
    link: Mapping[str, str], pages: Sequence[str] = PAGES,
    words: str = "What each loss sees in these points, and how it would move them:",
) -> None:  # fmt: skip
    """Draw a link to each of ``pages``, by default those that show under a loss the points, which ``link`` names."""
    glossary.say(words, "caption")
    with st.container(horizontal=True):
        for page in pages:
            frame.link(page, link)
