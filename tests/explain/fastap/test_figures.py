"""What the figures draw, read from their traces: sums, areas, arrows and words against the arrays they were given."""

import re
from dataclasses import dataclass, field, replace

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.explain.fastap import ROOM
from dml_viz.explain.fastap.figures.pipeline import labels_of_bins
from dml_viz.explain.fastap.model import COUNTS, Model, Settings
from dml_viz.explain.fastap.model_bins import Binning
from dml_viz.plot import style
from dml_viz.plot.canvas import Display, number
from dml_viz.plot.disc import LONGEST_ARROW
from dml_viz.plot.projection import flatten, sphere_view
from tests.samples import for_each
from tests.shown import plane_of

QUERY = 3


@dataclass
class Drawn:
    """One query of random points, with its anatomy and figures."""

    dim: int = 3
    bins: int = 10
    hard: bool = False
    n: int = 24
    classes: int = 4
    query: int = QUERY
    theme: str = "light"
    of_query: bool = True
    z: np.ndarray = field(init=False, repr=False)
    y: np.ndarray = field(init=False, repr=False)
    model: Model = field(init=False, repr=False)

    def __post_init__(self) -> None:
        random = np.random.default_rng(self.dim + self.n)
        self.y = np.append(np.arange(self.n - 1) % self.classes, self.classes)
        z = random.normal(size=(self.classes + 1, self.dim))[self.y] + random.normal(size=(self.n, self.dim))
        self.z = z / np.linalg.norm(z, axis=1, keepdims=True)
        self.binning = Binning(self.bins, hard=self.hard)
        plane = plane_of(torch.from_numpy(self.z))
        embeddings = Embeddings(torch.from_numpy(self.z), torch.from_numpy(self.y), "at random", plane=plane)
        self.model = Model(embeddings, Settings(self.query, self.binning, self.of_query))
        self.d2, self.anatomy, self.arrows = self.model.d2, self.model.ranking, self.model.arrows
        self.batch, self.ap = self.model.batch_histograms, self.model.average_precision

    def figure(self, name: str) -> go.Figure:
        return ROOM.figures[name](
            self.model, Display(self.theme, tuple(map(chr, range(65, 66 + self.classes))), tuple(self.y.tolist()))
        )

    def all(self) -> tuple[go.Figure, ...]:
        return tuple(self.figure(name) for name in ROOM.figures)


SUBJECTS = [
    Drawn(),
    Drawn(dim=2, theme="dark"),
    Drawn(dim=8, bins=4, of_query=False),
    Drawn(bins=100, n=200, theme="dark"),
    Drawn(hard=True),
    Drawn(query=23),  # without positives
    Drawn(n=200, classes=50),  # three positives
]


def named(fig: go.Figure, name: str) -> go.Figure:
    [trace] = [trace for trace in fig.data if trace.name == name]
    return trace


def area(trace: go.Scatter) -> float:
    assert trace.line.shape == "vh"
    return float((np.diff(trace.x) * trace.y[1:]).sum())


@pytest.mark.parametrize("drawn", SUBJECTS, ids=str)
def test_every_figure_is_one_that_plotly_accepts(drawn: Drawn) -> None:
    for fig in drawn.all():
        go.Figure(fig.to_dict())


@for_each("drawn", SUBJECTS, ids=str)
def test_every_figure_has_words_that_state_its_numbers(drawn: Drawn) -> None:
    for fig in drawn.all():
        alt = fig.layout.meta["alt"]
        assert len(re.findall(r"\d", alt)) >= 3
        assert "nan" not in alt
        assert alt.endswith(".")
        assert not any("nan" in note.text for note in fig.layout.annotations)


@for_each("drawn", SUBJECTS, ids=str)
def test_every_trace_has_one_constant_colour(drawn: Drawn) -> None:
    for fig in drawn.all():
        for trace in fig.data:
            assert trace.marker.color is None or isinstance(trace.marker.color, str)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_are_drawn_in_the_ink_of_the_theme(theme: str) -> None:
    for fig in Drawn(theme=theme).all():
        assert fig.layout.template.layout.font.color == style.INK[theme]


