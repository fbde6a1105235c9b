"""Imports point one way, the server's modules have no state that visitors could change, and pages have names for links."""

import ast
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.samples import for_each

ROOT = Path(__file__).parents[1]

# From the roof to the cellar: a part imports parts on lower floors only.
FLOORS = (
    {"__main__"},
    {"export"},
    {"explain"},
    {"app"},
    {"serve"},
    {"room"},
    {"figure_files"},
    {"engine"},
    {"plot"},
    {"to_javascript", "to_pytorch", "pitfalls"},
    {"analysis"},
    {"training"},
    {"data"},
    {"losses"},
    {"embedding"},
    {"params", "registry", "assets"},
    {"threads"},
)
SERVED = ("app", "engine", "explain", "figure_files", "room", "serve", "to_javascript")  # what threads of visitors call
PRODUCT = sorted((*ROOT.glob("*.py"), *ROOT.glob("dml_viz/**/*.py"), *ROOT.glob("pages/*.py")))
PACKAGE = [path for path in PRODUCT if path.is_relative_to(ROOT / "dml_viz")]
PARTS = {path.relative_to(ROOT / "dml_viz").with_suffix("").parts[0] for path in PACKAGE}
GROWS = {"list", "dict", "set", "bytearray", "deque", "defaultdict", "OrderedDict", "Counter"}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def part_of(path: Path) -> str:
    """The part of the package that a file belongs to: ``losses`` for dml_viz/losses/fastap.py."""
    return path.relative_to(ROOT / "dml_viz").with_suffix("").parts[0]


def of_each(paths: Iterable[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """One test of all ``paths`` that names every path that breaks the decorated rule."""
    every = tuple(paths)

    def tested(rule: Callable[[Path], None]) -> Callable[[], None]:
        def test() -> None:
            broken = []
            for path in every:
                try:
                    rule(path)
                except AssertionError as error:
                    broken.append(f"{name_of(path)}: {error}")
            assert every
            assert not broken, "\n".join(broken)

        return test

    return tested


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), name_of(path))


def run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run, so no imports for the type checker alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from run_nodes(child)


@functools.cache
def imports(path: Path) -> set[str]:
    """The dotted names that a file imports when it runs."""
    nodes = list(run_nodes(tree_of(path)))
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name_of(path)}:{node.lineno} imports relatively; write the whole name"
    return names_imported(nodes)


