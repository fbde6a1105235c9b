"""The scene of a link, read without Streamlit, and the data that draw it in a browser."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from dml_viz.analysis import fresh_learnt
from dml_viz.embedding.roles import ROLES, UNSET, fitting_roles
from dml_viz.embedding.scene import DIMENSIONS, FEWEST_POINTS, LONGEST, MOST_CLASSES, MOST_POINTS, RENAMED, SCENES, Scene, preset
from dml_viz.losses import Loss
from dml_viz.params import Domain, NearestError, Param
from dml_viz.plot.style import palette
from dml_viz.registry import name_of
from dml_viz.room.ask import Setting
from dml_viz.room.component_data import Overlay, SceneData, SceneLoss

PARTS = {
    "scene": "scene",
    "dim": "circle or sphere",
    "move": "points: move",
    "tools": "points: add, remove, relabel",
    "pick": "points: choose by a click",
}
NAMED: Mapping[str, Mapping[int, str]] = {"dim": {2: "circle", 3: "sphere"}}
DIMENSION = Param("dim", 2, "", "dimension", choices=DIMENSIONS)
PLACE = r"-?\d{1,4}(?:\.\d{1,6})?(?:~-?\d{1,4}(?:\.\d{1,6})?)?"
WHOLE = re.compile(rf"(?:[A-Ha-h]{PLACE}(?:_{PLACE})*)+", re.ASCII)
# The side from which a sphere is seen: the whole degrees of its turn and tilt.
SIDE = Param("view", "235_24", "", "side; write the turn and the tilt in degrees, 235_24", pattern=r"[0-9]{1,3}_-?[0-9]{1,2}")


@dataclass(frozen=True)
class SceneText:
    """A scene in a link; empty for an unchanged preset."""

    default: str = ""

    def read(self, text: str) -> str:
        """The same scene as `Scene.write` writes it; `NearestError` with the readable beginning of a broken text."""
        try:
            return Scene.read(text).write() if text else ""
        except ValueError as error:
            if (nearest := _whole(text)) is None:
                raise
            raise NearestError(f"{error}: what is whole before that is shown", nearest) from error

    def error_for(self, value: Any) -> str | None:
        """What is wrong with ``value``."""
        try:
            return None if self.read(value) == value else f"scene {value!r} is not written as a link holds it"
        except ValueError as error:
            return str(error)


class Base(Param):
    """The preset of a scene, which may have another name in older links."""

    def read(self, text: str) -> Any:
        """The value that ``text`` writes."""
        return super().read(RENAMED.get(text, text))


@dataclass(frozen=True)
class SceneOptions:
    """The scene with which a page opens, and the roles of its points.

    ``default`` is a preset of ``dml_viz.embedding.scene`` or of the room's own ``scenes``. Clicks give points the ``roles``;
    ``picked`` have them at first. ``proxies`` adds one for each class; ``overlay`` names the script that draws around the points.
    """

    default: str = "separated"
    overlay: str = "arrows"
    roles: tuple[str, ...] = ("query",)
    picked: tuple[int, ...] = ()
    proxies: bool = False
    scenes: Callable[[], Mapping[str, Scene]] = dict
    height: int = 460


class SceneSettings:
    """The scene, preset, view and roles under the names ``key.*``, each read by ``setting`` from a page or a link.

    ValueError if ``options`` name an unknown preset or role.
    """

    def __init__(self, key: str, options: SceneOptions, setting: Callable[[str, Setting], Any]) -> None:
        presets = {**options.scenes(), **{name: preset(name) for name in SCENES}}
        if options.default not in presets:
            raise ValueError(f"scene {options.default!r} is not known; choose one of {', '.join(presets)}")
        if unknown := [role for role in options.roles if role not in ROLES]:
            raise ValueError(f"role {unknown[0]!r} is not known; choose from {', '.join(ROLES)}")
        self.key, self.options, self.roles = key, options, options.roles
        self.presets = {name: scene.with_proxies() if options.proxies else scene for name, scene in presets.items()}
        self.first = fitting_roles(options.picked, self.roles, self.presets[options.default])
        self.base, self.view = setting(f"{key}.scene", self.base_knob), setting(f"{key}.view", SIDE)
        dim, at = setting(f"{key}.dim", DIMENSION), setting(f"{key}.at", SceneText())
        self.set_scene(Scene.read(at) if at else self.presets[self.base].within(dim))
        text = [setting(f"{key}.{role}", self._index(role)) for role in self.roles]
        self.picked = fitting_roles(text, self.roles, self.scene)

    @property
    def moved(self) -> bool:
        """Whether the scene differs from its preset."""
        return self.scene != self.presets[self.base].within(self.scene.dim)

    @property
    def provenance(self) -> str:
        """The origin of the points, in one sentence."""
        return provenance_of(self.base, self.scene.sentence if self.moved else self.sentence_of(self.base), self.moved)

    def sentence_of(self, name: str) -> str:
        """A sentence on a preset."""
        return SCENES[name][0] if name in SCENES else self.presets[name].sentence

    def written(self, name: str) -> list[str]:
        """The text of a preset in a link, in each dimension."""
        return _written(self.presets[name])

    @property
    def name(self) -> str:
        """The name of the scene in a caption."""
        where = "circle" if self.scene.dim == 2 else "sphere"
        count = len(self.scene.points)
        return f"{count} points placed by hand on the {where}" if self.moved else f"scene “{self.base}” on the {where}"

    @property
    def base_knob(self) -> Param:
        """The choice among the presets."""
        return Base("scene", self.options.default, "", "scene", choices=tuple(self.presets))

    def set_scene(self, scene: Scene) -> None:
        """Set the scene; on a page with proxies it gets one for every class, on another page its proxies are removed."""
        proxied = bool(self.presets[self.base].proxies)
        bare = Scene(scene.dim, scene.points, scene.labels)
        self.scene = scene if bool(scene.proxies) == proxied else bare.with_proxies() if proxied else bare

    def data(self, losses: Mapping[str, Loss], settings: Overlay, theme: str) -> SceneData:
        """The data of the component scene_editor: the scene, and the overlay that a script draws around it.

        The script gets ``settings`` (JSON values) and, at every frame, value and gradient of ``losses`` (with at most one proxy
        for each class). ValueError for a loss with proxies on a page without them.
        """
        return {
            "revision": 0,
            "serial": -1,
            "scene": self.scene.write(),
            "base": self.base,
            "view": self.view,
            "picked": self.picked,
            "choose": list(self.roles),
            "overlay": self.options.overlay,
            "height": self.options.height,
            "presets": {name: self.written(name) for name in self.presets},
            "losses": {name: followed(name, loss, self.options.proxies) for name, loss in losses.items()},
            "settings": settings,
            "palette": palette(),
            "theme": theme,
            "limits": {"fewest": FEWEST_POINTS, "most": MOST_POINTS, "classes": MOST_CLASSES},
        }

    def _index(self, role: str) -> Param:
        places = self.scene.proxies if role == "proxy" else self.scene.points
        allowed = Domain(UNSET, max(len(places) - 1, UNSET), False, False)
        first = self.first[self.roles.index(role)]
        return Param(role, first if first in allowed else UNSET, "", f"index of the {role}", domain=allowed)


def provenance_of(name: str, sentence: str, moved: bool) -> str:
    """The origin of points in one sentence: of the scene ``name``, or of one that was changed by hand."""
    return f"{sentence.rstrip('.')}, placed by hand." if moved else f"Scene “{name}”: {sentence}"


@cache
def _written(preset: Scene) -> list[str]:
    """The text of a preset in a link, in each dimension."""
    return [preset.within(dim).write() for dim in DIMENSIONS]


def followed(name: str, loss: Loss, proxies: bool) -> SceneLoss:
    """A loss for the browser: its file, its knobs, and its initial learnt tensors other than proxies."""
    if "proxies" in loss.learns and not (proxies and loss.per_class == 1):
        raise ValueError(f"loss {name!r} needs {loss.per_class} proxies for each class; the scene has {int(proxies)}")
    learnt = fresh_learnt(loss, MOST_CLASSES, 2)
    return {
        "loss": name_of(loss),
        "knobs": loss.in_browser,
        "learnt": {other: tensor.flatten().tolist() for other, tensor in learnt.items() if other != "proxies"},
        "proxies": "proxies" in loss.learns,
    }


def _whole(text: str) -> str | None:
    """The scene at the beginning of ``text``, as `Scene.write` writes it; None without one."""
    whole = WHOLE.match(text) if len(text) <= LONGEST else None
    try:
        return Scene.read(whole[0]).write() if whole else None
    except ValueError:
        return None
