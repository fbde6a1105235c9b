"""Functions of pairs turned into functions of the tensors that they ask pairs for."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from dml_viz.to_pytorch.rewriting import Text, function_of, header_end, local_names, rewritten

LONGEST_LINE = 100
LEARNT = "learnt."


class Spreading:
    """Functions by name, some with a parameter of type Pairs; ``order`` is the order of what pairs can be asked for."""

    def __init__(self, functions: Mapping[str, str], order: Iterable[str]) -> None:
        self._sources = functions
        self._trees = {name: function_of(source) for name, source in functions.items()}
        self._order = list(order)

    def asks(self, name: str) -> tuple[str, ...]:
        """What function ``name`` asks its pairs for, itself or through others; a learnt tensor begins with ``LEARNT``."""
        found = {wanted for wanted, _ in self._uses(name)}
        return tuple(sorted(found, key=lambda ask: (ask in self._order and self._order.index(ask), ask)))

    def names(self, name: str) -> dict[str, str]:
        """What function ``name`` calls each of these; not as a local name that it binds before it last asks."""
        tree = self._trees[name]
        uses = self._uses(name)
        places = {ask: [at for other, at in uses if other == ask] for ask in self.asks(name)}
        return {ask: _free(ask.removeprefix(LEARNT), tree, asked) for ask, asked in places.items()}

    def function(self, name: str, called: Mapping[str, str] | None = None) -> str:
        """The source of function ``name`` without pairs: the tensors are its parameters, or what ``called`` calls them."""
        names = {**self.names(name), **(called or {})}
        tree, pairs = self._trees[name], self.parameter(name)

        def replace(node: ast.AST, text: Text) -> str | None:
            ask = _asked(node, pairs)
            if ask:
                return names[ask]
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self._sources:
                return self._call(node, node.func.id, names, pairs, text)
            return None

        source = rewritten(self._sources[name], replace)
        if pairs is None:
            return source
        lines = source.splitlines()
        return "\n".join([*self._header(tree), *lines[header_end(tree) :]]) + "\n"

    def parameter(self, name: str) -> str | None:
        """The name of the parameter of type Pairs."""
        marked = (
            arg.arg for arg in self._trees[name].args.args if arg.annotation and ast.unparse(arg.annotation) == "Pairs"
        )
        return next(marked, None)

    def _uses(self, name: str) -> list[tuple[str, tuple[int, int]]]:
        """What function ``name`` asks pairs for, and where."""
        pairs, uses, passed = self.parameter(name), [], 0
        if pairs is None:
            return []
        for node in ast.walk(self._trees[name]):
            at = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
            if ask := _asked(node, pairs):
                uses.append((ask, at))
            if isinstance(node, ast.Call) and any(_is(argument, pairs) for argument in node.args):
                if not isinstance(node.func, ast.Name) or node.func.id not in self._sources:
                    raise TypeError(
                        f"{name} hands its pairs to {ast.unparse(node.func)}, which is no function of a loss"
                    )
                passed += 1
                uses += [(ask, at) for ask in self.asks(node.func.id)]
        mentioned = sum(_is(node, pairs) for node in ast.walk(self._trees[name]))
        own = sum(_asked(node, pairs) is not None for node in ast.walk(self._trees[name]))
        if mentioned != own + passed:
            raise TypeError(f"{name} does more with its pairs than to ask them and to hand them on")
        return uses

    def _call(self, node: ast.Call, called: str, names: Mapping[str, str], pairs: str | None, text: Text) -> str | None:
        if not any(_is(argument, pairs) for argument in node.args):
            return None
        spelled: list[str] = []
        for argument in node.args:
            spelled += [names[ask] for ask in self.asks(called)] if _is(argument, pairs) else [text(argument)]
        spelled += [text(keyword) for keyword in node.keywords]
        return f"{called}({', '.join(spelled)})"

    def _header(self, tree: ast.FunctionDef) -> list[str]:
        names, pairs, parameters = self.names(tree.name), self.parameter(tree.name), []
        for arg in tree.args.args:
            spread = [f"{names[ask]}: Tensor" for ask in self.asks(tree.name)]
            parameters += spread if arg.arg == pairs else [ast.unparse(arg)]
        if tree.args.kwonlyargs:
            parameters += ["*", *map(ast.unparse, tree.args.kwonlyargs)]
        returns = f" -> {ast.unparse(tree.returns)}" if tree.returns else ""
        line = f"def {tree.name}({', '.join(parameters)}){returns}:"
        if len(line) <= LONGEST_LINE:
            return [line]
        return [f"def {tree.name}(", f"    {', '.join(parameters)},", f"){returns}:"]


def _is(node: ast.AST, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _asked(node: ast.AST, pairs: str | None) -> str | None:
    """What ``node`` asks pairs for: "d" for pairs.d, "learnt.beta" for pairs.learnt["beta"]."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "learnt":
        held = isinstance(node.slice, ast.Constant) and _is(node.value.value, pairs)
        return f"{LEARNT}{ast.literal_eval(node.slice)}" if held else None
    return node.attr if isinstance(node, ast.Attribute) and _is(node.value, pairs) and node.attr != "learnt" else None


def _free(name: str, tree: ast.FunctionDef, asked: list[tuple[int, int]]) -> str:
    """``name``, or another where the function would by then mean something else by it."""
    if any(arg.arg == name for arg in (*tree.args.args, *tree.args.kwonlyargs)):
        return f"pairs_{name}"
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) or _trivial(node, name):
            continue
        again = any(loop.lineno <= node.lineno <= (loop.end_lineno or 0) for loop in loops)
        end = (node.end_lineno or 0, node.end_col_offset or 0)
        if _binds(node, name) and (again or any(at > end for at in asked)):
            return f"pairs_{name}"
    elsewhere = (node for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension))
    return f"pairs_{name}" if any(name in local_names(node.target) for node in elsewhere) else name


def _binds(node: ast.Assign | ast.AugAssign | ast.AnnAssign, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(name in local_names(target) for target in targets)


def _trivial(node: ast.AST, name: str) -> bool:
    """Whether an assignment gives ``name`` what pairs call so, be it as one of several."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    target, value = node.targets[0], node.value
    both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
    sides = zip(target.elts, value.elts, strict=True) if both else [(target, value)]  # type: ignore[attr-defined]
    return any(_is(left, name) and isinstance(right, ast.Attribute) and right.attr == name for left, right in sides)