def test_bars_are_stacked_and_sum_to_the_counts() -> None:
    drawn = Drawn()
    fig = drawn.figure("pipeline")
    assert fig.layout.barmode == "stack"
    assert named(fig, "h⁺").y.sum() == pytest.approx(drawn.anatomy.positives)
    assert named(fig, "h⁺").y.sum() + named(fig, "h⁻").y.sum() == pytest.approx(drawn.n - 1)


def test_few_positives_are_drawn_in_front_and_larger_and_their_true_counts_on_a_scale_of_their_own() -> None:
    drawn = Drawn(n=200, classes=50)
    fig = drawn.figure("pipeline")
    plus, minus = named(fig, "h⁺"), named(fig, "h⁻")
    assert plus.yaxis != minus.yaxis
    assert (plus.y.sum(), minus.y.sum()) == (pytest.approx(3), pytest.approx(196))
    [heading] = [note.text for note in fig.layout.annotations if "own scale" in note.text]
    assert f"{minus.y.max() / plus.y.max():.2g} times as high" in heading
    assert fig.layout[named(fig, "H⁺").yaxis.replace("y", "yaxis")].type == "log"
    np.testing.assert_allclose(np.nanmax(named(fig, "H").y), 199)
    ball = drawn.figure("arrows")
    names = [trace.name for trace in ball.data]
    assert names.index("negatives") < names.index("positives")
    assert named(ball, "positives").marker.size > named(ball, "negatives").marker.size


def test_running_sums_and_precision_follow_from_the_bars() -> None:
    fig = Drawn().figure("pipeline")
    plus, minus = named(fig, "h⁺").y, named(fig, "h⁻").y
    np.testing.assert_allclose(named(fig, "H⁺").y, np.cumsum(plus))
    np.testing.assert_allclose(named(fig, "H").y, np.cumsum(plus) + np.cumsum(minus))
    np.testing.assert_allclose(named(fig, "H⁺/H").y, named(fig, "H⁺").y / named(fig, "H").y)


def test_all_rows_share_one_axis_of_squared_distance() -> None:
    fig = Drawn().figure("pipeline")
    assert {trace.xaxis for trace in fig.data} == {"x"}
    assert len({trace.yaxis for trace in fig.data}) == 7
    assert fig.layout.xaxis.range[0] <= 0
    assert fig.layout.xaxis.range[1] >= 4


def test_ranked_points_are_drawn_at_their_squared_distances() -> None:
    drawn = Drawn()
    fig, others = drawn.figure("pipeline"), np.delete(np.arange(drawn.n), QUERY)
    for name, same in (("positive", True), ("negative", False)):
        at = drawn.d2[QUERY, [k for k in others if (drawn.y[k] == drawn.y[QUERY]) == same]]
        marks = named(fig, f"nearest {name}")
        np.testing.assert_array_equal(marks.x, np.sort(at))
        np.testing.assert_array_equal(marks.x, drawn.d2[QUERY, marks.customdata])


def test_slopes_are_stems_at_their_points() -> None:
    drawn = Drawn()
    a, fig = drawn.anatomy, drawn.figure("pipeline")
    for name, of in (("positives", a.relevant), ("negatives", ~a.relevant)):
        stems = named(fig, f"slope, {name}")
        np.testing.assert_array_equal(stems.x[1::3], a.d2[of])
        np.testing.assert_array_equal(stems.y[1::3], a.slope[of])
        assert not stems.y[0::3].any()
        heads = named(fig, f"heads, {name}")
        np.testing.assert_array_equal((heads.x, heads.y), (a.d2[of], a.slope[of]))


def test_kernel_is_one_triangle_per_centre() -> None:
    kernel = named(Drawn(bins=4).figure("pipeline"), "kernel")
    np.testing.assert_allclose(kernel.x.reshape(5, 4)[:, :3], np.arange(5)[:, None] + [[-1, 0, 1]])
    np.testing.assert_array_equal(kernel.y.reshape(5, 4)[:, :3], [[0, 1, 0]] * 5)


def test_two_bins_past_the_last_positive_are_shaded() -> None:
    drawn = Drawn(bins=100)
    [band] = drawn.figure("pipeline").layout.shapes
    last = drawn.d2[QUERY, (drawn.y == drawn.y[QUERY])].max()
    assert (band.x0, band.x1) == (pytest.approx(last), pytest.approx(last + 0.08))


