"""Scenes: their text in a link, and the roles of their points."""

import math
import random
from urllib.parse import quote

import pytest
import torch

from dml_viz.embedding.roles import UNSET, fitting_roles
from dml_viz.embedding.scene import LONGEST, MOST_CLASSES, MOST_POINTS, SCENES, Scene, preset, preset_embeddings
from tests.samples import for_each


def at_random(dim: int, seed: int, *, proxies: bool) -> Scene:
    rng = random.Random(seed)

    def place() -> tuple[float, ...]:
        return (rng.uniform(-400, 400), *([rng.uniform(-90, 90)] if dim == 3 else []))

    count = rng.randint(2, MOST_POINTS)
    labels = tuple(rng.randrange(MOST_CLASSES) for _ in range(count))
    proxies = tuple(place() for _ in range(max(labels) + 1)) if proxies else ()
    return Scene(dim, tuple(place() for _ in range(count)), labels, proxies)


@for_each("proxies", [False, True], ids=["bare", "with proxies"])
@for_each("dim", [2, 3])
@for_each("seed", range(20))
def test_a_link_restores_the_same_scene_point_for_point(dim: int, seed: int, proxies: bool) -> None:
    made = at_random(dim, seed, proxies=proxies)
    text = made.write()
    assert Scene.read(text) == made
    assert quote(text) == text, "nothing in it has to be escaped in an address"
    assert len(text) < LONGEST / 2


@for_each("proxies", [False, True], ids=["bare", "with proxies"])
@for_each("dim", [2, 3])
@for_each("name", SCENES)
def test_a_preset_is_unit_rows_that_its_link_restores(name: str, dim: int, proxies: bool) -> None:
    made = preset(name, dim, proxies)
    assert Scene.read(made.write()) == made
    subject = made.subject()
    assert subject.z.dtype == torch.float64
    assert subject.z.shape == (len(subject.y), dim)
    torch.testing.assert_close(subject.z.norm(dim=1), torch.ones(len(subject.y), dtype=torch.float64))
    assert set(subject.learnt) == ({"proxies"} if proxies else set())
    if proxies:
        assert subject.learnt["proxies"].shape == (int(subject.y.max()) + 1, dim)


@for_each("name", SCENES)
def test_the_embeddings_of_a_preset_name_it(name: str) -> None:
    subject = preset_embeddings(name)
    assert torch.equal(preset(name).subject().z, subject.z)
    assert subject.y.unique().tolist() == list(range(int(subject.y.max()) + 1))
    assert name in subject.provenance
    assert not subject.learnt


def test_an_unknown_preset_is_answered_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="scene 'moons' is not known; choose one of separated, overlapping"):
        preset_embeddings("moons")


def test_points_that_coincide_or_are_opposite_on_the_circle_are_so_on_the_sphere() -> None:
    collapsed, ends = preset("collapsed", 3).subject().z, preset("antipodal", 3).subject().z
    assert (collapsed == collapsed[0]).all()
    torch.testing.assert_close(ends[::2], -ends[1::2])


@for_each("name", SCENES)
def test_from_the_circle_to_the_sphere_and_back_changes_nothing(name: str) -> None:
    made = preset(name, proxies=True)
    assert made.within(3).within(2) == made
    assert made.within(2) is made


def test_places_have_hundredths_and_one_name_each() -> None:
    made = Scene(2, ((-90.0,), (359.999,), (720.126,), (-0.001,)), (0, 0, 0, 0))
    assert made.points == ((270.0,), (0.0,), (0.13,), (0.0,))
    assert made.write() == "a270_0_0.13_0"
    assert Scene(3, ((-10.0, -0.001), (10.0, 12.345)), (1, 0)).write() == "b350~0a10~12.35"


@for_each(
    ("text", "complaint"),
    [
        ("", "'' is no scene; write points in degrees"),
        ("nonsense!", "'nonsense!' is no scene"),
        ("a80_90z10", "'a80_90z10' is no scene"),
        ("a80_", "'' is no place; write an angle in degrees, like 80.25"),
        ("a80_1E5", "proxy E is out of place"),
        ("a80_nan", "is no scene"),
        ("a80_9_٣", "'٣' is no place"),
        ("a80~10_90", "'90' is no place; write longitude~latitude in degrees"),
        ("a80~10_90~91", "latitude 91 is not allowed; choose -90 to 90"),
        ("a80", f"a scene of 1 points cannot be had; give 2 to {MOST_POINTS}"),
        ("a" + "_".join(["80"] * 61), f"a scene of 61 points cannot be had; give 2 to {MOST_POINTS}"),
        ("a80_90B10", "proxy B is out of place; write one for each class, in order"),
        ("a80b90A10", "1 proxies for 2 classes"),
        ("a" * 100_000, f"a scene of 100000 characters is too long; {LONGEST} hold {MOST_POINTS} points"),
    ],
)
def test_an_invalid_scene_is_refused_with_a_remedy(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match="^.*" + complaint.replace("(", r"\(")):
        Scene.read(text)


def test_a_scene_that_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="dimension 4 is not drawn"):
        Scene(4, ((0.0,), (1.0,)), (0, 0))
    with pytest.raises(ValueError, match="2 points have 1 labels"):
        Scene(2, ((0.0,), (1.0,)), (0,))
    with pytest.raises(ValueError, match="label 8 is not allowed; choose 0 to 7"):
        Scene(2, ((0.0,), (1.0,)), (0, 8))
    with pytest.raises(ValueError, match="is not on the circle; give an angle"):
        Scene(2, ((0.0,), (math.inf,)), (0, 0))
    with pytest.raises(ValueError, match="dimension 1 is not drawn"):
        preset("collapsed").within(1)
    with pytest.raises(ValueError, match="scene 'moons' is not known"):
        preset("moons")


@for_each("name", SCENES)
def test_proxies_lie_near_their_classes_and_never_coincide(name: str) -> None:
    made = preset(name, proxies=True)
    assert len(set(made.proxies)) == made.classes
    assert made.with_proxies() is made


def test_roles_are_given_to_points_that_fit_them() -> None:
    made = preset("one hard negative", proxies=True)  # classes of 4, 4 and 3 points
    triplet = ("anchor", "positive", "negative")
    assert fitting_roles((5, 7, 0), triplet, made) == (5, 7, 0)
    assert fitting_roles((), triplet, made) == (0, 1, 4)
    assert fitting_roles((5, 0, 6), triplet, made) == (5, 4, 0), "another class has no positive, the same class no negative"
    assert fitting_roles((5, 5, 99), triplet, made) == (5, 4, 0)
    assert fitting_roles((2, 9), ("proxy", "positive"), made) == (2, 9)
    assert fitting_roles((2, 1), ("proxy", "positive"), made) == (2, 8)


def test_a_role_that_fits_no_point_is_reported_as_free() -> None:
    singletons = preset("no two of a class")
    assert fitting_roles((3,), ("anchor", "positive", "negative"), singletons) == (3, UNSET, 0)
    one_class = Scene(2, ((0.0,), (1.0,)), (0, 0))
    assert fitting_roles((), ("query", "negative"), one_class) == (0, UNSET)
    assert fitting_roles((), ("proxy",), singletons) == (UNSET,)


def test_a_scene_of_an_older_link_has_its_points() -> None:
    assert preset("all strangers") == preset("no two of a class")
