import math
from dataclasses import FrozenInstanceError, dataclass, replace
from typing import Any

import numpy as np
import pytest

from dml_viz.params import Declared, Domain, Param, knobs, param, params, training_params
from tests.corners import corners, few_corners, meetings
from tests.samples import for_each


@dataclass(frozen=True)
class Example(Declared):
    """One knob of every kind."""

    bins: int = param(10, "intervals", "B", domain="[1, 1000]", slider=(4, 100, 1))
    margin: float = param(0.2, "margin", "m", domain="(0, 4)", slider=(0.1, 1, 0.1))
    squared: bool = param(True, "squared distances", "d^2", training=False)
    mining: str = param("all", "which", choices=("all", "hard"))
    dim: int = param(3, "dimension", "d", choices=(2, 3, 8))
    rate: float = param(1.0, "a number without a slider")
    note: str = "no knob"


def knob(name: str) -> Param:
    return {knob.name: knob for knob in params(Example)}[name]


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("[1, 1000]", (1, 1000, 2.5), (0.999, 1000.1, math.nan)),
        ("(0, inf)", (1e-300, 1e300), (0, -1, math.inf)),
        ("(-inf, 0]", (0, -5), (1e-9, -math.inf)),
        ("[-0.5,1e-2)", (-0.5, 0), (0.01, -0.51)),
    ],
)
def test_an_interval_reads_as_mathematics_writes_it(text: str, inside: tuple[float, ...], outside: tuple[float, ...]) -> None:
    domain = Domain.parse(text)
    assert all(value in domain for value in inside)
    assert not any(value in domain for value in outside)


def test_an_interval_writes_itself_with_the_sign_for_infinity() -> None:
    assert str(Domain.parse("(0, inf)")) == "(0, ∞)"
    assert str(Domain.parse("[-1.5,2]")) == "[-1.5, 2]"


@for_each("text", ["", "0, 1", "[0, 1", "(a, b)", "[1]", "[1, 2, 3]", "[1; 2]"])
def test_an_invalid_interval_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no interval"):
        Domain.parse(text)


def test_a_declared_object_takes_the_values_of_its_domains() -> None:
    declared = Example(bins=1, margin=3.999, squared=False, mining="hard", dim=8, rate=-1e9)
    assert knobs(declared) == {"bins": 1, "margin": 3.999, "squared": False, "mining": "hard", "dim": 8, "rate": -1e9}
    assert hash(declared) == hash(replace(declared))
    assert Example(margin=1).margin == 1
    of_numpy: Any = np.int64(5)
    assert Example(bins=of_numpy, margin=np.float64(0.5)).bins == 5


@for_each(
    ("name", "value", "names"),
    [
        ("bins", 0, "a whole number in [1, 1000] (default 10)"),
        ("bins", 1001, "[1, 1000]"),
        ("bins", 10.0, "a whole number"),
        ("bins", True, "a whole number"),
        ("bins", "10", "a whole number"),
        ("bins", None, "a whole number"),
        ("margin", 0.0, "(0, 4)"),
        ("margin", 4, "(0, 4)"),
        ("margin", math.nan, "(0, 4)"),
        ("rate", math.inf, "(-∞, ∞)"),
        ("squared", 1, "on or off (default True)"),
        ("squared", "true", "on or off"),
        ("mining", "soft", "all, hard (default all)"),
        ("mining", 0, "all, hard"),
        ("dim", 4, "2, 3, 8"),
        ("dim", 2.0, "2, 3, 8"),
    ],
)
def test_a_value_outside_its_domain_is_refused_by_name_range_and_default(name: str, value: Any, names: str) -> None:
    with pytest.raises(ValueError, match="Example: ") as refused:
        Example(**{name: value})
    message = str(refused.value)
    assert f"{name} = {value!r} is not allowed" in message
    assert names in message
    with pytest.raises(ValueError, match="is not allowed"):
        replace(Example(), **{name: value})


def test_a_declared_object_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Example().bins = 5  # type: ignore[misc]


@for_each(
    ("name", "text", "value"),
    [
        ("bins", "25", 25),
        ("bins", "25.0", 25),
        ("margin", "0.5", 0.5),
        ("margin", "1", 1.0),
        ("squared", "False", False),
        ("squared", "on", True),
        ("mining", "hard", "hard"),
        ("dim", "8", 8),
        ("rate", "-1e3", -1000.0),
        ("rate", "−1e3", -1000.0),
    ],
)
def test_a_link_gives_the_value_that_it_writes(name: str, text: str, value: Any) -> None:
    read = knob(name).read(text)
    assert read == value
    assert type(read) is type(value)


@for_each("name", [knob.name for knob in params(Example)])
def test_a_link_gives_back_every_end_of_a_control(name: str) -> None:
    for end in (*knob(name).ends, knob(name).default):
        assert knob(name).read(str(end)) == end


@for_each(
    ("name", "text", "names"),
    [
        ("bins", "2", "not allowed in a link; choose 4 to 100 (default 10)"),
        ("bins", "5000", "not allowed in a link; choose 4 to 100"),
        ("bins", "10.5", "choose 4 to 100, a whole number (default 10)"),
        ("bins", "ten", "choose 4 to 100, a whole number (default 10)"),
        ("bins", "inf", "choose 4 to 100"),
        ("bins", "", "whole number"),
        ("margin", "nan", "choose 0.1 to 1"),
        ("margin", "wide", "choose 0.1 to 1"),
        ("margin", "2", "not allowed in a link; choose 0.1 to 1"),
        ("squared", "perhaps", "on or off"),
        ("mining", "ALL", "all, hard"),
        ("dim", "4", "2, 3, 8"),
        ("rate", "1e999", "(-∞, ∞)"),
    ],
)
def test_a_link_out_of_range_gets_a_sentence(name: str, text: str, names: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} = ") as refused:
        knob(name).read(text)
    assert names in str(refused.value)


def test_knobs_come_in_order_and_other_fields_are_none() -> None:
    assert [knob.name for knob in params(Example)] == ["bins", "margin", "squared", "mining", "dim", "rate"]
    assert params(Example()) == params(Example)


def test_a_run_takes_the_defaults_of_training() -> None:
    assert {knob.name: knob.default for knob in training_params(Example)} == knobs(Example()) | {"squared": False}
    assert training_params(Example()) == training_params(Example)


def test_corners_are_every_combination_of_ends_and_all_are_allowed() -> None:
    found = list(corners(Example))
    assert len(found) == 2 * 2 * 2 * 2 * 3
    assert len({tuple(corner.items()) for corner in found}) == len(found)
    assert {corner["bins"] for corner in found} == {4, 100}
    assert {corner["rate"] for corner in found} == {1.0}
    for corner in found:
        Example(**corner)


def test_few_corners_let_any_two_ends_meet() -> None:
    few = list(few_corners(Example))
    assert len(few) < 10
    assert {pair for corner in few for pair in meetings(corner)} == {
        pair for corner in corners(Example) for pair in meetings(corner)
    }


@for_each(
    "declaration",
    [
        {"default": 0, "domain": "[1, 9]"},
        {"default": 5, "domain": "[1, 9]", "slider": (0, 9)},
        {"default": 5, "domain": "[1, 9]", "slider": (1, 10)},
        {"default": "c", "choices": ("a", "b")},
        {"default": 1, "choices": (1, 2.0)},
        {"default": 0.5, "domain": "0 to 1"},
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(declaration: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"not allowed|no interval"):
        param(symbol="x", meaning="x", **declaration)
