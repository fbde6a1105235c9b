"""The sentences on common errors: their numbers are measured, shown as measured, and true."""

import math
import re
from string import Formatter

import numpy as np
import pytest
import torch

from dml_viz.embedding.metrics import retrieval
from dml_viz.explain.fastap.model_bins import Binning, histograms_of_batch
from dml_viz.losses import LOSSES
from dml_viz.params import numerals
from dml_viz.pitfalls import PITFALLS, Pitfall, about, how_table_misleads, table
from dml_viz.pitfalls._published import CARS, CUB
from tests.samples import for_each

EVERY = pytest.mark.parametrize("pitfall", PITFALLS.values(), ids=PITFALLS)
EACH = for_each("pitfall", PITFALLS.values(), ids=PITFALLS)
FIELD = "\0"  # in place of a number
# Names that have a digit in them, and formulas.
NAMES = re.compile(r"R@1|float32|float64|1/N|1 − loss")
FORMULA = re.compile(r"\$([^$]*)\$")


def fields(text: str) -> list[tuple[str, str]]:
    """Name and format of every number in a text, in order."""
    return [(name, spec or "") for _, name, spec, _ in Formatter().parse(text) if name is not None]


def typed(text: str) -> list[str]:
    """The numbers that a text has in itself: all but exponents and small coefficients of formulas."""
    words = "".join(literal + (FIELD if name is not None else "") for literal, name, _, _ in Formatter().parse(text))
    in_formulas = [
        number for formula in FORMULA.findall(words) for number in re.findall(r"\d+\.\d+|\d\d+|=\s*\d(?![\d\\A-Za-z(])", formula)
    ]
    return in_formulas + re.findall(r"\d+", NAMES.sub("", FORMULA.sub("", words)))


def shown(spec: str, value: float) -> float:
    """The number that a reader sees."""
    text = format(value, spec).replace(",", "")
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def of(name: str) -> dict[str, float]:
    return dict(PITFALLS[name].numbers)


@EACH
def test_a_pitfall_is_about_existing_losses(pitfall: Pitfall) -> None:
    assert pitfall.losses
    assert set(pitfall.losses) <= set(LOSSES)


@EACH
def test_a_pitfall_is_named_by_its_file_and_function(pitfall: Pitfall) -> None:
    assert pitfall.name == f"{pitfall.losses[0]}.{pitfall.measure.__name__}"
    assert pitfall.measure.__doc__


def test_a_table_has_the_pitfalls_of_its_losses_and_sentences_on_the_points_of_a_page() -> None:
    rows = table(("lifted", "pairwise_margin"), {"lifted.square": "it is so"}).splitlines()[2:]
    shown = about(("lifted", "pairwise_margin"))
    assert [one.name for one in shown] == ["lifted.square", "ranked_list.mean", "ranked_list.unsquared"]
    assert [row.partition(".**")[0] for row in rows] == [f"| **{one.title}" for one in shown]
    assert ["**On these points** it is so." in row for row in rows] == [True, False, False]
    assert PITFALLS["lifted.square"].misleads in how_table_misleads(("lifted",))


@EACH
def test_every_measured_number_is_in_a_sentence_and_every_number_of_a_sentence_is_measured(pitfall: Pitfall) -> None:
    assert {name for name, _ in fields(pitfall.text)} == set(pitfall.numbers)


@EACH
def test_no_number_is_typed(pitfall: Pitfall) -> None:
    assert typed(pitfall.text) == []


@EACH
def test_every_number_is_finite_and_shown_as_it_is(pitfall: Pitfall) -> None:
    numbers = pitfall.numbers
    for name, spec in fields(pitfall.text):
        assert math.isfinite(numbers[name]), name
        assert shown(spec, numbers[name]) == pytest.approx(numbers[name], rel=0.1, abs=1e-12), name
        assert not re.fullmatch(r"-[0.]+%?", format(numbers[name], spec)), f"{name} is shown as minus zero"


@EACH
def test_another_number_changes_the_sentence(pitfall: Pitfall) -> None:
    numbers = dict(pitfall.numbers)
    for name, value in numbers.items():
        assert pitfall.text_with(numbers | {name: value + max(1, abs(value))}) != pitfall.answer, name


@EACH
def test_numbers_are_set_with_a_true_minus_and_without_exponents(pitfall: Pitfall) -> None:
    assert not re.search(r"(?<![\w.)\]])-\.?\d|\de[+-]?\d", FORMULA.sub("", pitfall.answer + pitfall.misleads))


