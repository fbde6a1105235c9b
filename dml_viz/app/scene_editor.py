"""The scene in the hand: points on the circle or the sphere that a visitor drags, with what a page draws around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
import torch

from dml_viz.app import provenance_log, url_state
from dml_viz.app.component_loader import loader
from dml_viz.app.scene_state import NAMED, PARTS, Held
from dml_viz.app.theme import theme
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.roles import ROLES
from dml_viz.embedding.scene import DIMENSIONS, FEWEST_POINTS, MOST_CLASSES, MOST_POINTS, SCENES, Scene, preset
from dml_viz.losses import Loss
from dml_viz.params import knobs
from dml_viz.plot.style import palette

HEIGHT = 460

_HAND = st.components.v2.component("dml_viz.scene_editor", js=loader("scene_editor"), isolate_styles=False)


@dataclass(frozen=True)
class Hand:
    """What the hand holds: the scene, the same as a subject, who plays each role, and the names of the classes.

    ``picked`` has one index for each role asked for: of a point, or of a proxy for "proxy"; -1 where nobody can play it
    (a class of one has no positive). The first role always has a point. ``moving`` tells that the hand has not let go yet,
    so that a dear figure may wait.
    """

    scene: Scene
    subject: Embeddings
    picked: tuple[int, ...]
    names: tuple[str, ...]
    moving: bool = False


def hand(
    *,
    key: str,
    overlay: str,
    default: str,
    losses: Mapping[str, Loss] | None = None,
    settings: Mapping[str, Any] | None = None,
    stars: bool = False,
    choose: Sequence[str] = ("query",),
    picked: Sequence[int] = (),
    scenes: Mapping[str, Scene] | None = None,
    height: int = HEIGHT,
) -> Hand:
    """Draw the scene in the hand, in the fragment that calls this, and return what the hand holds.

    ``overlay`` names the module ``assets/overlay_<name>.js`` that draws around the points; it gets ``settings`` (JSON
    values) and, at every frame, value and gradient of ``losses`` (which learn no more than one proxy for each class).
    ``default`` is the preset seen first: one of `SCENES`, or
    of the page's own ``scenes``, which come first. ``stars`` adds a proxy for each class. ``choose`` are the roles (of
    `ROLES`) that clicks give to points, ``picked`` who has them first. ValueError for an unknown role or first preset,
    and for a loss that learns proxies where there are none.

    All is in the link, and in the session under the same names, which "Break it" presets may set: ``key.scene`` (the
    preset), ``key.at`` (the scene as `Scene.write` writes it; "" for the preset as it stands), ``key.dim`` (2 or 3),
    ``key.view`` (the side of the sphere, "235_24") and ``key.<role>`` (an index).
    """
    presets = {**(scenes or {}), **{name: preset(name) for name in SCENES}}
    if default not in presets:
        raise ValueError(f"scene {default!r} is not known; choose one of {', '.join(presets)}")
    if unknown := [role for role in choose if role not in ROLES]:
        raise ValueError(f"role {unknown[0]!r} is not known; choose from {', '.join(ROLES)}")
    presets = {name: scene.with_stars() if stars else scene for name, scene in presets.items()}
    held = Held(key, presets, default, tuple(choose), tuple(picked))
    moving = held.agree((st.session_state.get(key) or {}).get("told"))
    if not moving:
        held.keep()
    provenance_log.scene(held.name)
    _HAND(
        key=key,
        data={
            "revision": held.revision, "heard": held.heard, "scene": held.scene.write(), "base": held.base,
            "view": held.view, "picked": held.picked, "choose": list(choose), "overlay": overlay, "height": height,
            "presets": {name: [scene.within(dim).write() for dim in DIMENSIONS] for name, scene in presets.items()},
            "losses": {name: _followed(name, loss, stars) for name, loss in (losses or {}).items()},
            "lesson": {part: url_state.offer(f"{key}.{part}", label, NAMED.get(part)) for part, label in PARTS.items()},
            "settings": dict(settings or {}), "palette": palette(), "theme": theme(),
            "recipe": provenance_log.exported(key, theme()),
            "limits": {"fewest": FEWEST_POINTS, "most": MOST_POINTS, "classes": MOST_CLASSES},
        },
        on_told_change=_nothing,
    )  # fmt: skip
    if not moving:
        url_state.write()
    return Hand(held.scene, held.scene.subject(held.provenance), held.picked, held.scene.names(), moving)


def _followed(name: str, loss: Loss, stars: bool) -> dict[str, Any]:
    """A loss as the browser follows it: its file, its knobs, and what it learns besides proxies, as it begins."""
    if "proxies" in loss.learns and not (stars and loss.per_class == 1):
        raise ValueError(f"loss {name!r} needs {loss.per_class} proxies for each class; the hand has {int(stars)}")
    learnt = loss.init(MOST_CLASSES, 2, torch.Generator().manual_seed(0))
    return {
        "loss": type(loss).__module__.rpartition(".")[2],
        "knobs": knobs(loss),
        "learnt": {other: learnt[other].tolist() for other in loss.learns if other != "proxies"},
        "proxies": "proxies" in loss.learns,
    }


def _nothing() -> None:
    """A state without a callback would not be returned."""
