"""The page on own embeddings: its figures for one file and for two, its state after a bad one, and who else can see it."""

import io
import re

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app import notice, tab
from dml_viz.app.own import files
from dml_viz.data import own_images
from dml_viz.data.datasets.own import OwnDataset, shelf
from dml_viz.data.eval_points import evaluation_subset
from dml_viz.data.files import File, OwnEmbeddings, OwnImages, read
from dml_viz.data.images import LETTERS
from dml_viz.data.own import Scored, scored
from dml_viz.explain.your_data import ROOM
from dml_viz.explain.your_data import text as say
from dml_viz.explain.your_data.all_rows import NO_QUERY, answer, points
from dml_viz.explain.your_data.example import example
from dml_viz.explain.your_data.failures import Failures
from dml_viz.explain.your_data.model import Model
from dml_viz.plot.canvas import Display
from tests.samples import for_each
from tests.shown import PAGES

PAGE = PAGES / "86_your_data.py"


def file(
    name: str, seed: int, size: int = 40, dim: int = 5, classes: int = 4, *, solo: int = 0, **more: np.ndarray | tuple[str, ...]
) -> Scored:
    """A file of random rows, of which the last ``solo`` are each alone in their class."""
    rng = np.random.default_rng(seed)
    content = io.BytesIO()
    y = np.where(np.arange(size) < size - solo, np.arange(size) % classes, classes + np.arange(size))
    np.savez(content, z=rng.standard_normal((size, dim)), y=np.unique(y, return_inverse=True)[1], **more)  # type: ignore[arg-type]
    found = read([File(name, content.getvalue())])
    assert isinstance(found, OwnEmbeddings)
    return scored(found)


def images() -> OwnImages:
    content = io.BytesIO()
    np.savez(content, x=np.random.default_rng(0).random((60, 9, 9)), y=np.arange(60) % 7)
    found = read([File("mine.npz", content.getvalue())])
    assert isinstance(found, OwnImages)
    return found


MODELS = {
    "one": Model((file("a.npz", 0),)),
    "two": Model((file("a.npz", 0), file("b.npz", 1, 60, 3, 6))),
    "many classes, on a circle": Model((file("a.npz", 0, 600, 2, 200),)),
    "one name": Model((file("a.npz", 0), file("a.npz", 1))),
    "no class in both": Model((file("a.npz", 0), file("b.npz", 1, names=("x", "y", "z", "w")))),
}


@for_each("theme", ["light", "dark"])
@for_each("model", MODELS.values(), ids=MODELS)
@for_each("name", ROOM.figures)
def test_figures_draw_one_file_and_two(name: str, model: Model, theme: str) -> None:
    drawn = ROOM.figures[name](Model((), images()) if name in ("trained_on", "never_seen") else model, Display(theme))
    go.Figure(drawn.to_dict())
    alt = drawn.layout.meta["alt"]
    assert re.search(r"\d", alt)
    assert "nan" not in alt.lower()


def test_all_rows_are_sent_with_what_their_nearest_rows_say() -> None:
    rng, content = np.random.default_rng(0), io.BytesIO()
    query = np.arange(700) % 5 > 0
    np.savez(content, z=rng.standard_normal((7, 9))[np.arange(700) % 7], y=np.arange(700) % 7, is_query=query)
    found = read([File("a.npz", content.getvalue())])
    assert isinstance(found, OwnEmbeddings)
    found.y[3] = 5  # a wrong label
    placed = scored(found)
    drawn = points(Model((placed,), ranked=False, mapped=False), Display("light"))
    assert drawn.arrays
    assert set(drawn.arrays) == {"0.places", "0.y"}
    assert not placed.knows("nearest")
    model = Model((placed,), picture="plane")
    arrays = points(model, Display("light")).arrays
    assert arrays
    assert arrays["0.places"].shape == (700, 2)
    assert (arrays["0.y"] == found.y).all()
    assert (arrays["0.right"][~query] == NO_QUERY).all()
    assert (arrays["0.right"][query] == Failures(placed).right_near).all()
    assert arrays["0.looks"][3] == 3 + 1
    assert np.count_nonzero(arrays["0.looks"]) == len(Failures(placed).suspected_labels["row"]) == 1
    near, _ = answer(model, {"file": "0", "near": "4"})
    assert len(set(near["near"]) - {4}) == 10  # rows of a class are copies of each other
    assert near["cosines"] == pytest.approx([1] * 10)
    assert all(row % 7 == 4 for row in near["near"])
    for asked in ({"file": "1", "near": "4"}, {"file": "0", "near": "700"}, {"file": "0", "images": "1"}):
        with pytest.raises(LookupError):
            answer(model, asked)


