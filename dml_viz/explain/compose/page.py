"""The page Compose, drawn."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app import provenance_log, tab, url_state
from dml_viz.app.component_loader import draw_component
from dml_viz.app.page import page
from dml_viz.app.session_host import SessionHost
from dml_viz.figure_files.spec import Spec
from dml_viz.plot.canvas import counted
from dml_viz.room.component_data import ComposeData, Fault, PictureRequest
from dml_viz.room.room import Component
from dml_viz.room.source import Host
from dml_viz.room.tray import FIGURE, KEY, Tray, TrayText, captioned

Panel: TypeAlias = tuple[PictureRequest | Fault, str]  # the data that draw a figure, and its caption
Draw: TypeAlias = Callable[[Spec, Host], tuple[PictureRequest, str]]


def make_panel(spec: Spec, make: Draw, bar_container: DeltaGenerator) -> Panel:
    """Make the data that draw the figure of ``spec``, and its caption; or say why not. A run is trained under a progress bar."""
    if spec.changes:
        return {"fault": "The run was changed by hand on the way, so its settings do not make this figure again."}, ""
    bar = bar_container.empty()
    try:
        return make(spec, SessionHost(lambda step, of: bar.progress(step / max(of, 1), f"Training to step {of}")))
    except (ValueError, LookupError) as error:
        return {"fault": f"This figure cannot be made: {error.args[0]}."}, ""
    finally:
        bar.empty()


def panel_keys(tray: Tray) -> list[str]:
    """What the tray has of each figure, as JSON: a key by which its panel is kept."""
    return [json.dumps(panel, separators=(",", ":"), ensure_ascii=False) for panel in tray.panels]


def title_and_caption(panels: Sequence[Panel], letters: str) -> dict[str, str]:
    """The title and the caption of the whole picture, which leaves out a figure that cannot be made."""
    captions = [caption for request, caption in panels if "fault" not in request]
    return {"title": counted(len(captions), "figure"), "caption": captioned(captions, letters)}


def take_over_report(report: Mapping[str, Any]) -> None:
    """Take over the tray that the visitor changed, or note why not; ``known`` are the figures that the browser has."""
    try:
        tab.control(KEY).set(Tray.read(report["tray"]).text)
        tab.COMPOSE_KNOWN.set(frozenset(map(str, report["known"])))
        tab.COMPOSE_ARRIVED.set(False)
        tab.COMPOSE_FAULT.set("")
    except (ValueError, KeyError, TypeError) as error:
        tab.COMPOSE_FAULT.set(f"The server does not take this tray over: {error}")


def run(make: Draw, example: Callable[[], tuple[Spec, Sequence[tuple[PictureRequest, str]]]]) -> None:
    """Draw the page: ``make`` returns the data that draw a figure, ``example`` what is shown in place of an empty tray."""
    with page("Compose", "Figures from any page as the panels of **one picture**: one size, one style, one recipe."):
        above = st.container()
        text = url_state.setting(KEY, TrayText())
        url_state.write_setting(KEY, text, "")
        tray, panels_by_key, known = Tray.opened(text), tab.COMPOSED.setdefault({}), tab.COMPOSE_KNOWN.pop() or ()
        whole, figures = (None, ()) if tray.panels else example()
        on_screen = Tray.opened(whole.link_settings[KEY]) if whole else tray
        keys = panel_keys(on_screen)
        for number, (key, spec) in enumerate(zip(keys, on_screen.specs, strict=True)):
            if key not in panels_by_key:
                panels_by_key[key] = figures[number] if whole else make_panel(spec, make, above)
        for key in set(panels_by_key) - set(keys):
            del panels_by_key[key]
        # Until the browser has reported it: the page may run again before its script is loaded.
        arrived = tab.COMPOSE_ARRIVED.set(bool(url_state.arriving_text(KEY) or tab.COMPOSE_ARRIVED.get()))
        recipe = {
            **provenance_log.recipe_of(FIGURE, "light"),
            **title_and_caption([panels_by_key[key] for key in keys], on_screen.letters),
            **({"link": whole.link} if whole else {}),
        }
        panels = [None if key in known else panels_by_key[key][0] for key in keys]
        data: ComposeData = {
            **tray.data([] if whole else panels),
            "arrived": arrived,
            "fault": tab.COMPOSE_FAULT.get(),
            "example": {"tray": on_screen.write(), "panels": panels} if whole else None,
        }
        draw_component(Component("compose", data), FIGURE, "light", take_over_report, recipe=recipe)