def test_a_bin_highlights_the_points_that_it_counts() -> None:
    for drawn in (Drawn(), Drawn(hard=True)):
        fig = drawn.figure("pipeline")
        light = fig.layout.meta["light"]
        assert [fig.data[place].name for place in light["by"]] == ["h⁺", "h⁻"]
        for place, bars in zip(range(2), ("h⁺", "h⁻"), strict=True):
            lit = light["points"][place]
            assert lit["trace"] == place
            x = fig.data[place].x
            for bin_, count in enumerate(named(fig, bars).y):
                on = (np.array(lit["low"]) <= bin_) & (bin_ <= np.array(lit["high"]))
                reach = np.abs(x - drawn.binning.centres[bin_]) / drawn.binning.width
                np.testing.assert_array_equal(on, reach < (0.5 if drawn.hard else 1))
                assert on.any() == (count > 0)


def test_labels_of_a_bin_name_its_nearest_pairs_with_their_shares() -> None:
    centres = np.linspace(0, 4, 5)
    d2, relevant = np.array([0.25, 1.0, 1.5]), np.array([True, False, True])
    labels = labels_of_bins(d2, relevant, ["a", "b", "c"], centres, hard=False)
    assert labels[0] == "<br>+ a: 0.75"
    assert labels[1] == "<br>+ a: 0.25<br>− b: 1.00<br>+ c: 0.50"
    assert labels[2] == "<br>+ c: 0.50"
    assert labels[3:] == ["", ""]
    many = labels_of_bins(np.zeros(6), np.ones(6, bool), list("abcdef"), centres, hard=True)
    assert many[0].endswith("and 2 more")


@pytest.mark.parametrize("drawn", SUBJECTS[:5], ids=str)
def test_areas_under_the_steps_are_exact_ap_and_fastap(drawn: Drawn) -> None:
    exact, binned = drawn.figure("precision_recall").data
    assert area(exact) == pytest.approx(drawn.ap[drawn.query], abs=1e-12)
    assert area(binned) == pytest.approx(drawn.batch.fastap[drawn.query], abs=1e-12)
    assert f"{area(exact):.3f}" in exact.name
    assert f"{area(binned):.3f}" in binned.name


def test_the_curve_against_bins_passes_through_what_is_shown_now() -> None:
    drawn = Drawn()
    fig = drawn.figure("against_bins")
    now = named(fig, "now")
    assert now.y[0] == drawn.anatomy.fastap
    assert np.interp(now.x[0], COUNTS, named(fig, "soft bins").y) == pytest.approx(drawn.anatomy.fastap)
    assert set(named(fig, "exact AP").y) == {drawn.anatomy.average_precision}


def test_the_curve_against_bins_has_the_range_of_the_page() -> None:
    drawn = Drawn()
    half = Model(drawn.model.embeddings, replace(drawn.model.settings, binning=Binning(10, top=2.0)))
    curve = named(ROOM.figures["against_bins"](half, Display("light")), "soft bins")
    assert np.interp(10, COUNTS, curve.y) == pytest.approx(half.ranking.fastap)


def vectors(fig: go.Figure) -> dict[int, np.ndarray]:
    """Tail and arrow (4,) as drawn, by point."""
    found: dict[int, np.ndarray] = {}
    for trace in fig.data:
        if trace.type == "quiver":
            assert trace.lengthmode == "raw"
            found |= dict(zip(trace.customdata.tolist(), np.stack((trace.x, trace.y, trace.u, trace.v), 1), strict=True))
    return found


@pytest.mark.parametrize("of_query", [True, False])
def test_arrows_on_the_circle_are_the_gradient_up_to_one_scale(of_query: bool) -> None:
    drawn = Drawn(dim=2, of_query=of_query)
    fig, moved = drawn.figure("arrows"), np.flatnonzero(drawn.arrows.any(1))
    scale, own = fig.layout.meta["scale"], fig.layout.meta["own"]
    shown = vectors(fig)
    assert sorted(shown) == moved.tolist()
    for point, (x, y, u, v) in shown.items():
        np.testing.assert_array_equal((x, y), drawn.z[point])
        factor = own if of_query and point == QUERY else scale
        np.testing.assert_allclose((u, v), factor * drawn.arrows[point])
    assert max(np.hypot(*arrow[2:]) for arrow in shown.values()) == pytest.approx(LONGEST_ARROW)


