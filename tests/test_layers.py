"""Imports point one way, the server's modules hold nothing that visitors could change, pages are named to be found."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# A part imports what stands behind it here, and what is not named here; what is not named imports none of these.
FROM_THE_TOP = ("export", "main", "ui", "press", "figures", "record", "engine", "training")
# At the very bottom: what a declaration, a mark or a message is.
AT_THE_BOTTOM = {"discovery", "geometry", "packing", "params"}
FIGURES_KNOW = {"figures", "geometry"}

PRODUCT = sorted((*ROOT.glob("*.py"), *ROOT.glob("dml_viz/**/*.py"), *ROOT.glob("pages/*.py")))
PACKAGE = [path for path in PRODUCT if path.is_relative_to(ROOT / "dml_viz")]
PARTS = {path.relative_to(ROOT / "dml_viz").with_suffix("").parts[0] for path in PACKAGE}
GROWS = {"list", "dict", "set", "bytearray", "deque", "defaultdict", "OrderedDict", "Counter"}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def part_of(path: Path) -> str:
    """The part of the package that a file belongs to: ``losses`` for dml_viz/losses/fastap.py."""
    return path.relative_to(ROOT / "dml_viz").with_suffix("").parts[0]


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), name_of(path))


def run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Every node that runs; imports for the type checker alone do not."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from run_nodes(child)


def imports(path: Path) -> set[str]:
    """What a file imports when it runs, as dotted names."""
    found: set[str] = set()
    for node in run_nodes(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name_of(path)}:{node.lineno} imports relatively; write the whole name"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def outside(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imports(path)} - {"dml_viz"}


def inside(path: Path) -> set[str]:
    """The parts of the package that a file imports; ``__version__`` and the like belong to no part."""
    return {
        parts[1]
        for name in imports(path)
        if (parts := name.split("."))[0] == "dml_viz" and not parts[1].startswith("__")
    }


def below(part: str) -> set[str]:
    """Of the parts named from the top, those that ``part`` may import."""
    return set(FROM_THE_TOP[FROM_THE_TOP.index(part) + 1 :]) if part in FROM_THE_TOP else set()


@pytest.mark.parametrize("path", PACKAGE, ids=name_of)
def test_imports_point_one_way(path: Path) -> None:
    part = part_of(path)
    others = inside(path) - {part}
    assert others <= PARTS, f"{name_of(path)} imports what is not there: {', '.join(others - PARTS)}"
    above = others & set(FROM_THE_TOP) - below(part)
    assert not above, f"{name_of(path)} imports {', '.join(above)} from above"
    if part in AT_THE_BOTTOM | {"__init__"}:
        assert others <= AT_THE_BOTTOM


def test_no_part_imports_another_in_a_circle() -> None:
    knows: dict[str, set[str]] = {part: set() for part in PARTS}
    for path in PACKAGE:
        knows[part_of(path)] |= inside(path) - {part_of(path)}
    try:
        TopologicalSorter(knows).prepare()
    except CycleError as error:
        pytest.fail(f"parts import each other: {' <- '.join(error.args[1])}")


@pytest.mark.parametrize("path", PACKAGE, ids=name_of)
def test_only_the_pages_and_what_frames_them_know_streamlit(path: Path) -> None:
    assert part_of(path) in ("ui", "main") or "streamlit" not in outside(path)


@pytest.mark.parametrize("path", [path for path in PACKAGE if part_of(path) == "figures"], ids=name_of)
def test_figures_take_arrays_and_know_no_tensor(path: Path) -> None:
    foreign = {name for name in outside(path) if name in ("torch", "sklearn", "scipy", "streamlit", "starlette")}
    assert not foreign
    assert inside(path) <= FIGURES_KNOW


@pytest.mark.parametrize("path", PRODUCT, ids=name_of)
def test_the_reference_implementation_is_for_tests_alone(path: Path) -> None:
    assert "pytorch_metric_learning" not in outside(path)


@pytest.mark.parametrize("path", PACKAGE, ids=name_of)
def test_no_module_holds_state_that_visitors_share(path: Path) -> None:
    tree = tree_of(path)
    changed = [node for node in ast.walk(tree) if isinstance(node, ast.Global)]
    assert not changed, f"{name_of(path)}:{changed[0].lineno} changes a module's name from inside a function"
    for node in tree.body:
        value = getattr(node, "value", None) if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if value is not None:
            assert not waits_to_be_filled(value), f"{name_of(path)}:{node.lineno} makes a container to be filled later"


def waits_to_be_filled(value: ast.expr) -> bool:
    """Whether an expression makes an empty container."""
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List):
        return not value.elts
    return (
        isinstance(value, ast.Call)
        and ast.unparse(value.func).split(".")[-1] in GROWS
        and not any(not isinstance(argument, ast.Name) for argument in value.args)
    )


@pytest.mark.parametrize("path", sorted((ROOT / "pages").glob("*.py")), ids=name_of)
def test_a_page_is_found_by_its_number_and_titled_by_its_docstring(path: Path) -> None:
    assert re.fullmatch(r"\d\d_[a-z][a-z0-9_]*\.py", path.name)
    title = (ast.get_docstring(tree_of(path)) or "").split("\n")[0]
    assert 0 < len(title) <= 40, f"{name_of(path)}: the first line of the docstring is the title, {title!r}"


def test_page_numbers_and_addresses_are_each_used_once() -> None:
    names = [path.stem.split("_", 1) for path in (ROOT / "pages").glob("*.py")]
    for column in zip(*names, strict=True):
        assert len(set(column)) == len(column)


@pytest.mark.parametrize(
    ("line", "fills"),
    [
        ("a = {}", True),
        ("a: list[int] = []", True),
        ("a = defaultdict(list)", True),
        ("a = collections.deque()", True),
        ("a = {'x': 1}", False),
        ("a = dict([('x', 1)])", False),
        ("a = discover(__name__, Loss)", False),
    ],
)
def test_an_empty_container_is_told_from_a_table(line: str, fills: bool) -> None:
    statement = ast.parse(line).body[0]
    assert isinstance(statement, (ast.Assign, ast.AnnAssign))
    assert statement.value is not None
    assert waits_to_be_filled(statement.value) == fills