def names_imported(nodes: Iterable[ast.AST]) -> set[str]:
    """The dotted names that import statements among ``nodes`` name."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def outside(path: Path) -> set[str]:
    """The top-level packages that a file imports from elsewhere, inside functions or by name, too."""
    return {name.split(".")[0] for name in imports(path) | named(path)} - {"dml_viz"}


def inside(path: Path) -> set[str]:
    """The parts of the package that a file imports; ``__version__`` and the like belong to no part."""
    return {parts[1] for name in imports(path) if (parts := name.split("."))[0] == "dml_viz" and not parts[1].startswith("__")}


def floor_of(part: str) -> int:
    """The floor of a part, counted from the roof."""
    return next(number for number, parts in enumerate(FLOORS) if part in parts)


def room_of(path: Path) -> str:
    """The room of explain/ that a file belongs to; empty elsewhere."""
    parts = path.relative_to(ROOT / "dml_viz").parts
    return parts[1] if parts[0] == "explain" and len(parts) > 2 else ""


@of_each(PACKAGE)
def test_imports_point_one_way(path: Path) -> None:
    part = part_of(path)
    others = inside(path) - {part}
    assert others <= PARTS, f"{name_of(path)} imports what is not there: {', '.join(others - PARTS)}"
    if part == "__init__":
        assert not others
        return
    above = {other for other in others if floor_of(other) <= floor_of(part)}
    assert not above, f"{name_of(path)} imports {', '.join(above)} from above or beside"


@of_each(path for path in PACKAGE if room_of(path))
def test_a_room_imports_no_room(path: Path) -> None:
    rooms = {name.split(".")[2] for name in imports(path) if name.startswith("dml_viz.explain.")}
    assert rooms <= {room_of(path)}


@of_each(PACKAGE)
def test_only_the_app_and_the_controls_cards_and_pages_of_rooms_know_streamlit(path: Path) -> None:
    may = part_of(path) == "app" or (room_of(path) and path.name.startswith(("controls", "card", "page")))
    assert may or "streamlit" not in outside(path)


@of_each(path for path in PACKAGE if room_of(path) and not path.name.startswith(("controls", "card", "page")))
def test_of_a_room_only_its_controls_cards_and_page_know_the_app(path: Path) -> None:
    assert "app" not in inside(path)


@of_each(PACKAGE)
def test_only_what_is_served_knows_the_web_server(path: Path) -> None:
    assert part_of(path) == "serve" or "starlette" not in outside(path)


def children(folder: str) -> dict[str, set[str]]:
    """The files and folders of ``folder``, each with those of them that it imports, in functions, for types or by name, too."""
    depth = folder.count(".") + 1
    graph: dict[str, set[str]] = {}
    for path in PACKAGE:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if name.startswith(f"{folder}."):
            others = named_anywhere(path)
            below = {other.split(".")[depth] for other in others if other.startswith(f"{folder}.")}
            graph.setdefault(name.split(".")[depth], set()).update(below - {name.split(".")[depth]})
    return {child: below & graph.keys() for child, below in graph.items()}


@functools.cache
def named_anywhere(path: Path) -> frozenset[str]:
    """The dotted names that a file imports anywhere, for types or by name, too."""
    return frozenset(names_imported(ast.walk(tree_of(path))) | named(path))


@functools.cache
def named(path: Path) -> set[str]:
    """The modules that a file imports by a name that it writes out."""
    calls = (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call) and node.args)
    called = ((getattr(call.func, "attr", getattr(call.func, "id", "")), call.args[0]) for call in calls)
    return {str(name.value) for call, name in called if call == "import_module" and isinstance(name, ast.Constant)}


FOLDERS = sorted({".".join(path.relative_to(ROOT).parent.parts) for path in PACKAGE})


@for_each("folder", FOLDERS)
def test_the_children_of_a_folder_import_each_other_in_no_circle(folder: str) -> None:
    TopologicalSorter(children(folder)).prepare()  # raises CycleError, which names a circle


@of_each(path for path in PACKAGE if room_of(path) and path.name.startswith("model"))
def test_a_model_draws_nothing(path: Path) -> None:
    assert not {"plotly", "streamlit", "starlette"} & outside(path)


DRAWS = [path for path in PACKAGE if part_of(path) == "plot" or (room_of(path) and path.parent.name == "figures")]


@of_each(DRAWS)
def test_figures_know_no_tensor_and_of_their_room_only_its_model(path: Path) -> None:
    assert not {"torch", "sklearn", "scipy", "streamlit", "starlette"} & outside(path)
    assert inside(path) <= {"plot", "explain", "registry"}
    room = f"dml_viz.explain.{room_of(path)}"
    own = (f"{room}.figures", f"{room}.model")
    assert all(name.startswith(own) for name in imports(path) if name.startswith("dml_viz.explain."))


@of_each(PRODUCT)
def test_the_reference_implementation_is_for_tests_alone(path: Path) -> None:
    assert "pytorch_metric_learning" not in outside(path)


@of_each(PACKAGE)
def test_no_module_holds_state_that_visitors_share(path: Path) -> None:
    tree = tree_of(path)
    changed = [node for node in ast.walk(tree) if isinstance(node, ast.Global)]
    assert not changed, f"{name_of(path)}:{changed[0].lineno} changes a module's name from inside a function"
    for node in tree.body:
        value = getattr(node, "value", None) if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if value is not None:
            assert not waits_to_be_filled(value), f"{name_of(path)}:{node.lineno} makes a container to be filled later"


@of_each(path for path in PACKAGE if part_of(path) in SERVED)
def test_what_a_server_has_once_is_made_once(path: Path) -> None:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef) and not any(ast.iter_child_nodes(node.args)):
            caches = [each for each in node.decorator_list if re.match(r"(functools\.)?(lru_)?cache\b", ast.unparse(each))]
            assert not caches, f"line {node.lineno}: threads that ask together each get their own; write @once"


@of_each(path for path in PRODUCT if path.name != "tab.py")
def test_the_keys_of_the_session_are_declared_in_one_module(path: Path) -> None:
    """Other files get at the session by `dml_viz.app.tab`, or by the key of a control that they are given."""
    tree = tree_of(path)
    texts = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and (isinstance(node.value, ast.JoinedStr) or is_text(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for key in session_keys(tree):
        name = key.id if isinstance(key, ast.Name) else getattr(key, "attr", "")
        declared = isinstance(key, ast.JoinedStr) or is_text(key) or name in texts or (name and name.upper() == name)
        assert not declared, f"line {key.lineno}: {ast.unparse(key)} is a key of the session; declare it in dml_viz/app/tab.py"


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def session_keys(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that are keys of Streamlit's session."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and is_session(node.value):
            yield node.slice
        elif isinstance(node, ast.Compare) and is_session(node.comparators[-1]):
            yield node.left
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_session(node.func.value) and node.args:
            yield from node.args[0].keys if isinstance(node.args[0], ast.Dict) else [node.args[0]]  # type: ignore[misc]


def is_session(node: ast.AST) -> bool:
    return ast.unparse(node).endswith("session_state")


@pytest.mark.parametrize(
    "line",
    [
        "st.session_state['a']",
        "st.session_state[KEY] = 1",
        "st.session_state.get(f'{x}.a')",
        "'a' in st.session_state",
        "st.session_state.update({'a': 1})",
    ],
)
def test_a_key_of_the_session_is_seen_however_it_is_written(line: str) -> None:
    assert len(list(session_keys(ast.parse(line)))) == 1


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


@of_each(sorted((ROOT / "pages").glob("*.py")))
def test_a_page_is_found_by_its_number_and_titled_by_its_docstring(path: Path) -> None:
    assert re.fullmatch(r"\d\d_[a-z][a-z0-9_]*\.py", path.name)
    title = (ast.get_docstring(tree_of(path)) or "").split("\n")[0]
    assert 0 < len(title) <= 40, f"{name_of(path)}: the first line of the docstring is the title, {title!r}"


@of_each(sorted((ROOT / "pages").glob("*.py")))
def test_a_file_of_a_page_titles_it_and_draws_it_from_its_room(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 12, f"{name_of(path)} has {len(lines)} lines; what draws the page is page.py of its room"


def test_page_numbers_and_addresses_are_each_used_once() -> None:
    names = [path.stem.split("_", 1) for path in (ROOT / "pages").glob("*.py")]
    for column in zip(*names, strict=True):
        assert len(set(column)) == len(column)


@for_each(
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
def test_an_empty_container_is_distinguished_from_a_table(line: str, fills: bool) -> None:
    statement = ast.parse(line).body[0]
    assert isinstance(statement, (ast.Assign, ast.AnnAssign))
    assert statement.value is not None
    assert waits_to_be_filled(statement.value) == fills
