"""The search for losses by words in their declarations and by family; both are in the link."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

import streamlit as st

from dml_viz.app import tab, url_state
from dml_viz.losses import FAMILIES, LOSSES, Loss
from dml_viz.params import Param, params
from dml_viz.room import task

ALL = "all"
OVERVIEW = "overview"
SEARCH, FAMILY, CARD = "search", "family", "card"
LONGEST = 80  # characters of a search
WORDS = Param(SEARCH, "", "", f"search; use at most {LONGEST} characters", pattern=f"(?s).{{0,{LONGEST}}}")


@dataclass(frozen=True)
class Wanted:
    """The words and the family of a search, and the names of the losses found, by title."""

    words: str
    family: str
    found: tuple[str, ...]

    def __str__(self) -> str:
        words = f" that speaks of “{self.words}”" if self.words else ""
        return f"loss{words}" + ("" if self.family == ALL else f" in the family “{self.family}”")


def draw_search() -> Wanted:
    """Draw the search and the filter; a change of either leads back to the overview."""
    families = {ALL: f"all {len(LOSSES)}"} | {name: f"{name} {_many(name)}" for name in FAMILIES if _many(name)}
    looked_for = url_state.setting(SEARCH, WORDS)
    chosen = url_state.setting(FAMILY, Param(FAMILY, ALL, "", "Family", choices=tuple(families)))
    box, pills = st.columns([2, 5], vertical_alignment="center", gap="medium")
    state = url_state.register_control(SEARCH, "search")
    words, family = looked_for, chosen
    if state != task.HIDDEN:
        words = box.text_input(
            "Search",
            looked_for,
            key=SEARCH,
            type="search",
            live=True,
            max_chars=LONGEST,
            on_change=close_card,
            placeholder="Search: a name, a knob, a paper, a trap",
            label_visibility="collapsed",
            disabled=state == task.LOCKED,
        )
    state = url_state.register_control(FAMILY, "family")
    if state != task.HIDDEN:
        family = pills.pills(
            "Families",
            list(families),
            default=chosen,
            key=FAMILY,
            format_func=families.__getitem__,
            required=True,
            on_change=close_card,
            label_visibility="collapsed",
            wrap=True,
            disabled=state == task.LOCKED,
        )
    words = (words or "").strip()
    url_state.write_setting(SEARCH, words, "")
    url_state.write_setting(FAMILY, family, ALL)
    return Wanted(words, str(family), matching_losses(words, str(family)))


def clear_search() -> None:
    """Clear the search."""
    url_state.reset((SEARCH, FAMILY))


def open_card(name: str) -> None:
    """Open the card of the loss ``name``."""
    tab.control(CARD).set(name)


def close_card() -> None:
    """Close the card."""
    tab.control(CARD).set(OVERVIEW)


def matching_losses(words: str, family: str = ALL) -> tuple[str, ...]:
    """The losses of ``family`` with every word in their declarations, those with the words in their titles first.

    Case, accents and hyphens do not matter. Otherwise they are in the order of their titles.
    """
    asked = _plain(words).split()
    found = [
        name
        for name, kind in LOSSES.items()
        if family in (ALL, *kind.families) and all(word in _declared(name) for word in asked)
    ]

    def rank(name: str) -> tuple[bool, str]:
        return not all(word in _titled(name) for word in asked), LOSSES[name].title.casefold()

    return tuple(sorted(found, key=rank))


@cache
def _declared(name: str) -> str:
    kind: type[Loss] = LOSSES[name]
    knobs = [text for knob in params(kind) for text in (knob.name, knob.label_text, knob.meaning, *map(str, knob.choices))]
    declared = _plain(" ".join((kind.sentence, kind.reference, kind.elsewhere, *knobs, *kind.traps)))
    return f"{_titled(name)} {declared}"


def _titled(name: str) -> str:
    title = _plain(LOSSES[name].title)
    # Also without spaces, so that "npair" finds N-pair.
    return f"{title} {title.replace(' ', '')} {_plain(name)}"


def _plain(text: str) -> str:
    """The text in lower case without accents; all characters but letters and digits become spaces."""
    letters = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return re.sub(r"[\W_]+", " ", letters.casefold()).strip()


def _many(family: str) -> int:
    return sum(family in kind.families for kind in LOSSES.values())
