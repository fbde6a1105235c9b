"""A Plotly figure on a page, which is updated in place: new data do not blank it, and zoom and hover stay."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from dml_viz.app import frontend, provenance_log
from dml_viz.app.component_loader import component
from dml_viz.app.theme import theme
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.plot.canvas import Display
from dml_viz.room.component_data import figure_data
from dml_viz.room.room import NO_POINTS, Room, figure_name
from dml_viz.serve.figure_store import Offer, store

HEIGHT = 400


def figure(
    fig: go.Figure | str,
    *,
    key: str,
    theme: str,
    alt: str = "",
    height: int | None = None,
    link: str | None = None,
    on_click: Callable[[int], None] | None = None,
) -> None:
    """Show ``fig``, which was built for ``theme``, ``height`` pixels high (its own height unless given).

    The figure at an address is made when the browser shows it. ``alt`` says what the figure shows, with its numbers; a figure
    without it raises ValueError, a figure at an address has its own. ``on_click`` is called before the rerun with the customdata
    of a clicked point, or its place in its trace. Figures with the same ``link`` hover together, matched by customdata.
    """
    if not isinstance(fig, str) and not alt.strip():
        raise ValueError(f"figure {key!r} needs alt text: one sentence on what it shows, with its numbers")

    def clicked() -> None:
        point = _point(st.session_state[key].get("clicked"))
        if on_click is not None and point is not None:
            on_click(point)

    height = None if isinstance(fig, str) else height or fig.layout.height or HEIGHT
    content = {"source": fig} if isinstance(fig, str) else {"figure": fig.to_json(), "alt": alt, "height": height}
    recipe = provenance_log.recipe_of(key, theme)
    data = figure_data(theme, link=link, clickable=on_click is not None, recipe=recipe, **content)
    component("figure")(
        key=key,
        data=data,
        on_clicked_change=clicked,
        on_stale_change=lambda: None,  # the rerun offers every figure again
    )


def offer_of_room(room: Room[Any, Any], settings: Any, embeddings: Embeddings = NO_POINTS, of_file: bool = True) -> Offer:
    """The figures of ``room`` under settings, in the theme of the page, and the model that they share.

    ``of_file`` is whether they may hold rows or images of a visitor's file.
    """
    return store().offer(room, embeddings, settings, Display(theme()), tab=frontend.session_id() if of_file else "")


def of_room(
    room: Room[Any, Any],
    name: str,
    settings: Any,
    on_click: Callable[[int], None] | None = None,
    embeddings: Embeddings = NO_POINTS,
    of_file: bool = True,
) -> None:
    """Show the figure ``name`` of ``room`` under settings, in the theme of the page; see `offer_of_room`."""
    offer = offer_of_room(room, settings, embeddings, of_file)
    figure(offer.address(name), key=figure_name(room, name), theme=theme(), on_click=on_click)


def _point(clicked: dict[str, Any] | None) -> int | None:
    if not clicked:
        return None
    index = clicked.get("customdata")
    return int(index if isinstance(index, (int, float)) else clicked["point"])
