"""Terms of the field, each explained on hover, focus or touch beside the first paragraph of a page that uses it."""

from typing import Any

import streamlit as st

from dml_viz.app import tab
from dml_viz.room.terms import TERMS, terms_in


def begin(known: frozenset[str] = frozenset()) -> None:
    """Set the terms that the page has explained so far to ``known``."""
    tab.TERMS.set(known)


def say(text: str, kind: str = "markdown", **options: Any) -> None:
    """Draw ``text`` as Streamlit's element ``kind``, with a hover text that explains the terms that are new on the page."""
    before = tab.TERMS.get()
    meanings = ""
    if new := terms_in(text) - before:
        begin(before | new)
        meanings = "\n\n".join(f"**{term.partition('|')[0]}**: {meaning}." for term, meaning in TERMS.items() if term in new)
    getattr(st, kind)(text, help=meanings or None, **options)
