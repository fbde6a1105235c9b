"""Icons: their promises, that they are drawn once and the same everywhere, and their purpose."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from dml_viz.data.datasets._base import split
from dml_viz.data.datasets.icons import ALL, Icons, drawing
from dml_viz.data.datasets.icons.concepts import CONCEPTS, FONTS
from dml_viz.data.eval_points import evaluation_subset
from dml_viz.data.training_set import training_set
from dml_viz.training.loop import advance, begin, observe
from dml_viz.training.run import Run
from dml_viz.training.step import Learner

# Digests of all icons as bytes, before and after their disturbance; drawn by qtawesome 1.4.2 and Pillow 13.0.0.
DRAWN = "2907e60aa03a0ee3848c3f8f35eb55adb3b18f1045e891b103609ccabbcae199"
DISTURBED = "1a84ff2c55e3db33e7699fe8853505a2765b7f4c7325eb7bd71b214d08f7d1bb"


def digest(*arrays: np.ndarray) -> str:
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "dml-viz"


def test_the_same_bytes_are_drawn_on_every_machine(cache: Path) -> None:
    drawn = drawing.icon_drawings()
    assert digest(drawn["x"], drawn["y"]) == DRAWN
    assert digest(np.rint(255 * Icons().load().x).astype(np.uint8)) == DISTURBED


def test_icons_are_drawn_once_and_then_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = drawing.icon_drawings()
    (path,) = cache.iterdir()
    monkeypatch.setattr(drawing, "rendered_icons", lambda fonts: pytest.fail("drawn again"))
    again = drawing.icon_drawings()
    assert all((first[name] == again[name]).all() for name in first)
    monkeypatch.undo()
    path.write_bytes(b"PK cut off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    assert digest(drawing.icon_drawings()["x"]) == digest(first["x"])


def test_a_home_without_write_access_only_costs_drawing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert len(drawing.icon_drawings()["y"]) == 1317


def test_without_the_package_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "PACKAGE", "no-such-package")
    with pytest.raises(ValueError, match="no-such-package, which is missing"):
        drawing.icon_drawings()


def test_each_concept_has_at_least_six_icons_of_three_families_and_no_twins() -> None:
    images = Icons().load()
    assert images.sets is not None
    assert images.plain is not None
    families = {font.icon_set(""): font.family for font in FONTS}
    family = [next(whose for whose in families.values() if name.startswith(whose)) for name in images.set_names]
    for c in range(ALL):
        members = images.y == c
        assert 6 <= members.sum() <= drawing.MOST
        assert len({family[place] for place in images.sets[members]}) >= 3
        rows = torch.from_numpy(images.plain[members]).flatten(1)
        assert torch.pdist(rows).min() > drawing.TWINS - 0.01


def test_no_name_belongs_to_two_concepts() -> None:
    names = [name for concept in CONCEPTS for name in concept]
    assert len(names) == len(set(names))


def test_of_ten_concepts_three_are_unseen_however_many_there_are() -> None:
    few, all_ = (split(Icons(concepts=count).load(), "unseen classes").train_classes for count in (24, ALL))
    assert few == tuple(c for c in range(24) if c % 10 >= 3)
    assert all_[: len(few)] == few


def test_fewer_concepts_are_the_first() -> None:
    few, all_ = Icons(concepts=12).load(), Icons().load()
    assert few.names == all_.names[:12]
    assert few.plain is not None
    assert all_.plain is not None
    assert (few.plain == all_.plain[: len(few.y)]).all()


def test_training_disturbs_the_plain_icons_anew_at_each_step() -> None:
    run = Run(dataset=Icons(concepts=12), device="cpu")
    data = training_set(run.dataset, run.protocol, torch.device("cpu"))
    assert (data.x.squeeze(1).numpy() == Icons(concepts=12).load().plain[split(run.dataset.load(), run.protocol).train]).all()  # type: ignore[index]
    learner = Learner(run, begin(run))
    (first, y, _), (again, *_) = learner._batch(), learner._batch()
    learner.train()
    later, *_ = learner._batch()
    assert (first == again).all()
    assert len(y) == len(first)
    assert (first != later).any()


def test_images_disturbed_once_are_trained_on_as_they_are_evaluated() -> None:
    icons = Icons(concepts=12, afresh=False)
    data = training_set(icons, "unseen classes", torch.device("cpu"))
    assert data.augmentation is None
    assert (data.x.squeeze(1).numpy() == icons.load().x[split(icons.load(), "unseen classes").train]).all()


def test_pixels_retrieve_the_same_icon_set_more_often_than_chance_and_the_concept_seldom() -> None:
    subject = evaluation_subset(Icons(), "unseen classes")
    assert subject.sets is not None
    unseen = subject.members("unseen")
    sets = subject.sets[unseen]
    chance = np.square(np.bincount(sets) / len(sets)).sum()
    assert (subject.sets[subject.near_pixels[unseen, 0]] == sets).mean() > 1.5 * chance
    assert subject.baseline["unseen"] <= 0.25
    assert subject.baseline["unseen"] == np.mean(subject.y[subject.near_pixels[unseen, 0]] == subject.y[unseen])


def test_a_hundred_steps_of_the_default_run_find_unseen_concepts_where_pixels_fail() -> None:
    run = replace(Run(), device="cpu")
    state, _ = advance(run, begin(run), 100)
    recall = observe(run, state).scalars["r1.unseen"]
    assert recall > 0.33
    assert recall > 2 * evaluation_subset(run.dataset, run.protocol).baseline["unseen"]
