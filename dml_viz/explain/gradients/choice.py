"""Which losses stand side by side, and the knobs of one of them at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from dml_viz.app import lesson, provenance_log, url_state
from dml_viz.app.controls import controls
from dml_viz.losses import LOSSES, Loss
from dml_viz.params import params

KEY = "gradients"
EIGHT = (
    "triplet", "fastap", "ranked_list", "angular", "proxy_nca", "proxy_anchor", "multi_similarity", "circle",
)  # fmt: skip
ALL, NONE = "all", "none"
LONGEST = 20  # characters of an unknown name that are told
TITLES = {name: kind.title for name, kind in LOSSES.items()}
NAMES = tuple(sorted(LOSSES, key=lambda name: TITLES[name].lower()))


@dataclass(frozen=True)
class Names:
    """Losses in a link: their names with dots between, "all" of them, or "none"."""

    default: str = ".".join(EIGHT)

    def read(self, text: str) -> str:
        """The same, written as `write` does; ValueError, naming what is unknown, for anything else."""
        names = {ALL: NAMES, NONE: ()}.get(text, tuple(filter(None, text.split("."))))
        if unknown := [name for name in names if name not in LOSSES]:
            raise ValueError(f"loss {unknown[0][:LONGEST]!r} is not known; choose from {', '.join(LOSSES)}")
        return write(names)

    def complaint(self, value: Any) -> str | None:
        """What is wrong with ``value``."""
        try:
            return None if self.read(str(value)) == value else f"losses {value!r} are not written as a link holds them"
        except ValueError as error:
            return str(error)


def write(names: tuple[str, ...]) -> str:
    """Names as a link holds them, each once: the eight in their own order, any others in the order of their titles."""
    if set(names) == set(LOSSES):
        return ALL
    return ".".join(ordered(names)) or NONE


def ordered(names: tuple[str, ...]) -> tuple[str, ...]:
    """The eight first, as they stand, then all others by title."""
    return tuple(name for name in (*EIGHT, *(name for name in NAMES if name not in EIGHT)) if name in names)


def chosen() -> tuple[str, ...]:
    """The names that the link and the control say."""
    text = url_state.setting(f"{KEY}.losses", Names())
    return ordered(NAMES if text == ALL else () if text == NONE else tuple(text.split(".")))


def choose() -> tuple[str, ...]:
    """Draw the choice of losses; their names, in the order in which they stand."""
    names = chosen()
    state = url_state.offer(f"{KEY}.losses", "losses")
    if state != lesson.HIDDEN:
        _drawn(names, fixed=state == lesson.LOCKED)
    url_state.keep(f"{KEY}.losses", write(names), Names().default)
    return names


def _drawn(names: tuple[str, ...], fixed: bool) -> None:
    with st.popover(f"Losses: {len(names)} of {len(NAMES)}", icon=":material/stacks:", disabled=fixed):
        with st.container(horizontal=True):
            for label, some in (("All", NAMES), ("The eight", EIGHT), ("None", ())):
                st.button(
                    label, key=f"{KEY}.set.{label}", on_click=_set, args=(some,),
                    type="primary" if set(some) == set(names) else "secondary",
                )  # fmt: skip
        st.session_state[f"{KEY}.pills"] = list(names)
        st.pills(
            "Losses", ordered(NAMES), selection_mode="multi", key=f"{KEY}.pills", format_func=TITLES.__getitem__,
            on_change=_pick, label_visibility="collapsed", disabled=fixed,
        )  # fmt: skip


def knobs(names: tuple[str, ...]) -> dict[str, Loss]:
    """Draw the knobs of one loss, chosen among ``names``; all losses as their knobs stand."""
    if not names:
        return {}
    shown = url_state.choice(f"{KEY}.loss", "Knobs of", names, names[0], named=TITLES, menu=True)
    drawn = {}
    for name in names:
        drawn[name] = controls(LOSSES[name], f"loss.{name}", draw=name == shown)
    if not params(LOSSES[shown]):
        st.caption(f"{TITLES[shown]} has no knobs.")
    provenance_log.shown(drawn)
    return drawn


def _set(names: tuple[str, ...]) -> None:
    st.session_state[f"{KEY}.losses"] = write(names)


def _pick() -> None:
    _set(tuple(st.session_state[f"{KEY}.pills"]))