def test_negative_numbers_and_powers_are_set_and_hyphens_and_ranges_left() -> None:
    assert numerals("-4, [-1, 1], -0.20 and 3e-16, 1e-12, -2.5e+07") == ("−4, [−1, 1], −0.20 and 3 × 10⁻¹⁶, 10⁻¹², −2.5 × 10⁷")
    assert numerals("semi-hard, N-pair, 2-5, float-64, 1e4x") == "semi-hard, N-pair, 2-5, float-64, 1e4x"


@EVERY
def test_the_numbers_are_the_same_every_time_and_draw_from_no_shared_generator(pitfall: Pitfall) -> None:
    state = torch.get_rng_state()
    # One thread, because the order of sums over several threads varies.
    assert pitfall.measure() == pytest.approx(dict(pitfall.numbers), rel=1e-9, abs=1e-12)
    assert torch.equal(torch.get_rng_state(), state)
    assert pitfall.numbers is pitfall.numbers


@EACH
def test_sentences_end_and_formulas_close(pitfall: Pitfall) -> None:
    for sentence in (pitfall.claim, pitfall.answer, *filter(None, [pitfall.misleads])):
        assert not sentence[0].islower()
        assert sentence.rstrip("”").endswith(".")
        assert sentence.count("$") % 2 == 0
    for formula in FORMULA.findall(pitfall.answer + pitfall.claim):
        assert formula.count("{") == formula.count("}")
    assert len(re.findall(r"[.?](?: |$)", pitfall.answer)) <= 5
    # A page may set them in a table.
    assert not set("|\n") & set(pitfall.title + pitfall.claim + pitfall.answer + pitfall.misleads)
    assert pitfall.title
    assert not pitfall.title.endswith(".")


@for_each(
    ("text", "found"),
    [
        ("R@1 falls to {a:.2f}", []),
        ("R@1 falls to 0.71", ["0", "71"]),
        (r"$\tan^2\alpha$ is {a:.1f}, times $4t$", []),
        (r"$\alpha = 45$", ["45"]),
        (r"$m = 2$ and {a:.0f}", ["= 2"]),
        ("in float32, without the 1/N, 3 times", ["3"]),
    ],
)
def test_a_typed_number_is_found(text: str, found: list[str]) -> None:
    assert typed(text) == found


def test_published_fastap_is_half_the_queries_times_the_gradient() -> None:
    found = of("fastap.backward")
    for name in ("few", "more", "many"):
        assert found[f"{name}_times"] == pytest.approx(found[name] / 2)
    assert found["cosine"] == pytest.approx(1)
    assert found["factor_ratio"] == pytest.approx(1)


def test_fastap_in_float32_fails_a_gradient_check() -> None:
    found = of("fastap.published_code")
    assert found["single"] > 1e-3 > 1e-6 > found["double"]


def test_a_number_drawn_from_the_shared_generator_shifts_all_that_follow() -> None:
    assert of("fastap.extra_random_number")["differ"] > 0.98


def test_mixing_the_ranges_leaves_positives_outside_every_bin() -> None:
    found = of("fastap.bin_range")
    assert 0.24 < found["far"] < 0.46
    assert 0 < found["near"] < found["far"]
    assert found["plain"] != pytest.approx(found["squared"], abs=1e-4)
    assert found["cosine"] < 0.95


def test_the_first_of_ten_bins_is_wide_in_distance_and_the_last_narrow() -> None:
    found = of("fastap.bin_widths")
    assert found["centres"] == found["bins"] + 1
    assert found["first"] == pytest.approx(0.632, abs=5e-4)
    assert found["last"] == pytest.approx(0.103, abs=5e-4)


def test_dense_diagonal_products_take_n_times_the_multiplications() -> None:
    found = of("fastap.cost")
    assert found["times"] == found["n"]
    assert found["dense"] == 2 * found["n"] ** 3
    assert found["difference"] < 1e-12


def test_gradient_caching_gives_the_gradient() -> None:
    assert of("fastap.gradient_caching")["difference"] < 1e-16


def test_one_less_fastap_is_below_mean_average_precision_with_any_number_of_bins() -> None:
    found = of("fastap.average_precision")
    assert found["with_few"] < found["with_many"] < found["precision"]


def test_fastap_of_a_single_query_can_lie_above_its_average_precision() -> None:
    # A near positive, and another in the same two bins as a slightly nearer negative, half in each.
    y, d2 = np.array([0, 0, 1, 0]), np.array([0.0, 0.1, 0.999, 1.0])
    angles = 2 * np.arcsin(np.sqrt(d2) / 2)
    z = np.stack((np.cos(angles), np.sin(angles)), 1)
    found = histograms_of_batch(np.square(z[:, None] - z).sum(2), y, Binning(10)).fastap[0]
    assert found > retrieval(z, y).ap[0] + 0.01


