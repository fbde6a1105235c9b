"""The scene that a visitor drags: points on the circle or the sphere, with the page's overlay around them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dml_viz.app import provenance_log, tab, task_card, url_state
from dml_viz.app.component_loader import component
from dml_viz.app.theme import theme
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.roles import fitting_roles
from dml_viz.embedding.scene import Scene
from dml_viz.losses import Loss
from dml_viz.room import task
from dml_viz.room.ask import NOTHING, Setting
from dml_viz.room.component_data import NoOverlay, Overlay
from dml_viz.room.prediction import REVEALED
from dml_viz.room.scene_settings import DIMENSION, NAMED, PARTS, SIDE, SceneOptions, SceneSettings

# px of height: presented it is shown twice as large, and in a frame its tools are below it.
SIZES = {"present": 250, "only": 330}


@dataclass(frozen=True)
class EditedScene:
    """The scene as it is now, its embeddings, the points with roles, and the names of the classes.

    ``picked`` has one index for each role: of a point, or of a proxy for "proxy"; -1 if no point fits the role (a class of one
    has no positive). The first role always has a point. ``moving`` is true while a point is being dragged, so that a slow figure
    can wait.
    """

    scene: Scene
    subject: Embeddings
    picked: tuple[int, ...]
    names: tuple[str, ...]
    moving: bool = False


def scene_editor(
    key: str, options: SceneOptions, losses: Mapping[str, Loss] = NOTHING, settings: Overlay | None = None
) -> EditedScene:
    """Draw the scene with its tools, in a fragment that then writes the link, and return it as it is now.

    ``losses`` and ``settings`` are for the script around the points; see `SceneSettings.data`.

    All is in the link, and in the session under the same names, which presets may set: ``key.scene`` (the preset), ``key.at``
    (the scene as `Scene.write` writes it; "" for the unchanged preset), ``key.dim`` (2 or 3), ``key.view`` (the side of the
    sphere, "235_24") and ``key.<role>`` (an index).
    """
    state = SceneState(key, options)
    moving = state.apply_report((st.session_state.get(key) or {}).get("report"))
    if not moving:
        state.keep()
    provenance_log.note_scene(state.name)
    data = state.data(losses, settings or NoOverlay(), theme())
    component("scene_editor")(
        key=key,
        data={
            **data,
            "height": next((height for way, height in SIZES.items() if st.session_state.get(way)), data["height"]),
            "revision": state.revision,
            "serial": state.serial,
            "bare": tab.BARE.get(),
            "revealed": tab.ROUND_STAGE.get() == REVEALED,
            "lesson": {
                part: url_state.register_control(f"{key}.{part}", label, NAMED.get(part)) for part, label in PARTS.items()
            },
            "recipe": provenance_log.recipe_of(key, theme()),
        },
        on_report_change=lambda: None,  # a state without a callback would not be returned
    )
    return EditedScene(state.scene, state.scene.subject(state.provenance), state.picked, state.scene.class_names(), moving)


PLACED_BY = ("scene", "move", "tools")


class SceneState(SceneSettings):
    """The scene in the session and its link; ``revision`` counts the changes that did not come from the browser."""

    def __init__(self, key: str, options: SceneOptions) -> None:
        """See `SceneSettings`."""
        super().__init__(key, options, self._setting)
        self.revision, self.serial = 0, -1

    def _setting(self, name: str, knob: Setting) -> Any:
        """The setting, or its fixed value if the lesson leaves no control that changes it."""
        value, part = url_state.setting(name, knob), name.removeprefix(f"{self.key}.")
        ways = [f"{self.key}.{way}" for way in (PLACED_BY if part == "at" else ("pick",) if part in self.roles else ())]
        fixed = ways and task.FREE not in map(task_card.current_task().task.state, ways)
        return task_card.current_task().fixed.setdefault(name, value) if fixed else value

    def apply_report(self, report: Mapping[str, Any] | None) -> bool:
        """Use the browser's report, unless that is older than a change by Python; return whether a point is being dragged."""
        now = (self.scene, self.base, self.view, self.picked)
        self.revision, agreed = tab.SCENE.of(self.key).find() or (0, now)
        moving, serial = False, (report or {}).get("serial")
        self.serial = serial if isinstance(serial, int) else -1  # of the browser's newest report
        if now != agreed:
            self.revision += 1
        elif report and report.get("revision") == self.revision:
            try:
                moving = self._take_report(report)
            except (KeyError, TypeError, ValueError):
                # A malformed report: a new revision makes the browser show Python's scene again.
                self.revision += 1
        now = (self.scene, self.base, self.view, self.picked)
        tab.SCENE.of(self.key).set((self.revision, now))
        for name, value, _ in self._values():
            tab.control(f"{self.key}.{name}").set(value)
        return moving

    def keep(self) -> None:
        """Put everything in the link."""
        for name, value, default in self._values():
            url_state.write_setting(f"{self.key}.{name}", value, default)

    def _take_report(self, report: Mapping[str, Any]) -> bool:
        scene, base = Scene.read(report["scene"]), self.base_knob.read(report["base"])
        view, picked = SIDE.read(report["view"]), [int(index) for index in report["picked"]]
        self.base, self.view = base, view
        self.set_scene(scene)
        self.picked = fitting_roles(picked, self.roles, self.scene)
        return bool(report["moving"])

    def _values(self) -> list[tuple[str, Any, Any]]:
        """The name, value and default of each setting in the link."""
        return [
            ("scene", self.base, self.options.default),
            ("at", self.scene.write() if self.moved else "", ""),
            ("dim", self.scene.dim, DIMENSION.default),
            ("view", self.view, SIDE.default),
            *zip(self.roles, self.picked, self.first, strict=True),
        ]