def test_two_files_are_compared_on_the_classes_of_both() -> None:
    names, values = MODELS["two"].classes
    assert set(names) == {"0", "1", "2", "3"}
    first, second = MODELS["two"].files
    for column, name in enumerate(names):
        assert values[:, column].tolist() == [one.class_ap[one.file.names.index(name)] for one in (first, second)]


def test_long_titles_of_two_files_differ_in_a_figure() -> None:
    model = Model(tuple(file(f"embeddings_resnet50_cub200_epoch_{when}.npz", 0) for when in ("before", "after")))
    for name in ("scores", "classes", "distances"):
        drawn = ROOM.figures[name](model, Display("light"))
        words = drawn.to_plotly_json()["layout"]["annotations"][0]["text"]
        assert "_after.npz" in words, name
        assert "cub200" not in words, name


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (["map"], "the neighbour map of these rows is"),
        (["nearest"], "rows are"),
        (["ranked", "map"], "neighbour map of these rows are"),
    ],
)
def test_the_sentence_on_stopped_work_agrees_with_what_is_left(left: list[str], words: str) -> None:
    assert say.on_stopped_work(left).endswith(f"{words} not there yet.")


IS_QUERY = np.arange(40) < 20


@for_each(
    ("given", "counted"),
    [
        (file("a.npz", 0), r"of 40 rows have a row"),
        (file("a.npz", 0, solo=1), r"of the 39 rows whose class has another row have one"),
        (file("a.npz", 0, query=IS_QUERY, gallery=~IS_QUERY), r"of 20 queries have a row"),
        (
            file("a.npz", 0, solo=1, query=~IS_QUERY, gallery=IS_QUERY),
            r"of the 19 queries whose class is in the gallery have one",
        ),
    ],
    ids=lambda case: case[1],
)
def test_the_claim_counts_the_queries_that_can_find_a_row_of_their_class(given: Scored, counted: str) -> None:
    assert re.fullmatch(rf"[\d.]+% {counted} of their own class nearest", say.claim((given,)))
    share = float(say.claim((given,)).partition("%")[0]) / 100
    assert share * given.scored_queries == pytest.approx(round(share * given.scored_queries), abs=0.03)
    alone = np.bincount(given.file.y[given.file.searched], minlength=len(given.file.names)) < (
        2 if given.file.query is None else 1
    )
    assert not set(np.flatnonzero(alone)) & set(Failures(given).taken_for)


def test_the_example_is_better_after_training() -> None:
    before, after = (scored(read([one])).score for one in example())
    assert before.recall[1] < 0.25
    assert after.recall[1] > 0.5


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(str(PAGE), default_timeout=300).run()


def test_the_page_opens_on_an_example_that_no_visitor_has_brought_and_gives_it_away(app: AppTest) -> None:
    assert not app.exception
    assert any("NumPy archive" in one.value for one in app.markdown)

    def compared() -> bool:
        claim = r"R@1 goes from 0\.1\d+ in pixels by cosine.npz to 0\.[56]"
        return any(re.match(claim, one.value) for one in app.subheader)

    assert compared()
    assert any("An example, not your data" in one.value for one in app.markdown)
    assert app.query_params == {"v": "2"}
    assert not any(f"brought.{key}" in app.session_state for key in (files.FIRST, files.SECOND))
    app.button[[button.label for button in app.button].index("Take it as your files")].click().run()
    assert not app.exception
    assert compared()
    assert not any("An example, not your data" in one.value for one in app.markdown)
    [first, second] = (app.session_state[f"brought.{key}"] for key in (files.FIRST, files.SECOND))
    assert app.query_params == {"v": "2", "file": files.short(first), "file2": files.short(second)}
    app.button[[button.label for button in app.button].index("Remove pixels by cosine.npz")].click().run()
    assert any(re.match(r"[56]\d\.\d% of 250 rows", one.value) for one in app.subheader), "of the second file, now the first"
    assert app.query_params == {"v": "2", "file": files.short(second)}
    assert not app.exception