def test_printed_gradients_are_right_while_active_and_add_up_to_zero() -> None:
    found = of("angular.printed_gradients")
    assert max(found["triplet_error"], found["angular_error"], found["sum"]) < 1e-14
    assert min(found["triplet_idle"], found["angular_idle"]) > 1
    assert found["true_idle"] == 0


def test_unsquared_angular_loss_acts_at_twice_the_squared_tangent() -> None:
    found = of("angular.unsquared")
    for name, acts in (("first", 63.4), ("second", 54.6), ("third", 46.6)):
        assert found[f"{name}_acts"] == pytest.approx(acts, abs=0.05)
        assert math.tan(math.radians(found[f"{name}_acts"])) == pytest.approx(2 * math.tan(math.radians(found[name])) ** 2)
    assert found["equal"] == pytest.approx(26.57, abs=0.005)
    assert found["third_code"] < 0.1 * found["third_formula"]
    assert found["first_code"] == 0


def test_a_rotation_leaves_the_triplet_loss_and_a_scale_does_not() -> None:
    found = of("angular.rotation_and_scale")
    assert found["turned"] == pytest.approx(found["before"], abs=1e-12)
    assert found["stretched"] > 2 * found["before"]
    assert found["same_side"] == 1
    assert found["angular_times"] == pytest.approx(found["times"] ** 2)


def test_the_constant_of_angular_loss_changes_more_than_a_factor() -> None:
    found = of("angular.constant")
    assert found["constant"] == pytest.approx(-4)
    assert found["other_constant"] == pytest.approx(0, abs=1e-12)
    assert found["most"] > 3 * found["least"]
    assert found["least"] * found["dropped"] < found["whole"] < found["most"] * found["dropped"]
    assert found["whole_weight"] < found["dropped_weight"]


def test_the_second_column_of_snr_is_out_of_line_on_both_data_sets() -> None:
    found = of("snr.second_column")
    assert found["own_cub"] == pytest.approx(found["own_cars"]) == pytest.approx(3.3)
    assert (found["least_cub"], found["most_cub"]) == (pytest.approx(10.1), pytest.approx(12.8))
    assert min(CARS, key=lambda name: CARS[name].first) == "DSML"


def test_the_winner_depends_on_the_recall() -> None:
    found = of("multi_similarity.published_recalls")
    assert found["other_first"] == max(recall.first for recall in CUB.values()) > found["own_first"]
    assert found["own_second"] == max(recall.second for recall in CUB.values()) > found["other_second"]


def test_ranked_list_bounds_are_angles() -> None:
    found = of("ranked_list.unsquared")
    assert found["plain"] == pytest.approx(73.7, abs=0.05)
    assert found["squared"] == pytest.approx(66.4, abs=0.05)


def test_what_ranked_list_holds_constant_halves_its_gradient() -> None:
    found = of("ranked_list.ends")
    assert found["ends_times"] == pytest.approx(1.93, abs=0.1)
    assert found["all_times"] == pytest.approx(2.32, abs=0.1)
    assert 0.9 < found["all_cosine"] < found["ends_cosine"] < 0.99


def test_a_class_within_a_diameter_has_no_ranked_list_loss_and_within_that_radius_some() -> None:
    found = of("ranked_list.diameter")
    assert found["as_diameter"] == 0 < found["as_radius"]
    assert found["bound"] < found["apart"] < 2 * found["bound"]


def test_three_points_without_ranked_list_loss_need_a_larger_ball() -> None:
    found = of("ranked_list.diameter")
    assert found["three"] == 0
    assert found["ball"] == pytest.approx(2 / math.sqrt(3) * found["bound"])


def test_the_missing_mean_of_ranked_list_is_a_factor_of_the_batch() -> None:
    found = of("ranked_list.mean")
    assert found["times"] == pytest.approx(found["n"])
    assert found["length"] == pytest.approx(1)
    assert found["at_zero"] == 0 < found["idle"] < 1


def test_lifted_without_its_square_keeps_its_direction_and_loses_its_size() -> None:
    found = of("lifted.square")
    assert found["squared"] > 3 * found["plain"]
    assert found["shorter"] > 8
    assert found["cosine"] > 0.99


