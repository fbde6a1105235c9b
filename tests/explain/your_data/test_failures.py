"""What fails in a file: faults that are put into its rows are found, and rows without them are not accused."""

import io

import numpy as np
import pytest

from dml_viz.data.files import File, OwnEmbeddings, read
from dml_viz.data.own import Scored, scored
from dml_viz.explain.your_data.failures import BOTH, HUB, Failures, by_class
from dml_viz.explain.your_data.text import claim_of_failures, queries_in_words

CLASSES, EACH = 12, 20
rng = np.random.default_rng(0)
Y = np.repeat(np.arange(CLASSES), EACH)
CENTRES = rng.standard_normal((CLASSES, 16))
NAMES = [f"class {k}" for k in range(CLASSES)]


def file(z: np.ndarray, y: np.ndarray = Y, **more: np.ndarray) -> Scored:
    content = io.BytesIO()
    np.savez(content, z=z, y=y, names=np.array(NAMES), **more)  # type: ignore[arg-type]
    found = read([File("a.npz", content.getvalue())])
    assert isinstance(found, OwnEmbeddings)
    return scored(found)


def tight() -> np.ndarray:
    return CENTRES[Y] + 0.1 * rng.standard_normal((len(Y), 16))


def test_nothing_is_found_where_nothing_fails() -> None:
    clean = Failures(file(tight()))
    assert clean.worst_confusion is None
    for table in (clean.worst_queries, clean.suspected_labels, clean.hubs):
        assert not table["row"]
    assert by_class([clean], ["a"])["taken for"] == [None] * CLASSES
    assert clean.modality_gap_sizes is None


def test_a_class_on_top_of_another_is_taken_for_it_before_and_not_after() -> None:
    merged = tight()
    merged[Y == 3] = CENTRES[7] + 0.3 * rng.standard_normal((EACH, 16))
    before, after = file(merged), file(tight())
    found = Failures(before)
    assert found.worst_confusion
    assert found.worst_confusion[:2] == ("class 3", "class 7")
    unit = before.embeddings.z.numpy()
    nearest = (unit[Y == 3] @ unit.T - 9 * np.eye(len(Y))[Y == 3]).argmax(1)
    assert found.worst_confusion[2] == (Y[nearest] == 7).mean()
    table = by_class([found, Failures(after)], ["before", "after"])
    assert table["class"] == NAMES
    assert table["taken for in before"][3] == "class 7"
    assert table["taken for in after"][3] is None
    assert table["change"][3] == max(table["change"]) > 0.5
    worst = found.worst_queries
    assert worst["AP"] == sorted(worst["AP"])
    assert worst["class"][0] == "class 3"
    assert worst["AP"][0] == before.score.ap.min()


def test_equal_rows_are_taken_for_no_class_in_particular() -> None:
    equal = file(np.ones((len(Y), 16)))
    assert equal.plane[1] == 0
    assert set(equal.recall.values()) == {0.0}
    assert equal.ranked.first.min() > 8
    assert set(equal.recall.values()) == {0.0}
    # The first ten rows are kept, all of the first class, which is so by their order alone.
    assert Failures(equal).taken_for == {}


def test_rows_of_a_collapsed_net_that_differ_are_not_called_equally_near() -> None:
    collapsed = file(CENTRES[0] + 2e-5 * (CENTRES[Y] + np.random.default_rng(1).standard_normal((len(Y), 16))))
    found = Failures(collapsed)
    assert (collapsed.nearest.cosine == 1).mean() > 0.9
    first = collapsed.nearest.first_right(Y)
    assert np.isfinite(first).mean() > 0.5
    assert (first == collapsed.ranked.first)[np.isfinite(first)].all()
    assert "nearest" in claim_of_failures(found, "a.npz")


def test_a_wrong_label_and_a_copy_under_another_label_are_found() -> None:
    z, y = tight(), Y.copy()
    y[45] = 9
    z[130] = z[5] * 3
    found = Failures(file(z, y))
    suspected = dict(zip(found.suspected_labels["row"], found.suspected_labels["looks like"], strict=True))
    assert suspected == {45: "class 2", 130: "class 0"}
    twins = found.near_duplicates
    assert (twins["row"][0], twins["twin row"][0]) == (5, 130)
    assert (twins["class"][0], twins["twin class"][0]) == ("class 0", "class 6")


def test_a_row_in_the_middle_of_all_is_a_hub() -> None:
    middle = 8 * np.eye(64)[0]
    z = rng.standard_normal((len(Y), 64)) + middle
    z[0] = middle
    found = Failures(file(z)).hubs
    assert found["row"][0] == 0
    assert found["queries that find it"][0] >= HUB * 10
    assert found["of its own class"][0] == pytest.approx((EACH - 1) / (len(Y) - 1))


def test_images_are_pictures_of_their_rows() -> None:
    images = np.broadcast_to(np.arange(len(Y), dtype=np.uint8)[:, None, None], (len(Y), 8, 8))
    merged = tight()
    merged[Y == 3] = CENTRES[7]
    found = Failures(file(merged, images=images)).worst_queries
    pictures = dict(zip(found["row"], found["image"], strict=True))
    assert len(set(pictures.values())) == len(pictures)
    assert all(picture.startswith("data:image/png;base64,") for picture in pictures.values())


@pytest.mark.parametrize("gap", [0, 3])
def test_rows_of_two_kinds_get_a_hint(gap: int) -> None:
    things, side = rng.standard_normal((120, 32)), np.repeat([-1, 1], 120)[:, None]
    z = np.tile(things, (2, 1)) + 0.4 * rng.standard_normal((240, 32)) + gap * side
    content = io.BytesIO()
    np.savez(content, z=z, y=np.tile(np.arange(120), 2))
    both = read([File("pairs.npz", content.getvalue())])
    assert isinstance(both, OwnEmbeddings)
    assert Failures(scored(both)).modality_gap_sizes == ((120, 120) if gap else None)
    assert 0 < BOTH < 1


def test_rows_that_are_all_one_point_are_no_success() -> None:
    claim = claim_of_failures(Failures(file(np.ones((len(Y), 8)))), "a.npz")
    assert claim == "Rows of several classes are equally near in a.npz: no one class is taken for another"
    assert claim_of_failures(Failures(file(tight())), "a.npz") == "Each query of a.npz has a row of its own class nearest"


@pytest.mark.parametrize("times", [1e-25, 1e20, 1e30])
def test_the_nearest_rows_of_a_click_are_those_that_are_counted(times: float) -> None:
    given = file((CENTRES[Y] + 3 * rng.standard_normal((len(Y), 16))) * times)
    rows, cosines = given.nearest_to(7)
    given.find_out("nearest", lambda _: None)
    again, _ = given.nearest_to(7)
    assert rows.tolist() == again.tolist() == given.nearest.near[7].tolist()
    assert (np.diff(cosines) <= 0).all()
    assert cosines.max() <= 1 + 1e-6


def test_two_files_of_other_queries_are_not_compared() -> None:
    whole, asked = file(tight()), file(tight(), query=np.arange(len(Y)) % 2 == 0)
    assert queries_in_words([whole, whole]) == queries_in_words([whole]) == "Each row queries all others"
    words = queries_in_words([whole, asked])
    assert "cannot be compared" in words
    assert "120 queries in a gallery of 240" in words
