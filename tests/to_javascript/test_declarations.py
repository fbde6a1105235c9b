"""Typed dictionaries of Python, declared for TypeScript."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Literal, NotRequired, TypedDict

import pytest

from dml_viz.figure_files.spec import MARK, Recipe, Spec
from dml_viz.to_javascript.declarations import declarations


class Curve(TypedDict):
    """A curve."""

    x: list[float]
    kind: Literal["line", "step"]


class Picture(TypedDict):
    """Curves by name.

    The first is in front.
    """

    curves: Mapping[str, Curve]
    size: tuple[int, int] | None
    alt: NotRequired[str]


class Odd(TypedDict):
    when: complex


def test_a_dictionary_is_declared_behind_those_that_its_values_are_of() -> None:
    assert declarations([Picture], {"Drawable": Curve | Picture}).split("\n")[2:] == [
        "/** A curve. */",
        "interface Curve {",
        "  x: number[];",
        '  kind: "line" | "step";',
        "}",
        "/**",
        " * Curves by name.",
        " *",
        " * The first is in front.",
        " */",
        "interface Picture {",
        "  curves: Record<string, Curve>;",
        "  size: [number, number] | null;",
        "  alt?: string;",
        "}",
        "type Drawable = Curve | Picture;",
        "",
    ]


def test_what_json_has_no_values_of_is_not_declared() -> None:
    with pytest.raises(TypeError, match="complex"):
        declarations([Odd], {})


def test_a_recipe_is_declared_with_the_fields_of_a_spec() -> None:
    assert set(Recipe.__annotations__) == {MARK, *(each.name for each in fields(Spec))}
