"""What the hand holds, as the link and the session have it, agreed upon with the browser under a revision."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dml_viz.app import lesson, url_state
from dml_viz.app.room import Setting
from dml_viz.embedding.roles import NOBODY, settle
from dml_viz.embedding.scene import DIMENSIONS, LONGEST, SCENES, Scene
from dml_viz.params import Domain, NearestError, Param

PARTS = {
    "scene": "scene", "dim": "circle or sphere", "move": "points: move", "tools": "points: add, remove, relabel",
    "pick": "points: choose by a click",
}  # fmt: skip
NAMED: Mapping[str, Mapping[int, str]] = {"dim": {2: "circle", 3: "sphere"}}
PLACED_BY = ("scene", "move", "tools")
DIMENSION = Param("dim", 2, "", "dimension", choices=DIMENSIONS)
PLACE = r"-?\d{1,4}(?:\.\d{1,6})?(?:~-?\d{1,4}(?:\.\d{1,6})?)?"
WHOLE = re.compile(rf"(?:[A-Ha-h]{PLACE}(?:_{PLACE})*)+", re.ASCII)
VIEW = re.compile(r"\d{1,3}_-?\d{1,2}", re.ASCII)


@dataclass(frozen=True)
class Written:
    """A scene in a link; empty where it is a preset as it stands."""

    default: str = ""

    def read(self, text: str) -> str:
        """The same scene as `Scene.write` writes it; `NearestError` with what is whole of one that is cut off or broken."""
        try:
            return Scene.read(text).write() if text else ""
        except ValueError as error:
            if (nearest := _whole(text)) is None:
                raise
            raise NearestError(f"{error}: what is whole before that is shown", nearest) from error

    def complaint(self, value: Any) -> str | None:
        """What is wrong with ``value``."""
        try:
            return None if self.read(value) == value else f"scene {value!r} is not written as a link holds it"
        except ValueError as error:
            return str(error)


@dataclass(frozen=True)
class Side:
    """The side from which a sphere is seen: whole degrees that it is turned and tilted by, ``235_24``."""

    default: str = "235_24"

    def read(self, text: str) -> str:
        """``text`` itself; ValueError where it is no side."""
        if wrong := self.complaint(text):
            raise ValueError(wrong)
        return text

    def complaint(self, value: Any) -> str | None:
        """What is wrong with ``value``."""
        return (
            None
            if VIEW.fullmatch(value)
            else f"view {value[:20]!r} is no side; write the turn and the tilt in degrees, 235_24"
        )


@dataclass
class Held:
    """Scene, preset, view and roles under the names ``key.*``; a revision counts the changes that Python makes by itself."""

    key: str
    presets: Mapping[str, Scene]
    default: str
    roles: tuple[str, ...]
    first: tuple[int, ...]

    def __post_init__(self) -> None:
        self.first = settle(self.first, self.roles, self.presets[self.default])
        self.base, self.view = self._setting("scene", self._bases), self._setting("view", Side())
        dim, at = self._setting("dim", DIMENSION), self._setting("at", Written())
        self._hold(Scene.read(at) if at else self.presets[self.base].within(dim))
        wished = [self._setting(role, self._index(role)) for role in self.roles]
        self.picked = settle(wished, self.roles, self.scene)
        self.revision = 0
        self.heard = -1

    def agree(self, told: Mapping[str, Any] | None) -> bool:
        """Take what the browser told, unless it knew less than Python does; whether the hand still holds a point."""
        now = (self.scene, self.base, self.view, self.picked)
        self.revision, agreed = st.session_state.get(f"{self.key}.agreed", (0, now))
        moving, self.heard = False, _serial(told)
        if now != agreed:
            self.revision += 1
        elif told and told.get("revision") == self.revision:
            try:
                moving = self._take(told)
            except (KeyError, TypeError, ValueError):
                # The browser is to show again what Python has.
                self.revision += 1
        now = (self.scene, self.base, self.view, self.picked)
        st.session_state[f"{self.key}.agreed"] = (self.revision, now)
        self._remember()
        return moving

    def keep(self) -> None:
        """Hold everything in the link."""
        for name, value, default in self._kept():
            url_state.keep(f"{self.key}.{name}", value, default)

    @property
    def moved(self) -> bool:
        """Whether the scene is another than its preset."""
        return self.scene != self.presets[self.base].within(self.scene.dim)

    @property
    def provenance(self) -> str:
        """Where the points come from, in one sentence."""
        if self.moved:
            return f"{self.scene.told.rstrip('.')}, placed by hand."
        return f"Scene “{self.base}”: {SCENES[self.base][0] if self.base in SCENES else self.scene.told}"

    @property
    def name(self) -> str:
        """What a caption calls the scene."""
        where = "circle" if self.scene.dim == 2 else "sphere"
        count = len(self.scene.points)
        return f"{count} points placed by hand on the {where}" if self.moved else f"scene “{self.base}” on the {where}"

    @property
    def _bases(self) -> Param:
        return url_state.option("scene", "scene", tuple(self.presets), self.default)

    def _index(self, role: str) -> Param:
        there = self.scene.stars if role == "proxy" else self.scene.points
        anyone = Domain(NOBODY, max(len(there) - 1, NOBODY), False, False)
        first = self.first[self.roles.index(role)]
        return Param(role, first if first in anyone else NOBODY, "", f"index of the {role}", domain=anyone)

    def _setting(self, name: str, knob: Setting) -> Any:
        """The setting, or what a lesson holds it at that leaves the hand no way to change it."""
        key = f"{self.key}.{name}"
        value = url_state.setting(key, knob)
        ways = [
            f"{self.key}.{part}" for part in (PLACED_BY if name == "at" else ("pick",) if name in self.roles else ())
        ]
        fixed = ways and lesson.FREE not in map(lesson.state, ways)
        return lesson.given().held.setdefault(key, value) if fixed else value

    def _hold(self, scene: Scene) -> None:
        """A page with proxies has one for every class, another has none."""
        wanted = bool(self.presets[self.base].stars)
        bare = Scene(scene.dim, scene.points, scene.labels)
        self.scene = scene if bool(scene.stars) == wanted else bare.with_stars() if wanted else bare

    def _take(self, told: Mapping[str, Any]) -> bool:
        scene, base = Scene.read(told["scene"]), self._bases.read(told["base"])
        view, picked = Side().read(told["view"]), [int(index) for index in told["picked"]]
        self.base, self.view = base, view
        self._hold(scene)
        self.picked = settle(picked, self.roles, self.scene)
        return bool(told["moving"])

    def _remember(self) -> None:
        for name, value, _ in self._kept():
            st.session_state[f"{self.key}.{name}"] = value

    def _kept(self) -> list[tuple[str, Any, Any]]:
        """Name, value and default of all that a link holds."""
        return [
            ("scene", self.base, self.default),
            ("at", self.scene.write() if self.moved else "", ""),
            ("dim", self.scene.dim, DIMENSION.default),
            ("view", self.view, Side().default),
            *zip(self.roles, self.picked, self.first, strict=True),
        ]


def _whole(text: str) -> str | None:
    """The scene that ``text`` begins with, written; None where it begins with none."""
    whole = WHOLE.match(text) if len(text) <= LONGEST else None
    try:
        return Scene.read(whole[0]).write() if whole else None
    except ValueError:
        return None


def _serial(told: Mapping[str, Any] | None) -> int:
    """Which report the browser's newest one is; -1 before the first."""
    serial = (told or {}).get("serial")
    return serial if isinstance(serial, int) else -1
