"""The scenes of the Proxies page, the places for their proxies, and the proxies of a run."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dml_viz.embedding.class_directions import means, spread
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import Scene, preset
from dml_viz.embedding.sphere import normalise
from dml_viz.explain.proxies.model import LEARNT, Frames, Settings
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.room.source import Subject
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
PROXIES = (LEARNT, "class means", "spread")
PATH_POINTS = 60  # points of a path at most


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


def classes_with_proxies(subject: Subject, source: str) -> tuple[int, ...]:
    """The classes with proxies from ``source``, one of `PROXIES`: the training classes if learnt proxies are shown, else all."""
    return _of_run(subject, source)[0]


def with_run_proxies(subject: Subject, settings: Settings) -> tuple[Embeddings, Settings]:
    """The embeddings of a run or a file with proxies, and the settings with a note on the proxies' origin.

    If the run has learnt none for these classes, they are class means.
    """
    embeddings, live = subject.embeddings, subject.live
    assert embeddings is not None
    trained, (classes, has_learnt) = live.run.loss if live else None, _of_run(subject, settings.proxies_from)
    learnt: dict[str, Tensor] = {"classes": torch.tensor(classes)}
    rows = torch.searchsorted(learnt["classes"], embeddings.y)
    at = "class means" if settings.proxies_from == LEARNT else settings.proxies_from
    steps = [each for each in live.steps if subject.step is None or each <= subject.step] if live else []
    steps = sorted({*steps[:: -(-len(steps) // PATH_POINTS) or 1], *steps[-1:]}) or [0]
    if live and has_learnt:
        proxies = embeddings.learnt["proxies"]
        count = len(proxies) // len(classes)
        frames = [frame for each in steps if (frame := live.at(each)) is not None and "proxies" in frame.learnt]
        earlier = [torch.from_numpy(frame.learnt["proxies"].astype(np.float64)) for frame in frames]
        paths = torch.stack([_one_to_a_class(rows, count) for rows in (*earlier, proxies)])
        learnt |= {"proxies": paths[-1], "paths": paths} | ({"centres": normalise(proxies)} if count > 1 else {})
        several = f" (means of {count} centres for each class)" if count > 1 else ""
        note = f"Proxies: learnt by the run{several}, with their paths since step {steps[0]}."
    else:
        learnt["proxies"] = PLACES[at](embeddings.z, rows, len(classes))
        why = f", as {type(trained).title} learns no proxies" if trained and settings.proxies_from == LEARNT else ""
        if why and "proxies" in embeddings.learnt:
            why = ", as the run learns proxies of the seen classes only"
        note = f"Proxies: {at}{why}."
    if isinstance(trained, ProxyNCA) and trained.positive_in_denominator != settings.nca.positive_in_denominator:
        note += " The run's Proxy-NCA has another denominator than the one shown."

    def looked_at(step: int) -> tuple[Tensor, Tensor]:
        """The rows and the proxies of the frame at ``step``."""
        frame = subject.live.at(step) if subject.live else None
        assert frame is not None
        assert subject.at
        then = subject.at(frame)
        if has_learnt and "proxies" in then.learnt:
            return then.z, _one_to_a_class(then.learnt["proxies"], count)
        return then.z, PLACES[at](then.z, rows, len(classes))

    of_run = Frames(tuple(steps), looked_at) if live and subject.at else Frames()
    return replace(embeddings, learnt=learnt), replace(settings, note=note, frames=of_run)


def _of_run(subject: Subject, source: str) -> tuple[tuple[int, ...], bool]:
    """The classes with proxies, and whether the run has learnt the proxies of all of them."""
    assert subject.embeddings is not None
    trained = subject.live.subject.train_classes if subject.live and subject.live.subject else ()
    present = sorted(set(subject.embeddings.y.tolist()))
    learnt = source == LEARNT and "proxies" in subject.embeddings.learnt and set(present) <= set(trained)
    return (tuple(trained) if learnt else tuple(present)), learnt


def _one_to_a_class(proxies: Tensor, count: int) -> Tensor:
    return normalise(proxies.view(-1, count, proxies.shape[1]).mean(1))
