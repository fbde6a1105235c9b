"""Compose

Figures from any page as the panels of one picture.
"""

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from dml_viz.app import provenance_log, tab, url_state
from dml_viz.app.component_loader import draw
from dml_viz.app.page import page
from dml_viz.app.session_host import SessionHost
from dml_viz.explain.gallery import GALLERY
from dml_viz.export.compose import FIGURE, KEY, Tray, TrayText, captioned, composition, panel
from dml_viz.figure_files.spec import Spec
from dml_viz.room.component_data import ComposeData, Fault, PictureRequest
from dml_viz.room.room import Component
from dml_viz.threads import once

EXAMPLE = ("race", "circle", "zero-region", "cosines")  # figures of the gallery that need no training


def made(spec: Spec, place: Any) -> tuple[PictureRequest | Fault, str]:
    """The data that draw the figure of ``spec``, and its caption; or why it cannot be made."""
    if spec.changes:
        return {"fault": "The run was changed by hand on the way, so its settings do not make this figure again."}, ""
    bar = place.empty()
    try:
        return panel(spec, SessionHost(lambda step, of: bar.progress(step / max(of, 1), f"Training to step {of}")))
    except (ValueError, LookupError) as error:
        return {"fault": f"This figure cannot be made: {error.args[0]}."}, ""
    finally:
        bar.empty()


@once
def example() -> tuple[Spec, Tray, dict[str, tuple[PictureRequest | Fault, str]]]:
    """The example that is shown in place of an empty tray, and the data and the caption of each of its figures."""
    whole = composition([entry.spec for entry in GALLERY if entry.name in EXAMPLE], 2)
    tray = Tray.opened(whole.asked[KEY])
    figures: list[tuple[PictureRequest | Fault, str]] = [panel(spec, SessionHost()) for spec in tray.specs]
    return whole, tray, dict(zip(names_of(tray), figures, strict=True))


def names_of(tray: Tray) -> list[str]:
    """What the tray has of each figure, as a name."""
    return [json.dumps(own, separators=(",", ":"), ensure_ascii=False) for own in tray.panels]


def reported(report: Mapping[str, Any]) -> None:
    """Take over the tray that the visitor changed; ``known`` are the figures that the browser has."""
    try:
        tab.control(KEY).set(Tray.read(report["tray"]).text)
        tab.COMPOSE_KNOWN.set(frozenset(map(str, report["known"])))
        tab.COMPOSE_ARRIVED.set(False)
    except (ValueError, KeyError, TypeError):
        return


with page("Compose", "Figures from any page as the panels of **one picture**: one size, one style, one recipe."):
    place = st.container()
    text = url_state.setting(KEY, TrayText())
    url_state.keep(KEY, text, "")
    tray, drawn, known = Tray.opened(text), tab.COMPOSED.setdefault({}), tab.COMPOSE_KNOWN.pop() or ()
    whole, exemplary, figures = (None, tray, {}) if tray.panels else example()
    names = names_of(exemplary)
    for name, spec in zip(names, exemplary.specs, strict=True):
        if name not in drawn:
            drawn[name] = figures[name] if whole else made(spec, place)
    for name in set(drawn) - set(names):
        del drawn[name]
    # Until the browser has reported it: the page may run again before its script is loaded.
    arrived = tab.COMPOSE_ARRIVED.set(bool(url_state.arriving(KEY) or tab.COMPOSE_ARRIVED.get()))
    recipe = {
        **provenance_log.exported(FIGURE, "light"),
        "title": f"{len(names)} figures",
        "caption": captioned([drawn[name][1] for name in names]),
        **({"link": whole.link} if whole else {}),
    }
    panels = [None if name in known else drawn[name][0] for name in names]
    data: ComposeData = {
        **tray.data([] if whole else panels),
        "arrived": arrived,
        "example": {"tray": exemplary.write(), "panels": panels} if whole else None,
    }
    draw(Component("compose", data), FIGURE, "light", reported, recipe=recipe)
