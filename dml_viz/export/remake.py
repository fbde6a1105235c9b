"""A figure made again from its recipe."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from urllib.parse import urljoin

from dml_viz.app import server
from dml_viz.app.export_server import figure_ask
from dml_viz.engine.wire import pack
from dml_viz.export.headless import Component, Progress, component
from dml_viz.figure_files.chrome import Press
from dml_viz.figure_files.csv import csv
from dml_viz.figure_files.figure_data import seen
from dml_viz.figure_files.html import html
from dml_viz.figure_files.options import Wish
from dml_viz.figure_files.spec import Recipe, versions
from dml_viz.plot.style import PAPER

FORMATS = ("svg", "pdf", "png", "html", "csv", "json")
HOME = "http://localhost:8501/"
WIDTH = 700.0  # px of a figure whose recipe names no size
PAGE = 1200.0  # px of a whole live picture, which lays out its panels itself


class Workshop:
    """What all figures of one call share, each begun when it is first needed: the engine that trains, and the press."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._press: Press | None = None
        self._trains = False

    def press(self) -> Press:
        """The Chrome that draws."""
        if self._press is None:
            self._press = Press()
            self._stack.callback(self._press.close)
        return self._press

    def serve(self) -> None:
        """Pages find the engine."""
        if not self._trains:
            self._trains = True
            self._stack.enter_context(server.serving(warm=False))


def remade(
    recipe: Recipe, formats: Sequence[str], workshop: Workshop, *, scale: int, progress: Progress
) -> Iterator[tuple[str, bytes]]:
    """The files of ``recipe``, by name, one for each format; only what Python cannot write itself needs a Chrome.

    ValueError, LookupError or RuntimeError, saying what is wrong, where one cannot be made.
    """
    if recipe.changes:
        changed = "; ".join(f"at step {step}: {what}" for step, what in recipe.changes)
        raise ValueError(
            f"the run was changed by hand on the way ({changed}), so its settings alone do not make it again"
        )
    wish = Wish.of(recipe.write_up) if recipe.write_up else None
    workshop.serve()
    made = component(recipe, progress)
    told = Recipe.read(json.dumps(made.data["recipe"]))
    base = urljoin(recipe.address, ".") if recipe.address.startswith(("http://", "https://")) else HOME
    whole = replace(
        told, figure=recipe.figure, view=recipe.view, size=recipe.size, write_up=recipe.write_up, link=recipe.link,
        address=urljoin(base, recipe.link), versions=versions(),
    )  # fmt: skip
    for form in formats:
        yield f"{recipe.figure}.{form}", _file(whole, made, form, wish, workshop, scale, base)


def _file(
    recipe: Recipe, made: Component, form: str, wish: Wish | None, workshop: Workshop, scale: int, base: str
) -> bytes:
    if form == "json":
        return f"{json.dumps(recipe.write(), indent=2)}\n".encode()
    data = {**made.data, "recipe": recipe.write()}
    size = {
        "width": float(recipe.size.get("width", WIDTH)),
        "height": float(recipe.size.get("height", data.get("height", 400))),
    }
    if made.module != "figure":
        # A picture of our own draws itself, in a frame as wide as a page's column; panels are not of that size.
        data["recipe"] = {**data["recipe"], "figure": made.data["recipe"]["figure"]}
        width = PAGE if made.module == "live" else WIDTH if made.arrays is None else size["width"]
        told = data if made.arrays is None else {"bytes": base64.b64encode(pack(data, made.arrays)).decode()}
        ask = {"module": made.module, "data": told, "figure": recipe.figure, "width": width,
               "format": form, "wish": wish.write() if wish else None, "scale": scale, "base": base,
               "beside": [{"module": module, "data": beside} for module, beside in made.beside]}  # fmt: skip
        return workshop.press().drawn(ask)
    figure = seen(data["figure"], recipe.view)
    words = str(data["alt"])
    caption = "\n".join(part for part in (words, recipe.caption, recipe.address) if part)
    if form == "csv":
        return csv(figure, recipe, caption).encode()
    if form == "html":
        return html(figure, recipe, words, caption, paper=PAPER[recipe.theme]).encode()
    return workshop.press().drawn(
        figure_ask({**data, "figure": json.dumps(figure)}, form, wish, size, scale=scale, base=base)
    )
