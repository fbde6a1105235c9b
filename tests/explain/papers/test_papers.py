"""The Papers page: the survey's numbers as they are in its tables, what is marked as doubtful, and a link for every paper."""

import csv

import numpy as np
import plotly.graph_objects as go
import pytest

from dml_viz.assets import ASSETS
from dml_viz.embedding.scene import preset_embeddings
from dml_viz.explain.papers import ROOM, text
from dml_viz.explain.papers.model import Settings
from dml_viz.losses import LOSSES
from dml_viz.pitfalls import PAPERS, RESULTS
from dml_viz.plot.canvas import Display
from dml_viz.room.markdown import links
from dml_viz.training.methods import METHODS
from tests.samples import for_each

NONE = preset_embeddings("separated")


def table(name: str) -> list[dict[str, str]]:
    with (ASSETS / "published" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_exactly_the_numbers_of_the_survey_are_shown() -> None:
    wanted = sorted((row["dataset"], row["metric"], float(row["value_percent"])) for row in table("cvpr2019_results.csv"))
    found = []
    for dataset in RESULTS:
        columns = text.recall_columns(ROOM.model(NONE, Settings(dataset)))
        found += [
            (dataset, name, value)
            for name, values in columns.items()
            if name != "Method"
            for value in values
            if np.isfinite(value)
        ]
    assert sorted(found) == wanted


@pytest.mark.parametrize(
    ("dataset", "doubtful"), [("CUB-200-2011", ("DSML",)), ("CARS196", ("DSML",)), ("SOP", ()), ("In-shop", ())]
)
def test_a_number_out_of_line_is_marked(dataset: str, doubtful: tuple[str, ...]) -> None:
    model = ROOM.model(NONE, Settings(dataset))
    assert model.doubtful_methods == doubtful
    assert list(model.recall[:, 0]) == sorted(model.recall[:, 0], reverse=True)


@for_each("picked", ["", "MS"])
@for_each("dataset", RESULTS)
@for_each("name", ROOM.figures)
def test_figures_draw_every_method(name: str, dataset: str, picked: str) -> None:
    model = ROOM.model(NONE, Settings(dataset, picked))
    for theme in ("light", "dark"):
        drawn = ROOM.figures[name](model, Display(theme))
        go.Figure(drawn.to_dict())
        points = sum(len(trace.x) if name == "gains" else 1 for trace in drawn.data)
        assert points == len(model.methods)
        assert f"{len(model.methods)} papers on {dataset}" in drawn.layout.meta["alt"]
        low, high = drawn.layout.yaxis.range  # beyond it Plotly hides a label
        assert all(low < label.y < high for label in drawn.layout.annotations if label.yref == "y")


def test_every_paper_has_its_idea_and_a_working_link() -> None:
    numbers = [[int(row["paper_no"]) for row in table(f"cvpr2019_{name}.csv")] for name in ("papers", "ideas")]
    assert [[paper.number for paper in PAPERS]] * 2 == numbers
    for paper in PAPERS:
        assert paper.idea.endswith(".")
        page, _, setting = paper.page.partition("?")
        key, _, name = setting.partition("=")
        assert page in ("", "fastap", "ranked_list", "reference", "beyond_one_loss")
        assert name in {"": ("",), "card": LOSSES, "method": METHODS}[key]


NOT_FOUND = {"nca"}  # papers whose number is in no source that was read


def test_every_paper_named_has_a_link_to_where_it_is_published_and_everywhere_the_same() -> None:
    declared = {name: kind.reference for name, kind in (*LOSSES.items(), *METHODS.items()) if kind.reference}
    assert {name for name, reference in declared.items() if not links(reference)} == NOT_FOUND
    for paper in PAPERS:
        named = [reference for reference in declared.values() if paper.title.lower() in reference.lower()]
        assert len({tuple(links(reference)) for reference in named}) == 1, paper.title
    table = text.papers_table()
    assert sum("https://" in row for row in table.splitlines()) == len(PAPERS)
    assert len(links(" ".join(text.CHECKS))) == text.reality_checks().count("](https://arxiv.org/abs/") == 2


def test_a_link_of_a_reference_says_what_it_opens() -> None:
    assert links("One: A, 2015, arXiv:1503.03832; two: B, doi:10.1109/CVPR.2006.100.") == [
        "[arXiv\\:1503.03832](https://arxiv.org/abs/1503.03832)",
        "[doi\\:10.1109/CVPR.2006.100](https://doi.org/10.1109/CVPR.2006.100)",
    ]
    assert links("N, https://papers.nips.cc/a_b; next") == ["[papers.nips.cc](https://papers.nips.cc/a_b)"]
