"""A figure from plain traces and a layout, in the app's template: display, axes, keys, numbers in words, panels in a stack."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from dml_viz.plot.style import recolour, template

TO_SCALE = {"showgrid": False, "showticklabels": False, "ticks": ""}  # axes of a drawing, whose numbers do not matter
SURE = 11  # digits that no order of summing changes: a weight such as 9/160 is rounded as what it is
SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "#$%&_{}"})
SIGNS |= str.maketrans({"\\": r"\textbackslash ", "^": r"\textasciicircum ", "~": r"\textasciitilde "})
GAP = 30  # pixels between rows, for the next row's heading
FOOT, HEAD = 62, 30  # pixels below and above the rows


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


def words_of(entries: Iterable[tuple[str, str, str]], between: str = "; ") -> str:
    """The words of the ``entries`` of a `key`, without their signs, as for a text in place of the figure."""
    return between.join(words for *_, words in entries)


def counted(count: int, noun: str, many: str = "") -> str:
    """The ``count`` and its ``noun``, or ``many`` of it (by default with an s more): "1 class", "12 classes"."""
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"


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
    """The theme, "light" or "dark", the name of each class (C,), the class of each point (N,); whether points are of a run."""

    theme: str = "light"
    classes: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
    of_run: bool = False

    @property
    def who(self) -> Sequence[str]:
        """The name of each point (N,): its index and its class."""
        return [f"#{k} ({self.classes[label]})" for k, label in enumerate(self.labels)]


def number(value: float, form: str = ".3g", undefined: str = "undefined") -> str:
    """The text of ``value`` in the format ``form``, with a true minus sign and none before zeros; ``undefined`` for NaN."""
    return undefined if math.isnan(value) else with_minus_signs(re.sub(r"^-(?=[0.]+%?$)", "", f"{value:{form}}"))


def with_minus_signs(text: str) -> str:
    """``text`` with a minus sign for every hyphen before a number."""
    return re.sub(r"-(?=\d|inf)", "−", text)


def score(value: float) -> str:
    """The text of a score in [0, 1]; "undefined" for NaN, the score without any query."""
    return number(value, ".3f")


def tex(value: float) -> str:
    """``value`` in three digits as LaTeX, with a power of ten if needed, and without a sign for 0."""
    digits, _, power = f"{float(f'{value + 0.0:.{SURE}g}'):.3g}".partition("e")
    return rf"{digits}\cdot 10^{{{int(power)}}}" if power else digits


def escaped_for_tex(text: str) -> str:
    """The text as words within LaTeX, to the letter."""
    return text.translate(SIGNS)


@dataclass(frozen=True)
class Row:
    """One panel: its heading, its traces without axes, its height in pixels, and properties of its y axis and its shapes."""

    heading: str
    traces: Sequence[Mapping[str, Any]]
    height: int
    axis: Mapping[str, Any] = field(default_factory=dict)
    shapes: Sequence[Mapping[str, Any]] = ()


def stacked(rows: Sequence[Row], xaxis: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The traces and the layout of ``rows`` from the top down, all on the x axis ``xaxis``."""
    inside = sum(row.height for row in rows) + GAP * (len(rows) - 1)
    layout: dict[str, Any] = {
        "height": inside + FOOT + HEAD,
        "margin": {"l": 50, "r": 12, "t": HEAD, "b": FOOT},
        "annotations": [],
        "shapes": [],
        "xaxis": {"anchor": "y" if len(rows) == 1 else f"y{len(rows)}", **xaxis},
    }
    traces = []
    top = inside
    for k, row in enumerate(rows):
        name = f"y{k + 1}" if k else "y"
        domain = (max(top - row.height, 0) / inside, top / inside)
        layout[name.replace("y", "yaxis")] = {"domain": domain, "anchor": "x", "nticks": 4, **row.axis}
        layout["annotations"].append(heading(row.heading, 0, domain[1], align="left"))
        layout["shapes"] += [{"y0": 0, "y1": 1, **shape, "xref": "x", "yref": f"{name} domain"} for shape in row.shapes]
        traces += [{"xaxis": "x", "yaxis": name, **trace} for trace in row.traces]
        top -= row.height + GAP
    return traces, layout