@pytest.mark.parametrize(("key", "text"), [("file", "0123456789ab"), ("own.file", "0123456789ab" * 2)])
def test_a_link_asks_for_its_file(key: str, text: str) -> None:
    app = AppTest.from_file(str(PAGE), default_timeout=300)
    app.query_params[key] = text
    app.run()
    assert any(f"`{text}`" in one.value for one in app.markdown)
    assert app.query_params == {"own.picture": "plane", "v": "2", key: text}  # a link of before there was a map
    assert not app.exception


@pytest.mark.parametrize(
    ("key", "text", "shape"), [("file", "0123456789ab", (60, 3)), ("own.file", "0123456789ab" * 2, (60, 9, 9))]
)
def test_another_file_than_that_of_a_link_is_announced_once(
    monkeypatch: pytest.MonkeyPatch, key: str, text: str, shape: tuple[int, ...]
) -> None:
    monkeypatch.setattr(notice, "monotonic", lambda: 0.0)
    app = AppTest.from_file(str(PAGE), default_timeout=300)
    app.query_params[key] = text
    app.run()
    fingerprints: list[str] = []
    for seed, name in enumerate(("two.npz", "three.npz")):
        content = io.BytesIO()
        np.savez(content, x=np.random.default_rng(seed).random(shape), y=np.arange(60) % 7)
        app.file_uploader[0].upload(name, content.getvalue()).run()
        fingerprints.append(app.query_params[key][:12])
        said = (
            f"The link is about a file with fingerprint 0123456789ab; two.npz has {fingerprints[0]}, so its numbers may differ."
        )
        assert [toast.value for toast in app.toast] == [said]
    assert len({*fingerprints}) == 2
    if key == "file":
        del app.session_state[tab.VISIT.name]  # as at the browser's Back, the address is read
        app.query_params[key] = "fedcba987654"
        app.run()
        assert app.toast[-1].value.startswith("The link is about a file with fingerprint fedcba987654; three.npz has ")
    assert not app.exception


def test_a_link_asks_for_both_files_of_a_comparison() -> None:
    app = AppTest.from_file(str(PAGE), default_timeout=300)
    named = {"v": "2", "file": "0123456789ab", "file2": "ba9876543210"}
    app.query_params.update(named)
    app.run()
    [request] = [one.value for one in app.markdown if "This link is about" in one.value]
    assert all(f"`{named[key]}`" in request for key in ("file", "file2"))
    assert not app.warning
    assert app.query_params == named


@pytest.mark.parametrize("text", ["x", "0" * 23, "<b>" + "1" * 21])
def test_an_invalid_fingerprint_of_images_gets_a_sentence(text: str) -> None:
    app = AppTest.from_file(str(PAGE), default_timeout=300)
    app.query_params["own.file"] = text
    app.run()
    assert "is no fingerprint of the file" in app.warning[0].value
    assert not app.exception


def test_a_visitors_images_are_offered_if_there_are_any_and_asked_for_if_a_link_needs_them() -> None:
    app = AppTest.from_file(str(PAGES / "80_train.py"), default_timeout=300).run()
    assert "Your images" not in app.segmented_control(key="data").options
    app.query_params["data"], app.query_params["own.file"] = "own", "0" * 24
    del app.session_state["link.visit"]
    app.run()
    assert "This link trains on images with fingerprint `000000000000`" in app.info[0].value
    app.button[[button.label for button in app.button].index("Use icons")].click().run()
    assert not app.info
    assert not app.exception


def test_the_claim_about_images_is_measured_by_a_run() -> None:
    found = images()
    model = Model((), found)
    shelf().put(LETTERS * "a", found.images, "test")
    assert model.by_pixels == evaluation_subset(OwnDataset(LETTERS * "a"), "unseen classes").baseline["unseen"]
    assert sum(map(len, model.classes_by_side.values())) == 7
    own_images.release_images("test")


@pytest.mark.parametrize("text", ["x", "0" * 11, "0" * 13, "<b>123456789", "../../../etc"])
def test_an_invalid_fingerprint_gets_a_sentence(text: str) -> None:
    app = AppTest.from_file(str(PAGE), default_timeout=300)
    app.query_params["file"] = text
    app.run()
    assert "is no fingerprint" in app.warning[0].value
    assert not app.exception
