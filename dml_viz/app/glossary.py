"""Terms of the field, each explained on hover, focus or touch beside the paragraph that uses it first on a page."""

import re

import streamlit as st

EXPLAINED = "glossary.explained"  # by term, the beginning of the paragraph that explains it
TERMS = {
    "embedding": "the vector that a net gives an image; here it has length 1, so it lies on a circle or sphere",
    "anchor": "the point from which the distances of a pair or triplet are measured",
    "positive": "a point of the same class as the anchor or query",
    "negative": "a point of another class than the anchor or query",
    "proxy": "a learnt point that represents a class and is trained with the net",
    "query": "the point that is looked up: all others are ranked by their distance to it",
    "margin": "how much farther a negative must be than a positive before the loss stops pushing",
    "active": "having a gradient: a pair or triplet that the loss still moves",
    "semi-hard": "of a negative: farther than the positive, but by less than the margin",
    "tangent": "along the sphere: the part of a gradient that moves a point of length 1",
    "hinge": "a loss that is 0 from a bound on, where its gradient ends",
    "R@1": "the share of queries whose nearest other point has their class",
    "mAP": "the mean over all queries of their average precision, 1 for perfect rankings",
    "MAP@R": "average precision among a query's R nearest, R being the number of its positives; the mean of that",
    "held out": "kept from training, to test on: images of the classes that are trained on, or whole classes",
    "unseen": "of classes that the net was never trained on",
    "raw pixels": "the images themselves as vectors, without a net: what training must improve on",
    "batch": "the points of one training step; the loss compares them with each other",
}
_FOUND = {term: re.compile(rf"(?<![\w@]){re.escape(term)}(?:s|ies)?(?![\w@])", re.IGNORECASE) for term in TERMS}


def begin() -> None:
    """Forget what the page before has explained."""
    st.session_state[EXPLAINED] = {}


def explained(text: str) -> str | None:
    """What the terms mean that ``text`` is the first of the page to use, in Markdown; None where it uses no new one."""
    known, here = st.session_state.setdefault(EXPLAINED, {}), text[:16]
    # An article that is drawn again without its page explains again what it explained.
    lines = [
        f"**{term}**: {meaning}."
        for term, meaning in TERMS.items()
        if _FOUND[term].search(text) and known.setdefault(term, here) == here
    ]
    return "\n\n".join(lines) or None
