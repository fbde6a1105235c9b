"""The scene that a visitor drags: points on the circle or the sphere, with what a page draws around them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dml_viz.app import lesson, provenance_log, url_state
from dml_viz.app.component_loader import loader
from dml_viz.app.room import Setting
from dml_viz.app.scene_settings import DIMENSION, NAMED, PARTS, SceneSettings, Side
from dml_viz.app.theme import theme
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.roles import settle
from dml_viz.embedding.scene import Scene
from dml_viz.losses import Loss

HEIGHT, PRESENTED = 460, 250  # px; presented it is shown twice as large

_EDITOR = st.components.v2.component("dml_viz.scene_editor", js=loader("scene_editor"), isolate_styles=False)


@dataclass(frozen=True)
class EditedScene:
    """The scene as it is now, its embeddings, who plays each role, and the names of the classes.

    ``picked`` has one index for each role asked for: of a point, or of a proxy for "proxy"; -1 where no point can play it
    (a class of one has no positive). The first role always has a point. ``moving`` is true while a point is being dragged,
    so that a figure that costs much can wait.
    """

    scene: Scene
    subject: Embeddings
    picked: tuple[int, ...]
    names: tuple[str, ...]
    moving: bool = False


def scene_editor(
    *, key: str, overlay: str, default: str, losses: Mapping[str, Loss] | None = None,
    settings: Mapping[str, Any] | None = None, proxies: bool = False, choose: Sequence[str] = ("query",),
    picked: Sequence[int] = (), scenes: Mapping[str, Scene] | None = None, height: int = HEIGHT,
) -> EditedScene:  # fmt: skip
    """Draw the scene with its tools, in the fragment that calls this, and return it as it is now.

    ``overlay`` names the module ``assets/overlay_<name>.js`` that draws around the points; it gets ``settings`` (JSON
    values) and, at every frame, value and gradient of ``losses`` (which learn no more than one proxy for each class).
    ``default`` is the preset seen first: one of `SCENES`, or
    of the page's own ``scenes``, which come first. ``proxies`` adds a proxy for each class. ``choose`` are the roles (of
    `ROLES`) that clicks give to points, ``picked`` who has them first. ValueError for an unknown role or first preset,
    and for a loss that learns proxies where there are none.

    All is in the link, and in the session under the same names, which "Break it" presets may set: ``key.scene`` (the
    preset), ``key.at`` (the scene as `Scene.write` writes it; "" for the preset as it stands), ``key.dim`` (2 or 3),
    ``key.view`` (the side of the sphere, "235_24") and ``key.<role>`` (an index).
    """
    state = SceneState(key, default, scenes=scenes, roles=choose, first=picked, proxies=proxies)
    moving = state.agree((st.session_state.get(key) or {}).get("told"))
    if not moving:
        state.keep()
    provenance_log.scene(state.name)
    if st.session_state.get("present"):
        height = PRESENTED
    _EDITOR(
        key=key,
        data={
            **state.data(overlay, losses or {}, settings or {}, height, theme()),
            "revision": state.revision, "serial": state.serial,
            "lesson": {part: url_state.offer(f"{key}.{part}", label, NAMED.get(part)) for part, label in PARTS.items()},
            "recipe": provenance_log.exported(key, theme()),
        },
        on_told_change=_nothing,
    )  # fmt: skip
    if not moving:
        url_state.write()
    return EditedScene(state.scene, state.scene.subject(state.provenance), state.picked, state.scene.names(), moving)


def _nothing() -> None:
    """A state without a callback would not be returned."""


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
