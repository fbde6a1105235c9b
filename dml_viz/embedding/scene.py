"""A scene: a few points of a few classes on the circle or the sphere, which a visitor drags and a link carries."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

import torch
from torch import Tensor

from dml_viz.embedding.embeddings import Embeddings

MOST_POINTS, FEWEST_POINTS, MOST_CLASSES = 60, 2, 8
LONGEST = 4_000  # characters; the longest scene that can be written has less than half of them
DIMENSIONS = (2, 3)
LETTERS = "abcdefgh"
RUN = re.compile(rf"([A-{LETTERS[-1].upper()}a-{LETTERS[-1]}])([^A-Za-z]*)")
DEGREES = re.compile(r"-?\d{1,4}(?:\.\d{1,6})?", re.ASCII)
# Degrees and number of the waves that the circle makes on the sphere; an odd number keeps opposite points opposite.
HIGHEST, WAVES = 18.0, 11
ASIDE = 12.0  # degrees from a class's mean to its proxy, for class 0; class 1 twice as far, and so on
Place = tuple[float, ...]
NO_POSITIVES = "no two of a class"
RENAMED = {"all strangers": NO_POSITIVES}  # names of scenes in older links
# Angles in degrees on the circle, one tuple per class.
SCENES: dict[str, tuple[str, tuple[tuple[float, ...], ...]]] = {
    "separated": ("Three tight classes, far apart.", ((80, 90, 98, 104), (200, 208, 216, 225), (318, 326, 333, 342))),
    "overlapping": ("Two classes share an arc.", ((60, 78, 96, 114, 132), (104, 120, 140, 158, 176), (270, 285, 300))),
    "one hard negative": (
        "One point sits in the middle of another class.",
        ((70, 84, 98, 112), (92, 230, 242, 254), (325, 338, 350)),
    ),
    "an outlier": ("One point has left its class.", ((80, 90, 100, 265), (195, 205, 215, 225), (320, 330, 340))),
    "two modes in one class": ("One class lives in two places.", ((60, 70, 240, 250), (140, 150, 160, 170), (310, 322, 334))),
    "collapsed": ("Every point is the same point.", ((90, 90, 90, 90), (90, 90, 90, 90), (90, 90, 90, 90))),
    "antipodal": ("Each class sits on two opposite ends.", ((20, 200, 28, 208), (80, 260, 88, 268), (140, 320, 148, 328))),
    "a class of one": ("One class has a single point.", ((80, 92, 104, 116), (108, 205, 215, 225), (320,))),
    NO_POSITIVES: ("Every point is a class of its own.", ((20,), (65,), (110,), (170,), (230,), (300,))),
}


@dataclass(frozen=True)
class Scene:
    """Points in degrees, with hundredths: (angle,) in [0, 360) on the circle, (longitude, latitude) on the sphere.

    ``labels`` are classes from 0 to 7; ``proxies`` has one place for each class from 0 on, or is empty. ValueError for a
    scene that cannot be drawn or written.
    """

    dim: int
    points: tuple[Place, ...]
    labels: tuple[int, ...]
    proxies: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        _check(self)
        for name in ("points", "proxies"):
            places = tuple(_rounded_angles(angles) for angles in getattr(self, name))
            object.__setattr__(self, name, places)

    @property
    def classes(self) -> int:
        """The number of classes: one more than the largest label, or one for each proxy."""
        return max(max(self.labels) + 1, len(self.proxies))

    @classmethod
    def read(cls, text: str) -> "Scene":
        """The scene that `write` writes as ``text``; ValueError, naming value, range and the fix, for any other text."""
        if len(text) > LONGEST:
            raise ValueError(f"a scene of {len(text)} characters is too long; {LONGEST} hold {MOST_POINTS} points")
        runs = RUN.findall(text)
        if not runs or "".join(letter + places for letter, places in runs) != text:
            raise ValueError(f"{text[:20]!r} is no scene; write points in degrees behind the letter of their class, a80_90b200")
        solid = "~" in text
        points: list[Place] = []
        labels: list[int] = []
        proxies: list[Place] = []
        for letter, written in runs:
            label, places = LETTERS.index(letter.lower()), [_parse_angles(place, solid) for place in written.split("_")]
            if letter.islower():
                points += places
                labels += [label] * len(places)
            elif label == len(proxies) and len(places) == 1:
                proxies += places
            else:
                raise ValueError(f"proxy {letter} is out of place; write one for each class, in order: A90B180")
        return cls(3 if solid else 2, tuple(points), tuple(labels), tuple(proxies))

    def write(self) -> str:
        """The scene as text for a link: ``a80_90b200A84B210``; a letter names a class, a capital its proxy, ~ a latitude."""
        runs = groupby(zip(self.labels, self.points, strict=True), key=lambda pair: pair[0])
        points = (LETTERS[label] + "_".join(_angles_text(angles) for _, angles in run) for label, run in runs)
        proxies = (LETTERS[label].upper() + _angles_text(angles) for label, angles in enumerate(self.proxies))
        return "".join((*points, *proxies))

    def subject(self, provenance: str = "") -> Embeddings:
        """The scene as unit rows (N, dim) float64 with labels (N,), and its proxies as the learnt tensor "proxies" (C, dim)."""
        learnt = {"proxies": _rows(self.proxies)} if self.proxies else {}
        return Embeddings(_rows(self.points), torch.tensor(self.labels), provenance or self.sentence, learnt)

    @property
    def sentence(self) -> str:
        """A sentence on how many points of how many classes lie on the circle or the sphere."""
        return sentence_of_scene(len(self.points), len(set(self.labels)), self.dim)

    def within(self, dim: int) -> "Scene":
        """The scene on the circle (dim 2) or on the sphere (3); the way to the sphere and back changes nothing."""
        if dim not in DIMENSIONS:
            raise ValueError(f"dimension {dim} is not drawn; choose 2 (circle) or 3 (sphere)")
        if dim == self.dim:
            return self
        move = _on_sphere if dim == 3 else _on_circle
        return Scene(dim, tuple(map(move, self.points)), self.labels, tuple(map(move, self.proxies)))

    def with_proxies(self) -> "Scene":
        """The scene with its proxies; if it has none, with one for every class, a little aside from the mean."""
        if self.proxies:
            return self
        return replace(self, proxies=tuple(_aside(self, label) for label in range(self.classes)))

    def class_names(self) -> tuple[str, ...]:
        """The names of the classes."""
        return class_names(self.classes)


@cache
def preset(name: str, dim: int = 2, proxies: bool = False) -> Scene:
    """The preset ``name`` of `SCENES` on the circle or the sphere, with proxies if wanted; ValueError for an unknown name."""
    name = RENAMED.get(name, name)
    if name not in SCENES:
        raise ValueError(f"scene {name!r} is not known; choose one of {', '.join(SCENES)}")
    classes = SCENES[name][1]
    points = tuple((float(angle),) for members in classes for angle in members)
    scene = Scene(2, points, tuple(label for label, members in enumerate(classes) for _ in members))
    return (scene.with_proxies() if proxies else scene).within(dim)


def preset_embeddings(name: str) -> Embeddings:
    """The preset scene ``name`` as `Embeddings` on the circle; ValueError for an unknown name."""
    scene = preset(name)
    return scene.subject(f"Scene “{name}”: {SCENES[name][0]}")


def class_names(count: int) -> tuple[str, ...]:
    """The names of so many classes."""
    return tuple(f"class {LETTERS[label].upper()}" for label in range(count))


def sentence_of_scene(points: int, classes: int, dim: int) -> str:
    """A sentence on how many points of how many classes lie on the circle or the sphere."""
    where = "circle" if dim == 2 else "sphere"
    return f"A scene of {points} points of {classes} class{'es' if classes > 1 else ''} on the {where}."


def _check(scene: Scene) -> None:
    count = len(scene.points)
    if scene.dim not in DIMENSIONS:
        raise ValueError(f"dimension {scene.dim} is not drawn; choose 2 (circle) or 3 (sphere)")
    if not FEWEST_POINTS <= count <= MOST_POINTS:
        raise ValueError(f"a scene of {count} points cannot be had; give {FEWEST_POINTS} to {MOST_POINTS}")
    if len(scene.labels) != count:
        raise ValueError(f"{count} points have {len(scene.labels)} labels; give one for each")
    if not all(0 <= label < MOST_CLASSES for label in scene.labels):
        raise ValueError(f"label {max(scene.labels, key=abs)} is not allowed; choose 0 to {MOST_CLASSES - 1}")
    if scene.proxies and not max(scene.labels) < len(scene.proxies) <= MOST_CLASSES:
        raise ValueError(
            f"{len(scene.proxies)} proxies for {max(scene.labels) + 1} classes; give one for each, at most {MOST_CLASSES}"
        )
    for angles in (*scene.points, *scene.proxies):
        if len(angles) != scene.dim - 1 or not all(map(math.isfinite, angles)):
            where, form = ("circle", "an angle") if scene.dim == 2 else ("sphere", "a longitude and a latitude")
            raise ValueError(f"place {angles!r} is not on the {where}; give {form}, in degrees")
        if len(angles) == 2 and abs(angles[1]) > 90:
            raise ValueError(f"latitude {angles[1]:g} is not allowed; choose -90 to 90")


def _rounded_angles(angles: Place) -> Place:
    """The angles of a point in hundredths of a degree, the first in [0, 360), so that equal points are equal tuples."""
    angle, *latitude = (round(degrees, 2) + 0.0 for degrees in angles)
    return (round(angle % 360, 2) % 360, *latitude)


def _parse_angles(text: str, solid: bool) -> Place:
    written = text.split("~")
    if len(written) != (2 if solid else 1) or not all(map(DEGREES.fullmatch, written)):
        form = "longitude~latitude" if solid else "an angle"
        raise ValueError(f"{text[:20]!r} is no place; write {form} in degrees, like {'80~12.5' if solid else '80.25'}")
    return tuple(map(float, written))


def _angles_text(angles: Place) -> str:
    return "~".join(f"{degrees:.2f}".rstrip("0").rstrip(".") for degrees in angles)


def _rows(places: Sequence[Place]) -> Tensor:
    """Unit rows (N, dim) float64 of points given by their angles in degrees."""
    longitude, *latitude = torch.tensor(
        [[math.radians(degrees) for degrees in angles] for angles in places], dtype=torch.float64
    ).T
    flat = torch.stack((longitude.cos(), longitude.sin()), 1)
    if not latitude:
        return flat
    return torch.cat((flat * latitude[0].cos()[:, None], latitude[0].sin()[:, None]), 1)


def _on_sphere(angles: Place) -> Place:
    return (angles[0], HIGHEST * math.sin(math.radians(WAVES * angles[0])))


def _on_circle(angles: Place) -> Place:
    return angles[:1]


def _aside(scene: Scene, label: int) -> Place:
    """The angles of a point beside the mean of a class, along the circle; beside its first point where the mean is 0."""
    members = [point for point, label_of_point in zip(scene.points, scene.labels, strict=True) if label_of_point == label]
    if not members:
        return tuple(0.0 for _ in range(scene.dim - 1))
    mean = _rows(members).mean(0)
    if float(mean.norm()) < 1e-6:
        mean = _rows(members[:1])[0]
    angle = math.degrees(math.atan2(float(mean[1]), float(mean[0]))) + ASIDE * (label + 1)
    return (angle,) if scene.dim == 2 else (angle, math.degrees(math.asin(float(mean[2] / mean.norm()))))
