"""The files of a figure, made again from its spec."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urljoin

from dml_viz.export.command_host import CommandHost
from dml_viz.export.compose import composed_picture
from dml_viz.export.picture import browser_picture
from dml_viz.export.request import figure_for_python_formats, request_of
from dml_viz.figure_files.formats import FORMATS, declared_format
from dml_viz.figure_files.options import ExportOptions
from dml_viz.figure_files.spec import Spec, versions
from dml_viz.room.tray import PAGE, panels_of

HOME = "http://localhost:8501/"


class MadeFile(NamedTuple):
    """A file: its name, its content, and sentences on what is not as it was asked for."""

    name: str
    body: bytes
    notes: tuple[str, ...] = ()


def figures_with_formats(spec: Spec, formats: Sequence[str], stem: Path) -> list[tuple[Spec, list[str], Path]]:
    """The figures whose files are asked for in ``formats`` by ``spec``, with these formats and the stem of their names.

    Of a composed figure, each panel has the data and the programs of its own.
    """
    each = [form for form in formats if spec.page == PAGE and FORMATS[form].of_one]
    whole = [(spec, own, stem)] if (own := [form for form in formats if form not in each]) else []
    panels = panels_of(spec) if each else ()
    folder = stem.with_name(f"{stem.name}-panels")
    return [
        *whole,
        *((own, each, folder / f"{letter}-{own.figure}") for letter, own in zip(ascii_lowercase, panels, strict=False)),
    ]


def remade_files(
    spec: Spec,
    formats: Sequence[str],
    host: CommandHost,
    *,
    scale: int,
    film: Mapping[str, Any] = MappingProxyType({}),
    name: str = "",
) -> Iterator[MadeFile]:
    """The file of ``spec`` in each format, called ``name``; only formats that Python cannot write need a Chrome.

    ``film`` has the seconds, and width and height in pixels, of a film, where they are not those of assets/src/export/movie.js.
    ValueError, LookupError or RuntimeError, which say what is wrong, if a file cannot be made; before the first, where a format
    has no such file.
    """
    if spec.changes:
        changed = "; ".join(f"at step {step}: {what}" for step, what in spec.changes)
        raise ValueError(f"the run was changed by hand on the way ({changed}), so its settings alone do not make it again")
    options = ExportOptions.of(spec.write_up) if spec.write_up else None
    make = composed_picture if spec.page == PAGE else browser_picture
    made = make(spec, host)
    base = urljoin(spec.address, ".") if spec.address.startswith(("http://", "https://")) else HOME
    whole = replace(
        made.spec,
        figure=spec.figure,
        view=spec.view,
        size=spec.size,
        write_up=spec.write_up,
        link=spec.link,
        address=urljoin(base, spec.link),
        versions=versions(),
    )
    if others := other_versions(spec):
        whole = replace(whole, caption=f"{whole.caption} {others}")
    figure = replace(figure_for_python_formats(made, whole), name=name)
    if refusals := list(dict.fromkeys(filter(None, (FORMATS[form].refusal(figure) for form in formats)))):
        raise ValueError("; ".join(refusals))
    for form in formats:
        body, notes = FORMATS[form].write(figure), list[str]()
        if body is None:
            request = {
                **request_of(made, whole),
                "format": declared_format(form),
                "scale": scale,
                "base": base,
                "options": options.write() if options else None,
                "film": dict(film),
            }
            body, notes = host.chrome().draw(request)
        yield MadeFile(f"{name or spec.figure}.{form}", body, tuple(notes))


def other_versions(spec: Spec) -> str:
    """A sentence on the versions with which the figure was first made; empty if they are those installed."""
    installed = versions()
    others = {name: version for name, version in spec.versions.items() if installed.get(name, version) != version}
    if not others:
        return ""
    each = ", ".join(f"{name} {version} (now {installed[name]})" for name, version in others.items())
    return f"First made with {each}; numbers may differ in their last digits."