def test_the_wrong_sign_of_proxy_nca_sends_proxies_to_the_antipodes_and_retrieves_nearly_as_well() -> None:
    found = of("proxy_nca.sign")
    assert found["sum"] == pytest.approx(4 * found["length"] ** 2)
    assert found["difference"] < 1e-13
    assert found["wrong_cosine"] < -0.4 < 0.4 < found["right_cosine"]
    assert found["wrong_recall"] == pytest.approx(found["right_recall"], abs=0.02)
    assert found["apart"] / found["images"] == pytest.approx(found["right_recall"] - found["wrong_recall"])
    assert found["apart"] > 0, "where none is lost, it costs nothing"


def test_the_pull_of_proxy_nca_fades_only_with_the_positive_in_the_denominator() -> None:
    found = of("proxy_nca.denominator")
    assert found["out_pull"] == pytest.approx(1)
    assert found["out_value"] < 0 < found["in_value"] < 0.05
    assert found["in_gradient"] < 0.05 * found["out_gradient"]


def test_truncated_proxies_leave_half_of_the_samples_without_a_gradient() -> None:
    found = of("proxy_nca.few_proxies")
    assert 2 * found["idle"] == found["samples"] == 40
    assert found["without_recall"] < found["cut_recall"] < found["full_recall"] - 0.05


def test_inner_products_are_distances_on_the_sphere_alone_and_take_less_memory() -> None:
    found = of("proxy_nca.products")
    assert found["on_sphere"] < 1e-13
    assert found["off_sphere"] == pytest.approx(6.21)
    assert found["rewritten_memory"] == pytest.approx(0.02, abs=0.005)
    assert found["square_memory"] == pytest.approx(1.64, abs=0.005)


def test_a_clamp_on_inner_products_takes_half_of_the_gradients_and_the_loss_gets_stuck() -> None:
    found = of("proxy_nca.clamp")
    assert 0.4 < found["lost"] < 0.6
    assert found["stuck_loss"] > 10 * found["free_loss"]
    assert 0.8 < found["stuck_recall"] < min(found["free_recall"], found["right_recall"])


def test_proxy_anchor_divides_by_classes_present() -> None:
    found = of("proxy_anchor.means")
    assert found["times"] == found["samples"] / found["present"]
    assert found["wrong"] < found["right"]


def test_proxy_anchor_without_its_means_is_as_many_times_as_large_as_there_are_classes() -> None:
    found = of("proxy_anchor.without_means")
    assert found["value_times"] == pytest.approx(found["classes"])
    assert found["gradient_times"] == pytest.approx(found["classes"])
    assert found["cosine"] == pytest.approx(1)


def test_proxies_pull_with_a_minus_sign_and_the_farther_sample_more() -> None:
    found = of("proxy_nca.lost_minus_signs")
    assert found["own"] == pytest.approx(-1)
    assert found["others"] == pytest.approx(1)
    assert found["times"] == pytest.approx(found["expected"])
    assert found["times"] > 1


def test_weights_of_a_sample_add_up_to_zero_in_am_softmax_alone() -> None:
    found = of("proxy_anchor.softmax_axis")
    assert found["softmax_most"] < 1e-14
    assert found["anchor_least"] < -0.1 < 0.1 < found["anchor_most"]
    assert 0 < found["correlation"] < 0.9


def test_a_softmax_is_invariant_to_a_shift_and_proxy_anchor_is_not() -> None:
    found = of("proxy_anchor.common_shift")
    assert found["both"] == pytest.approx(found["doubled"], abs=1e-12)
    assert found["softmax_change"] < 1e-12
    assert found["anchor_change"] > 0.1


def test_the_value_of_circle_loss_is_least_where_its_gradient_still_pushes() -> None:
    found = of("circle.push_beyond_lowest_value")
    assert found["at_margin"] == pytest.approx(found["at_optimum"])
    assert found["at_margin"] == pytest.approx(math.log(2))
    assert found["lowest"] == 0
    assert found["at_lowest"] == pytest.approx(0.0067, abs=5e-5)
    assert found["at_further"] == pytest.approx(0.153, abs=5e-4)
    assert min(found["push_lowest"], found["push_beyond"]) > 0
    assert found["push_ended"] == 0
    assert found["least"] == 0


def test_a_sample_is_pulled_by_the_proxy_of_its_class_however_far() -> None:
    found = of("proxy_nca.assignment")
    assert found["pulled"] == found["samples"] > found["others"] > 0
    assert found["squared"] != pytest.approx(found["plain"], abs=0.01)
    assert found["cosine"] < 0.999


def test_every_pitfall_has_a_checked_claim() -> None:
    with open(__file__, encoding="utf-8") as source:
        named = set(re.findall(r'= of\("([\w.]+)"\)|\bof\("([\w.]+)"\)\[', source.read()))
    assert {name for pair in named for name in pair if name} == set(PITFALLS)
