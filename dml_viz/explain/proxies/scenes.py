"""The scenes of the proxies page, and where the stars of a scene in the hand can be put."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import streamlit as st
from torch import Tensor

from dml_viz.embedding.class_directions import means, spread
from dml_viz.embedding.scene import Scene, preset

KEY = "proxies"
FIRST, ARRIVED, TURNED, FOUR = "one has strayed", "arrived", "arrived at the antipodes", "four classes"
CENTRES = (20, 110, 200, 290)  # degrees
WITHIN = (-24, -8, 8, 24)


def at_means(z: Tensor, y: Tensor, classes: int) -> Tensor:
    """At the means of the classes."""
    return means(z, y, classes)


def at_antipodes(z: Tensor, y: Tensor, classes: int) -> Tensor:
    """Opposite the means of the classes."""
    return -means(z, y, classes)


def evenly(z: Tensor, y: Tensor, classes: int) -> Tensor:
    """Evenly spread, wherever the samples are."""
    del y
    return spread(classes, z.shape[1])


PLACES: dict[str, Callable[[Tensor, Tensor, int], Tensor]] = {
    "class means": at_means, "antipodes": at_antipodes, "spread": evenly,
}  # fmt: skip


def starred(scene: Scene, place: str) -> Scene:
    """``scene`` with a star for each class at ``place``, one of `PLACES`."""
    subject = replace(scene, stars=()).subject()
    return replace(scene, stars=tuple(map(_degrees, PLACES[place](subject.z, subject.y, scene.classes).tolist())))


@cache
def scenes() -> dict[str, Scene]:
    """The page's own scenes by name, stars in them."""
    points = tuple((float(centre + aside),) for centre in CENTRES for aside in WITHIN)
    four = Scene(2, points, tuple(label for label, _ in enumerate(CENTRES) for _ in WITHIN))
    return {
        FIRST: starred(preset("an outlier"), "class means"),
        ARRIVED: starred(preset("separated"), "class means"),
        TURNED: starred(preset("separated"), "antipodes"),
        FOUR: starred(four, "class means"),
    }


def put(place: str) -> None:
    """Put the stars of the scene in the hand at ``place``."""
    state = st.session_state
    name, text, dim = (state.get(f"{KEY}.{part}") for part in ("scene", "at", "dim"))
    standing = scenes().get(name or FIRST) or preset(str(name))
    scene = Scene.read(text) if text else standing.within(dim or 2)
    state[f"{KEY}.at"] = starred(scene, place).write()


def _degrees(row: list[float]) -> tuple[float, ...]:
    longitude = math.degrees(math.atan2(row[1], row[0]))
    return (longitude,) if len(row) == 2 else (longitude, math.degrees(math.asin(max(-1.0, min(1.0, row[2])))))
