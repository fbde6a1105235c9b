"""One Python expression as JavaScript with the meaning that Python gives it."""

import ast
import builtins
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
# The name of assets/src/losses/python.js; no name in Python can have a dollar sign, so no name of a loss hides it.
LIBRARY = "$"
OUT, IN, KEY = "$out", "$in", "$key"
ALIKE = (ast.Add, ast.Sub, ast.Div, ast.Pow, ast.FloorDiv, ast.Mod, ast.Lt, ast.Gt)  # operators that are called as here
OPERATORS: dict[type[ast.AST], str] = {kind: kind.__name__.lower() for kind in ALIKE}
OPERATORS |= {ast.Mult: "mul", ast.LtE: "le", ast.GtE: "ge"}
METHODS = {"append": "push", "items": "items", "keys": "keys", "tolist": "tolist", "values": "values"}
FIELDS = ("dtype", "eps", "shape")
# The named arguments that these functions may have, in the order in which the library takes them behind the others.
KEYWORDS = {"max": ("key",), "min": ("key",), "sorted": ("key", "reverse"), "zip": ("strict",)}
# Names that Python allows and JavaScript does not, and names that the translation itself writes.
RESERVED = (
    "arguments", "case", "catch", "const", "debugger", "default", "delete", "do", "enum", "eval", "export", "extends", "false",
    "function", "implements", "instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public",
    "static", "super", "switch", "this", "throw", "true", "typeof", "undefined", "var", "void", "Infinity", "Math",
)  # fmt: skip


def unreserved_name(name: str) -> str:
    """The name of a variable in JavaScript: ``name``, with ``$`` after it where JavaScript reserves the word."""
    return f"{name}$" if name in RESERVED else name


def assigned_names(target: ast.expr) -> Iterator[str]:
    """The variables that an assignment to ``target`` sets."""
    return (part.id for part in ast.walk(target) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))


