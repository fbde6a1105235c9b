"""Points, arrows and edges on a disc, and the numbers and traces that all figures are made of."""

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, escaped_for_tex, number, score, with_minus_signs
from dml_viz.plot.projection import flatten, sphere_view
from dml_viz.plot.traces import arrow_lines, line, marks, stems


@pytest.mark.parametrize("eye", [(0, 0, 1), (0, 0, -1), (0, 0.1, 1), (1, 0, 0), (0, -1, 0)])
def test_every_view_of_the_sphere_is_orthonormal_and_right_handed(eye: tuple[float, float, float]) -> None:
    axes = np.stack(sphere_view(np.array(eye, float)))
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1)


def test_more_than_three_dimensions_need_a_plane() -> None:
    with pytest.raises(ValueError, match="pass a plane"):
        flatten(np.eye(4), np.eye(4), 0)


def sphere(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit rows (n, 3), arrows (n, 3) of which every other is 0, and labels (n,) of three classes."""
    random = np.random.default_rng(0)
    z = random.normal(size=(n, 3))
    return (
        z / np.linalg.norm(z, axis=1, keepdims=True),
        random.normal(size=(n, 3)) * (np.arange(n) % 2)[:, None],
        np.arange(n) % 3,
    )


@pytest.mark.parametrize("n", [12, 90])
def test_points_know_their_index_and_are_faint_where_they_face_away(n: int) -> None:
    z, arrows, y = sphere(n)
    flat = flatten(z, arrows, 0)
    drawn = []
    for group in disc.by_class(y, "ABC"):
        trace = disc.points(flat, group, [f"#{k}" for k in range(n)])
        ids = trace["customdata"]
        np.testing.assert_array_equal(np.stack((trace["x"], trace["y"]), 1), flat.places[ids])
        np.testing.assert_array_equal(trace["marker"]["opacity"] < 0.5, flat.behind[ids])
        assert trace["text"] == [f"#{k}" for k in ids]
        assert trace["marker"]["size"] == (10 if n == 12 else 6)
        drawn += ids.tolist()
    assert sorted(drawn) == list(range(n))


def test_arrows_are_drawn_where_there_is_one_by_one_factor_or_by_one_for_each_point() -> None:
    flat = flatten(*sphere(12)[:2], 0)
    factor = disc.factor_for(flat.lengths)
    trace = disc.arrows(flat, factor, "#000000")
    np.testing.assert_array_equal(trace["customdata"], np.arange(1, 12, 2))
    np.testing.assert_allclose(np.stack((trace["u"], trace["v"]), 1), factor * flat.arrows[1::2])
    assert factor * flat.lengths.max() == pytest.approx(disc.LONGEST_ARROW)
    own = disc.arrows(flat, np.arange(12.0), "#000000", np.array([3, 4]))
    np.testing.assert_allclose(own["u"], [3 * flat.arrows[3, 0], 4 * flat.arrows[4, 0]])
    assert disc.factor_for(np.zeros(3)) == 0


def test_curves_of_equal_style_are_one_line_with_gaps() -> None:
    curves = np.arange(12.0).reshape(3, 2, 2)
    found = {key: (x, y) for key, x, y in disc.bundles(curves, np.array([2, 1, 2]), np.array([True, False, True]))}
    assert list(found) == [(1, False), (2, True)]
    np.testing.assert_array_equal(found[2, True][0], [0, 2, math.nan, 8, 10, math.nan])
    np.testing.assert_array_equal(found[1, False][1], [5, 7, math.nan])
    assert not list(disc.bundles(np.zeros((0, 2, 2)), np.zeros(0)))


def test_a_disc_of_every_trace_is_a_figure_that_plotly_accepts() -> None:
    z, arrows, y = sphere(12)
    flat = flatten(z, arrows, 0)
    traces = [
        *(disc.points(flat, group, [""] * 12) for group in disc.by_class(y, "ABC")),
        disc.arrows(flat, 1, "#123456"),
        disc.rings("rings", flat.places, 20, "#123456"),
        line("line", [0, 1], [0, 1], colour="#123456", dash="dot"),
        marks("marks", [0], [1], colour="#123456", edge=(1, "#654321")),
        stems("stems", y, y, "#123456", 1),
        arrow_lines("heads", flat.places, flat.places + flat.arrows, colour="#123456", width=1, head=6),
    ]
    layout = disc.layout(400, {"l": 8, "r": 8, "t": 8, "b": 8}, 1.2, "dark")
    go.Figure(canvas(traces, layout, theme="dark", alt="12 points").to_dict())
    heads = np.reshape(traces[-1]["marker"]["size"], (12, 3))
    np.testing.assert_array_equal(heads > 0, (flat.lengths > 0)[:, None] & [False, True, False])


def test_words_are_literal_in_latex() -> None:
    assert escaped_for_tex(r"a_b {50 %} c\d^~") == r"a\_b \{50 \%\} c\textbackslash d\textasciicircum \textasciitilde "


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [(-1.5, ".2f", "−1.50"), (-0.0, ".3g", "0"), (math.nan, ".3g", "undefined"), (1e-5, ".1e", "1.0e−05")],
)
def test_numbers_have_a_minus_sign(value: float, form: str, text: str) -> None:
    assert number(value, form) == text


def test_a_hyphen_between_words_is_no_minus_sign() -> None:
    assert with_minus_signs("Proxy-NCA from -0.5 to -inf") == "Proxy-NCA from −0.5 to −inf"
    assert (score(0.5), score(math.nan)) == ("0.500", "undefined")
