"""The scenes of the Proxies page, and the places for the proxies of a scene."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from torch import Tensor

from dml_viz.embedding.class_directions import means, spread
from dml_viz.embedding.scene import Scene, preset
from dml_viz.threads import once

KEY = "proxies"
FIRST, ARRIVED, TURNED, FOUR = "one has strayed", "arrived", "arrived at the antipodes", "four classes"
CENTRES = (20, 110, 200, 290)  # degrees
WITHIN = (-24, -8, 8, 24)
PLACES: dict[str, Callable[[Tensor, Tensor, int], Tensor]] = {
    "class means": means,
    "antipodes": lambda z, y, classes: -means(z, y, classes),
    "spread": lambda z, _, classes: spread(classes, z.shape[1]),
}


def with_proxies(scene: Scene, position: str) -> Scene:
    """``scene`` with a proxy for each class at ``position``, one of `PLACES`."""
    embeddings = replace(scene, proxies=()).subject()
    proxies = PLACES[position](embeddings.z, embeddings.y, scene.classes)
    return replace(scene, proxies=tuple(map(_degrees, proxies.tolist())))


@once
def scenes() -> dict[str, Scene]:
    """The page's own scenes by name, with their proxies."""
    points = tuple((float(centre + aside),) for centre in CENTRES for aside in WITHIN)
    four = Scene(2, points, tuple(label for label, _ in enumerate(CENTRES) for _ in WITHIN))
    return {
        FIRST: with_proxies(preset("an outlier"), "class means"),
        ARRIVED: with_proxies(preset("separated"), "class means"),
        TURNED: with_proxies(preset("separated"), "antipodes"),
        FOUR: with_proxies(four, "class means"),
    }


def scene_with_proxies(position: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """The setting that holds the page's scene with its proxies moved to ``position``."""
    name, text, dim = (settings.get(f"{KEY}.{part}") for part in ("scene", "at", "dim"))
    start = scenes().get(name or FIRST) or preset(str(name))
    scene = Scene.read(text) if text else start.within(dim or 2)
    return {f"{KEY}.at": with_proxies(scene, position).write()}


def _degrees(row: list[float]) -> tuple[float, ...]:
    longitude = math.degrees(math.atan2(row[1], row[0]))
    return (longitude,) if len(row) == 2 else (longitude, math.degrees(math.asin(max(-1.0, min(1.0, row[2])))))
