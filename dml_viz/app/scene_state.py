"""The scene of a session, agreed upon with the browser under a revision."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dml_viz.app import lesson, url_state
from dml_viz.app.room import Setting
from dml_viz.app.scene_settings import DIMENSION, SceneSettings, Side
from dml_viz.embedding.roles import settle
from dml_viz.embedding.scene import Scene

PLACED_BY = ("scene", "move", "tools")


class SceneState(SceneSettings):
    """The scene as the session and its link have it; a revision counts the changes that Python makes by itself."""

    def __init__(self, key: str, default: str, **options: Any) -> None:
        """See `SceneSettings`."""
        roles = tuple(options.get("roles", ("query",)))
        super().__init__(key, default, lambda name, knob: _setting(key, roles, name, knob), **options)
        self.revision = 0
        self.serial = -1

    def agree(self, report: Mapping[str, Any] | None) -> bool:
        """Take what the browser reports, unless it knew less than Python does; whether a point is still being dragged."""
        now = (self.scene, self.base, self.view, self.picked)
        self.revision, agreed = st.session_state.get(f"{self.key}.agreed", (0, now))
        moving, self.serial = False, _serial(report)
        if now != agreed:
            self.revision += 1
        elif report and report.get("revision") == self.revision:
            try:
                moving = self._take_report(report)
            except (KeyError, TypeError, ValueError):
                # The browser is to show again what Python has.
                self.revision += 1
        now = (self.scene, self.base, self.view, self.picked)
        st.session_state[f"{self.key}.agreed"] = (self.revision, now)
        for name, value, _ in self._values():
            st.session_state[f"{self.key}.{name}"] = value
        return moving

    def keep(self) -> None:
        """Put everything in the link."""
        for name, value, default in self._values():
            url_state.keep(f"{self.key}.{name}", value, default)

    def _take_report(self, report: Mapping[str, Any]) -> bool:
        scene, base = Scene.read(report["scene"]), self.base_knob.read(report["base"])
        view, picked = Side().read(report["view"]), [int(index) for index in report["picked"]]
        self.base, self.view = base, view
        self.take(scene)
        self.picked = settle(picked, self.roles, self.scene)
        return bool(report["moving"])

    def _values(self) -> list[tuple[str, Any, Any]]:
        """Name, value and default of all that a link holds."""
        return [
            ("scene", self.base, self.default),
            ("at", self.scene.write() if self.moved else "", ""),
            ("dim", self.scene.dim, DIMENSION.default),
            ("view", self.view, Side().default),
            *zip(self.roles, self.picked, self.first, strict=True),
        ]


def _setting(key: str, roles: tuple[str, ...], name: str, knob: Setting) -> Any:
    """The setting, or what a lesson holds it at that leaves no way to change it."""
    value, part = url_state.setting(name, knob), name.removeprefix(f"{key}.")
    ways = [f"{key}.{way}" for way in (PLACED_BY if part == "at" else ("pick",) if part in roles else ())]
    fixed = ways and lesson.FREE not in map(lesson.state, ways)
    return lesson.given().fixed.setdefault(name, value) if fixed else value


def _serial(report: Mapping[str, Any] | None) -> int:
    """Which report the browser's newest one is; -1 before the first."""
    serial = (report or {}).get("serial")
    return serial if isinstance(serial, int) else -1