class Expressions:
    """Writer of the expressions of a function that is defined in ``file``, whose module has the globals ``names``.

    ``variables`` are the names that the function assigns; ``javascript_of`` and ``attribute_name`` are as in `Translation`.
    """

    def __init__(
        self,
        file: str | None,
        names: Mapping[str, Any],
        variables: Set[str],
        javascript_of: Callable[[Any], str],
        attribute_name: Callable[[str], str] | None,
    ) -> None:
        self._file, self._names, self._variables = file, names, variables
        self._javascript_of, self._attribute_name = javascript_of, attribute_name

    def refusal(self, node: ast.AST, what: str = "") -> TypeError:
        what = what or f"{type(node).__name__} ({ast.unparse(node).splitlines()[0]})"
        line = getattr(node, "lineno", "?")
        file = "/".join(Path(self._file or "").parts[-2:])  # files that are handed on name no folder of this machine
        return TypeError(f"{file}:{line}: {what} has no translation to JavaScript; write the sums without it")

    def expression(self, node: ast.expr) -> str:
        """The expression in JavaScript; TypeError, naming file and line, for one that cannot be translated."""
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None as value):
                return json.dumps(value)
            case ast.Name(id=name) if name in self._variables:
                return unreserved_name(name)
            case ast.Name() | ast.Attribute():
                return self._named(node)
            case ast.BinOp(left=left, op=op, right=right):
                return f"{LIBRARY}.{self.library_function(node, op)}({self.expression(left)}, {self.expression(right)})"
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"{LIBRARY}.neg({self.expression(operand)})"
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return self.condition(node)
            case ast.BoolOp(values=parts) if all(isinstance(part, ast.Compare) for part in parts):
                return self.condition(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return f"({self.condition(test)} ? {self.expression(body)} : {self.expression(orelse)})"
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return f"[{', '.join(map(self._part, parts))}]"
            case ast.Dict(keys=keys, values=values):
                entries = (
                    f"[{self.expression(key)}, {self.expression(value)}]" if key else f"...{self.expression(value)}.items()"
                    for key, value in zip(keys, values, strict=True)
                )
                return f"{LIBRARY}.dict([{', '.join(entries)}])"
            case ast.ListComp(elt=element, generators=clauses) | ast.GeneratorExp(elt=element, generators=clauses):
                return self._gathered(clauses, "[]", lambda: f"{OUT}.push({self.expression(element)});")
            case ast.DictComp(key=key, value=value, generators=clauses):
                return self._gathered(
                    clauses, f"new {LIBRARY}.Dict()", lambda: f"{OUT}.set({self.expression(key)}, {self.expression(value)});"
                )
            case ast.Lambda(args=given, body=body):
                names = [arg.arg for arg in (*given.args, *((given.vararg,) if given.vararg else ()))]
                parameters = [unreserved_name(arg.arg) for arg in given.args]
                parameters += [f"...{unreserved_name(given.vararg.arg)}"] if given.vararg else []
                return f"(({', '.join(parameters)}) => {self.within(names, lambda: self.expression(body))})"
            case ast.Subscript():
                return self._subscript(node)
            case ast.Call():
                return self._call(node)
            case _:
                raise self.refusal(node)

    def _part(self, node: ast.expr) -> str:
        if isinstance(node, ast.Starred):
            return f"...{LIBRARY}.each({self.expression(node.value)})"
        return self.expression(node)

    def within(self, names: Iterable[str], write: Callable[[], T]) -> T:
        """The result of ``write``, called while ``names`` are variables, too."""
        before = self._variables
        self._variables = before | set(names)
        written = write()
        self._variables = before
        return written

    def _gathered(self, clauses: list[ast.comprehension], empty: str, add: Callable[[], str]) -> str:
        """A comprehension, whose first iterable is evaluated outside it, as in Python; a generator becomes a list."""
        first = self.expression(clauses[0].iter)
        names = [name for clause in clauses for name in assigned_names(clause.target)]

        def loops(left: list[ast.comprehension]) -> str:
            if not left:
                return add()
            clause, *rest = left
            over = IN if clause is clauses[0] else f"{LIBRARY}.each({self.expression(clause.iter)})"
            inner = loops(rest)
            for test in reversed(clause.ifs):
                inner = f"if ({self.condition(test)}) {inner}"
            return f"for (const {self.assignment_target(clause.target)} of {over}) {inner}"

        body = self.within(names, lambda: loops(clauses))
        return f"(({IN}) => {{ const {OUT} = {empty}; {body} return {OUT}; }})({LIBRARY}.each({first}))"

    def _subscript(self, node: ast.Subscript) -> str:
        of = self.expression(node.value)
        match node.slice:
            case ast.Slice(lower=low, upper=high, step=None):
                ends = [self.expression(end) if end else "undefined" for end in (low, high)]
                return f"{of}.slice({', '.join(ends)})"
            case ast.Tuple(elts=[ast.Slice(lower=None, upper=None, step=None), ast.Constant(value=None)]):
                return f"{of}.column()"
            case ast.Slice():
                raise self.refusal(node)
            case _:
                return f"{LIBRARY}.at({of}, {self.expression(node.slice)})"

    def _named(self, node: ast.expr) -> str:
        """A name or an attribute that is no variable of the function."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            with suppress(LookupError):
                if self._attribute_name:
                    return f"this.{self._attribute_name(node.attr)}"
            raise self.refusal(node)
        with suppress(LookupError):
            return self._javascript_of(self._thing(node))
        if isinstance(node, ast.Attribute) and node.attr == "__getitem__":
            return f"(({KEY}) => {LIBRARY}.at({self.expression(node.value)}, {KEY}))"
        if isinstance(node, ast.Attribute) and node.attr in FIELDS:
            return f"{self.expression(node.value)}.{node.attr}"
        raise self.refusal(node)

    def _thing(self, node: ast.expr) -> Any:
        """The object of a name or a dotted name in the function's module; LookupError where it has none."""
        match node:
            case ast.Name(id=name) if name not in self._variables:
                return self._names[name] if name in self._names else vars(builtins)[name]
            case ast.Attribute(value=of, attr=name):
                thing = self._thing(of)
                if hasattr(thing, name):
                    return getattr(thing, name)
        raise LookupError

    def _call(self, node: ast.Call) -> str:
        arguments = [self._part(argument) for argument in node.args]
        function = node.func
        # list[int]() is list()
        if isinstance(function, ast.Subscript) and isinstance(function.value, ast.Name):
            function = function.value
        if isinstance(function, ast.Attribute) and self._is_value(function.value):
            of = self.expression(function.value)
            if function.attr == "extend" and not node.keywords:
                return f"{LIBRARY}.extend({of}, {', '.join(arguments)})"
            if function.attr in METHODS and not node.keywords:
                return f"{of}.{METHODS[function.attr]}({', '.join(arguments)})"
            raise self.refusal(node)
        called = self.expression(function)
        name = called.removeprefix(f"{LIBRARY}.") if called.startswith(f"{LIBRARY}.") else ""  # of a function of the library
        several = len(arguments) > 1 or any(isinstance(argument, ast.Starred) for argument in node.args)
        if name in ("max", "min") and several:
            arguments = [f"[{', '.join(arguments)}]"]
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        allowed = KEYWORDS.get(name, ())
        if not set(named) <= set(allowed):
            raise self.refusal(node, f"a named argument of {ast.unparse(node)}")
        if named and name != "zip":
            arguments += [self.expression(named[key]) if key in named else "undefined" for key in allowed]
        return f"{called}({', '.join(arguments)})"

    def _is_value(self, node: ast.expr) -> bool:
        """Whether an expression is neither self nor a module or class."""
        if isinstance(node, ast.Name) and node.id == "self":
            return False
        with suppress(LookupError):
            self._thing(node)
            return False
        return True

    def condition(self, node: ast.expr) -> str:
        """A condition in JavaScript that is true where Python's is."""
        match node:
            case ast.BoolOp(op=op, values=parts):
                return f"({(' && ' if isinstance(op, ast.And) else ' || ').join(map(self.condition, parts))})"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!{self.condition(operand)}"
            case ast.Compare(left=left, ops=ops, comparators=others):
                compared = [self._comparison(node, *operands) for operands in zip((left, *others[:-1]), ops, others, strict=True)]
                return compared[0] if len(compared) == 1 else f"({' && '.join(compared)})"
            case _:
                return f"{LIBRARY}.truth({self.expression(node)})"

    def _comparison(self, node: ast.AST, left: ast.expr, op: ast.cmpop, right: ast.expr) -> str:
        a, b = self.expression(left), self.expression(right)
        match op:
            case ast.Eq() | ast.NotEq():
                return f"{'!' if isinstance(op, ast.NotEq) else ''}{LIBRARY}.eq({a}, {b})"
            case ast.In() | ast.NotIn():
                return f"{'!' if isinstance(op, ast.NotIn) else ''}{LIBRARY}.has({b}, {a})"
            case ast.Is() | ast.IsNot():
                return f"({a} {'!' if isinstance(op, ast.IsNot) else '='}== {b})"
            case _:
                return f"{LIBRARY}.{self.library_function(node, op)}({a}, {b})"

    def library_function(self, node: ast.AST, op: ast.AST) -> str:
        if type(op) not in OPERATORS:
            raise self.refusal(node)
        return OPERATORS[type(op)]

    def assignment_target(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return unreserved_name(name)
            case ast.Tuple(elts=parts):
                return f"[{', '.join(map(self.assignment_target, parts))}]"
            case _:
                raise self.refusal(node)
