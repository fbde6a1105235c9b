"""Several figures as the panels of one: the pictures of the figures of a tray."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from urllib.parse import parse_qs, parse_qsl, urlsplit

from dml_viz.explain.gallery import GALLERY
from dml_viz.export.command_host import CommandHost
from dml_viz.export.picture import BrowserPicture, SpecReader, browser_picture, room_of
from dml_viz.export.request import request_of
from dml_viz.figure_files.spec import Spec, address_today, linked
from dml_viz.plot.canvas import counted
from dml_viz.room.component_data import PictureRequest
from dml_viz.room.fingerprint import FIRST, SECOND
from dml_viz.room.source import Host
from dml_viz.room.sources import OWN_FILE, SUBJECT, OwnFiles, Points
from dml_viz.room.tray import KEY, PAGE, Tray, TrayText, captioned, composition, panels_of
from dml_viz.threads import once

EXAMPLE = ("race", "circle", "zero-region", "cosines")  # figures of the gallery that need no training


def request_and_caption(spec: Spec, host: Host) -> tuple[PictureRequest, str]:
    """The request for the figure of ``spec``, and its caption; ValueError or LookupError if it cannot be made."""
    made = browser_picture(spec, host)
    whole = replace(made.spec, figure=spec.figure, view=spec.view, size=spec.size, link=spec.link)
    return request_of(made, whole), whole.caption


@once
def example_tray() -> tuple[Spec, tuple[tuple[PictureRequest, str], ...]]:
    """A composition of figures of the gallery, and the request and the caption of each."""
    whole = composition([entry.declared_spec for entry in GALLERY if entry.name in EXAMPLE], 2)
    with ExitStack() as stack:
        return whole, tuple(request_and_caption(spec, CommandHost(stack)) for spec in panels_of(whole))


def composed_picture(spec: Spec, host: Host) -> BrowserPicture:
    """The picture of the tray in the link of ``spec``; ValueError, naming the panel, if a figure cannot be made."""
    reader = SpecReader(spec)
    tray = Tray.opened(reader.setting(KEY, TrayText()))
    reader.finish()
    if not tray.panels:
        raise ValueError("the tray is empty")
    made = []
    for number, each in enumerate(tray.specs, 1):
        try:
            made.append(request_and_caption(each, host))
        except (ValueError, LookupError) as error:
            raise ValueError(f"figure {number} of the tray, {each.figure}: {error.args[0]}") from error
    requests, captions = zip(*made, strict=True)
    whole = replace(spec, title=spec.title or counted(len(made), "figure"), caption=captioned(captions, tray.letters))
    return BrowserPicture("compose", {**tray.data(requests), "arrived": True}, whole)


def names_file(link: str) -> bool:
    """Whether ``link`` says itself which file of the visitor's it shows."""
    return FIRST in parse_qs(urlsplit(link).query)


def spec_of_link(link: str, fingerprints: Sequence[str] = ()) -> Spec:
    """The spec of the figure behind ``#`` in a link, such as fastap?fastap.bins=20#fastap-pipeline; ValueError without one.

    It is of the visitor's files with these ``fingerprints``, if its page takes files and the link names no points.
    """
    parts = urlsplit(link)
    path = address_today(parts.path.rpartition("/")[2])
    if not parts.fragment:
        raise ValueError("a link names its figure behind #, such as fastap?fastap.bins=20#fastap-pipeline")
    page = path or "start"
    settings = _as_opened(page, dict(parse_qsl(parts.query, keep_blank_values=True)), fingerprints)
    step = next((int(text) for key, text in settings.items() if key.rpartition(".")[2] == "step" and text.isdigit()), None)
    return Spec(parts.fragment, page, linked(path, settings), run=None if step is None else {}, step=step)


def _as_opened(page: str, settings: dict[str, str], fingerprints: Sequence[str]) -> dict[str, str]:
    """The settings with which ``page`` opens by a link with ``settings``: of the visitor's files, as in `spec_of_link`."""
    if page == PAGE:
        return settings
    room = room_of(page)
    if fingerprints and not {FIRST, SUBJECT} & settings.keys():
        if isinstance(room.source, OwnFiles):
            return {**settings, **dict(zip((FIRST, SECOND), fingerprints, strict=False))}
        if isinstance(room.source, Points):
            return {**settings, SUBJECT: OWN_FILE, FIRST: fingerprints[0]}
    return room.opened(settings)
