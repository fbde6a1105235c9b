"""A figure from plain traces and a layout, in the app's template, with its text for readers who do not see it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from dml_viz.plot.style import recolour, template

TO_SCALE = {"showgrid": False, "showticklabels": False, "ticks": ""}  # axes of a drawing, whose numbers do not matter


def canvas(traces: Iterable[Mapping[str, Any]], layout: Mapping[str, Any], *, theme: str, alt: str) -> go.Figure:
    """A Plotly figure of ``traces`` and ``layout`` in the colours of ``theme``, with the text ``alt`` in ``layout.meta["alt"]``.

    It has no legend unless ``layout`` asks for one. Plotly does not check the properties here, because that takes three times as
    long as all the rest; the tests check them.
    """
    meta = {"alt": alt, **layout.get("meta", {})}
    body = {"data": list(traces), "layout": {"template": template(theme), "showlegend": False, **layout, "meta": meta}}
    return go.Figure(recolour(body, theme), _validate=False)


def chart(
    traces: Iterable[Mapping[str, Any]],
    words: Sequence[tuple[str, str, str]],
    x: Mapping[str, Any],
    y: Mapping[str, Any],
    *,
    height: int,
    theme: str,
    alt: str,
    left: int = 50,
    top: int = 0,
    **more: Any,
) -> go.Figure:
    """A figure of ``traces`` on two axes below a `key` of ``words``; margins are in pixels, ``more`` belongs to the layout."""
    margin = {"l": left, "r": 12, "t": top or 16 + 18 * len(words), "b": 46}
    layout = {"height": height, "margin": margin, "xaxis": x, "yaxis": y, "annotations": [key(*words)]}
    return canvas(traces, layout | more, theme=theme, alt=alt)


def axis(title: str, *ends: float, **more: Any) -> dict[str, Any]:
    """Properties of an axis with a title, from the first to the second of its ``ends`` if given; ``more`` are further ones."""
    return {"title": {"text": title}, **({"range": list(ends)} if ends else {}), **more}


def tint(colour: str, opacity: float) -> str:
    """The colour #rrggbb with an opacity, as an rgba string."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def key(*entries: tuple[str, str, str], apart: str = "<br>") -> dict[str, Any]:
    """An annotation above the panel with each (sign, colour, words) of ``entries``: Plotly's legend cuts long words off."""
    text = apart.join(f'<span style="color:{colour}">{sign}</span> {words}' for sign, colour, words in entries)
    return heading(text, 0, 1, yshift=4, align="left")


def note(text: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    """An annotation with ``text`` at (``x``, ``y``), without an arrow; ``more`` are its other properties."""
    return {"text": text, "x": x, "y": y, "showarrow": False, **more}


def heading(text: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    """An annotation whose lower left corner is at (``x``, ``y``) in shares of the figure's width and height."""
    return note(text, x, y, **{"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom", **more})


def footnote(text: str, **more: Any) -> dict[str, Any]:
    """An annotation with ``text`` below the panel, at its left corner."""
    return heading(text, 0, 0, **{"yanchor": "top", "align": "left", **more})


@dataclass(frozen=True)
class Display:
    """The theme, "light" or "dark", the name of each class (C,), and the class of each point (N,)."""

    theme: str = "light"
    classes: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
    of_run: bool = False

    @property
    def who(self) -> Sequence[str]:
        """The name of each point (N,): its index and its class."""
        return [f"#{k} ({self.classes[label]})" for k, label in enumerate(self.labels)]