def test_the_sphere_is_seen_from_above_the_query() -> None:
    drawn = Drawn(dim=3)
    right, up, eye = sphere_view(drawn.z[QUERY])
    np.testing.assert_allclose(eye, drawn.z[QUERY])
    flat = flatten(drawn.z, drawn.arrows, QUERY)
    np.testing.assert_allclose(flat.places, np.stack((drawn.z @ right, drawn.z @ up), 1))
    np.testing.assert_allclose(flat.arrows, np.stack((drawn.arrows @ right, drawn.arrows @ up), 1))
    np.testing.assert_array_equal(flat.behind, drawn.z @ eye < 0)
    points = [trace for trace in drawn.figure("arrows").data if trace.type == "scatter"]
    for trace in points:
        np.testing.assert_array_equal(np.asarray(trace.marker.opacity) < 0.5, flat.behind[trace.customdata])


def test_a_plane_states_the_share_of_the_gradient_that_it_shows() -> None:
    drawn = Drawn(dim=8)
    plane = plane_of(torch.from_numpy(drawn.z))
    assert plane is not None
    np.testing.assert_allclose(plane.T @ plane, np.eye(2), atol=1e-12)
    flat = flatten(drawn.z, drawn.arrows, QUERY, plane)
    share = ((drawn.arrows @ plane) ** 2).sum() / (drawn.arrows**2).sum()
    assert flat.shown_in_all == pytest.approx(share)
    assert any(f"shows {share:.0%} of the gradient" in note.text for note in drawn.figure("arrows").layout.annotations)
    moved = flat.lengths > 0
    np.testing.assert_allclose(flat.visible_shares[moved], (flat.arrows[moved] ** 2).sum(1) / (drawn.arrows[moved] ** 2).sum(1))


def test_no_gradient_is_said_and_not_drawn() -> None:
    fig = Drawn(hard=True).figure("arrows")
    assert not vectors(fig)
    assert any("every gradient is 0" in note.text for note in fig.layout.annotations)


def test_batch_bars_are_shares_of_all_pairs_and_carry_their_counts() -> None:
    drawn = Drawn()
    plus, minus = drawn.figure("batch").data
    same = (drawn.y[:, None] == drawn.y).sum() - drawn.n
    assert plus.customdata.sum() == pytest.approx(same)
    assert minus.customdata.sum() == pytest.approx(drawn.n**2 - drawn.n - same)
    for trace in (plus, minus):
        np.testing.assert_allclose(trace.y, trace.customdata / trace.customdata.sum())


def test_pairs_outside_every_bin_are_counted_as_pairs() -> None:
    drawn = Drawn()
    half = Model(drawn.model.embeddings, replace(drawn.model.settings, binning=Binning(10, top=2.0)))
    fig = ROOM.figures["batch"](half, Display("light"))
    same = (drawn.y[:, None] == drawn.y) & ~np.eye(drawn.n, dtype=bool)
    for trace, kind in zip(fig.data, (same, drawn.y[:, None] != drawn.y), strict=True):
        d2 = drawn.d2[kind]
        outside = (d2 >= 2.2).sum()  # half a bin beyond the last centre none is left
        assert 0 < outside < len(d2)
        assert (
            f"{len(d2):,} {trace.name}, mean d² {number(float(d2.mean()))}, {outside:,} outside every bin"
            in fig.layout.meta["alt"]
        )
        assert trace.y.sum() == pytest.approx(trace.customdata.sum() / len(d2))


def test_queries_are_sorted_and_know_their_points() -> None:
    drawn = Drawn()
    exact, fastap, ring = drawn.figure("queries").data
    assert (np.diff(fastap.y) >= 0).all()
    assert sorted(fastap.customdata) == list(range(drawn.n - 1))  # the last has no positives
    np.testing.assert_array_equal(fastap.y, drawn.batch.fastap[fastap.customdata])
    np.testing.assert_array_equal(exact.y, drawn.ap[exact.customdata])
    np.testing.assert_array_equal(ring.y, [drawn.ap[QUERY], drawn.batch.fastap[QUERY]])
