"""A figure made again from its spec."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin

from dml_viz.engine.wire import pack
from dml_viz.export.picture import Picture, Workshop, picture_of
from dml_viz.export.training import Progress
from dml_viz.figure_files.chart import zoomed
from dml_viz.figure_files.formats import FORMATS, Figure, declared_format
from dml_viz.figure_files.options import ExportOptions
from dml_viz.figure_files.spec import Spec, versions
from dml_viz.plot.style import FAINT, INK, palette

HOME = "http://localhost:8501/"
WIDTH = 700.0  # px of a figure whose spec names no size
PAGE = 1200.0  # px of a whole live picture, which lays out its panels itself


def remade(
    spec: Spec, formats: Sequence[str], workshop: Workshop, *, scale: int, progress: Progress
) -> Iterator[tuple[str, bytes]]:
    """The files of ``spec``, by name, one for each format; only what Python cannot write itself needs a Chrome.

    ValueError, LookupError or RuntimeError, saying what is wrong, where one cannot be made.
    """
    if spec.changes:
        changed = "; ".join(f"at step {step}: {what}" for step, what in spec.changes)
        raise ValueError(
            f"the run was changed by hand on the way ({changed}), so its settings alone do not make it again"
        )
    options = ExportOptions.of(spec.write_up) if spec.write_up else None
    made = picture_of(spec, workshop, progress)
    base = urljoin(spec.address, ".") if spec.address.startswith(("http://", "https://")) else HOME
    whole = replace(
        made.spec, figure=spec.figure, view=spec.view, size=spec.size, write_up=spec.write_up, link=spec.link,
        address=urljoin(base, spec.link), versions=versions(),
    )  # fmt: skip
    if others := other_versions(spec):
        whole = replace(whole, caption=f"{whole.caption} {others}")
    figure = _figure(made, whole)
    for form in formats:
        body = FORMATS[form].write(figure)
        if body is None:
            request = {**_request(made, whole, figure), "format": declared_format(form), "scale": scale, "base": base,
                       "options": options.write() if options else None}  # fmt: skip
            body = workshop.chrome().draw(request)
        yield f"{spec.figure}.{form}", body


def other_versions(spec: Spec) -> str:
    """What the figure was first made with, in a sentence; empty where that is what is installed."""
    there = versions()
    others = {name: version for name, version in spec.versions.items() if there.get(name, version) != version}
    if not others:
        return ""
    each = ", ".join(f"{name} {version} (now {there[name]})" for name, version in others.items())
    return f"First made with {each}; numbers may differ in their last digits."


def _figure(made: Picture, spec: Spec) -> Figure:
    if made.module != "figure":
        return Figure(spec)
    words = str(made.data["alt"])
    caption = "\n".join(part for part in (words, spec.caption, spec.address) if part)
    return Figure(spec, words, caption, zoomed(made.data["figure"], spec.view))


def _request(made: Picture, spec: Spec, figure: Figure) -> dict[str, Any]:
    """What a headless Chrome needs to show the picture of ``made`` (assets/src/components/headless.js)."""
    if figure.chart is not None:
        size = {"width": spec.size.get("width", WIDTH), "height": spec.size.get("height", made.data.get("height", 400))}
        return chart_request(spec, figure.chart, figure.words, size)
    # A picture of our own draws itself, in a frame as wide as a page's column; panels are not of that size.
    width = PAGE if made.module == "live" else WIDTH if made.arrays is None else spec.size.get("width", WIDTH)
    data: dict[str, Any] = {**made.data, "recipe": {**spec.write(), "figure": made.spec.figure}}
    if made.arrays is not None:
        data = {"bytes": base64.b64encode(pack(data, made.arrays)).decode()}
    others = [{"module": module, "data": other} for module, other in made.others]
    return {"module": made.module, "data": data, "figure": spec.figure, "width": float(width), "others": others}


def chart_request(spec: Spec, chart: Mapping[str, Any], words: str, size: Mapping[str, float]) -> dict[str, Any]:
    """What a headless Chrome needs to show a chart of Plotly in a frame of ``size`` (px)."""
    data = {
        "figure": json.dumps(chart), "alt": words, "theme": spec.theme, "recipe": spec.write(), "height": float(size["height"]),
        "ink": INK[spec.theme], "faint": FAINT[spec.theme], "palette": palette(), "link": None, "clickable": False,
    }  # fmt: skip
    return {"module": "figure", "data": data, "figure": spec.figure, "width": float(size["width"])}
