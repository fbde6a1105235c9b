"""The way from points of a visitor's own to the pages of the losses."""

from collections.abc import Mapping

import streamlit as st

from dml_viz.app import glossary
from dml_viz.app.frame import targets

PAGES = ("fastap", "ranked_list", "angular", "proxies", "pairs", "gradients")


def draw(link: Mapping[str, str]) -> None:
    """Draw a link to each page that shows the points, which ``link`` names, under a loss."""
    glossary.say("What each loss sees in these points, and how it would move them:", "caption")
    with st.container(horizontal=True):
        for path in (path for path in PAGES if path in targets()):
            st.page_link(targets()[path], query_params=link)
