"""All the Python that a page's model and sentences read, as one module of JavaScript.

From the classes, the attributes that some translated code reads are translated alone, until nothing new is read.
"""

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from functools import cached_property
from types import FunctionType
from typing import Any

import numpy as np
from torch import Tensor

from dml_viz.losses import Loss
from dml_viz.params import Declared, params
from dml_viz.registry import name_of
from dml_viz.to_javascript.expressions import LIBRARY, unreserved_name
from dml_viz.to_javascript.room_constants import constant, field_value
from dml_viz.to_javascript.room_expressions import literal
from dml_viz.to_javascript.room_translation import RoomTranslation
from dml_viz.to_javascript.translation import STEP
from dml_viz.to_javascript.written import WRITTEN

PACKAGE = "dml_viz."
# What losses compute with torch alone; the browser has it from their `by_hand`.
BY_TORCH = (
    "can_evaluate_from_weights", "check_batch", "evaluate", "gradients", "gradients_of_pairs", "gradients_of_weights",
    "learnt_slopes", "of_pairs", "of_rows", "unchecked_value", "value", "value_and_weights", "weights",
)  # fmt: skip


class RoomGathering:
    """The functions, classes and constants that were asked for, in JavaScript; ``instead`` has others in the place of some."""

    def __init__(self, instead: Mapping[Any, Any]) -> None:
        self._instead = instead
        self._functions: dict[Any, str] = {}
        self._texts: dict[str, str] = {}  # of functions, by name
        self._classes: dict[type, dict[str, str]] = {}  # the members of each, by name
        self._constants: dict[int, tuple[str, str, Any]] = {}  # by the identity of what they are of, which is stored with them
        self._made: dict[type, str] = {}  # the constructors of data classes
        self._read: set[str] = set()  # the names of attributes
        self._names: set[str] = set()

    def note_attribute(self, name: str) -> str:
        """Note that the attribute ``name`` is read, and return its name in JavaScript."""
        self._read.add(name)
        return unreserved_name(name) if name in ("constructor", "prototype") else name

    def method(self, name: str) -> FunctionType | None:
        """The method with this name of one of the classes; None where there is none."""
        declared = (vars(kind).get(name) for kind in self._classes)
        return next((function for function in declared if isinstance(function, FunctionType)), None)

    def javascript_of(self, thing: Any) -> str:
        """The JavaScript of a thing that Python code has by a name; LookupError where there is none."""
        if thing is None or isinstance(thing, bool | int | float | str):
            return literal(thing)
        if isinstance(thing, tuple | list | Mapping | Set | np.ndarray | Tensor | re.Pattern) or (
            dataclasses.is_dataclass(thing) and not isinstance(thing, type)
        ):
            return self._constant(thing)
        other: Any = None
        with suppress(TypeError):  # what has no hash is in neither
            other = self._instead.get(thing, WRITTEN.get(thing))
        if other is not None:
            return other if isinstance(other, str) else self.javascript_of(other)
        if str(getattr(thing, "__module__", "")).startswith(PACKAGE):
            if hasattr(thing, "__wrapped__"):
                return self.javascript_of(thing.__wrapped__)
            if isinstance(thing, FunctionType):
                return self._function(thing)
            if isinstance(thing, type):
                return self.class_name(thing)
        raise LookupError(repr(thing))

    def finish(self) -> str:
        """The text of all, once every class has the members that are read."""
        late: list[str] = []
        done = -1
        while done != (done := len(self._read) + sum(map(len, self._classes.values())) + len(self._classes)):
            for kind in list(self._classes):
                self._fill(kind)
            late = [text for kind in list(self._classes) for text in self._late(kind)]
        classes = [self._written(kind) for kind in sorted(self._classes, key=lambda kind: len(kind.__mro__))]
        constants = [f"const {name} = {text};\n" for name, text, _ in self._constants.values()]
        return "\n".join((*self._texts.values(), *classes, "".join((*constants, *late))))

    def loss_class_names(self) -> Iterator[tuple[str, str]]:
        """The name in links and the name of the JavaScript class, for each loss among the classes."""
        for kind, name in self._functions.items():
            if isinstance(kind, type) and issubclass(kind, Loss) and not kind.__abstractmethods__:
                yield name_of(kind()), name

    def _named(self, module: str, name: str) -> str:
        """A name of its own in the module."""
        plain = "".join(letter if letter.isalnum() or letter == "_" else "$" for letter in name)
        first = f"{module.removeprefix(PACKAGE).rpartition('.')[2]}${plain.replace('$lambda$', 'lambda')}"
        name, number = first, 1
        while name in self._names:
            name, number = f"{first}${number}", number + 1
        self._names.add(name)
        return name

    def _function(self, function: FunctionType) -> str:
        if "streamlit" in function.__code__.co_names:
            return "null"  # it draws a page's own control
        if function not in self._functions:
            name = self._functions[function] = self._named(function.__module__, function.__name__)
            try:
                translation = RoomTranslation(function, self)
            except TypeError:
                del self._functions[function]  # so that whoever asks again is refused, too
                raise
            self._texts[name] = f"function{'*' if translation.yields else ''} {name}{translation.parameters_and_body()}"
        return self._functions[function]

    def _constant(self, thing: Any) -> str:
        if id(thing) not in self._constants:
            name = self._named("constant", type(thing).__name__)
            self._constants[id(thing)] = name, constant(thing, self), thing
        return self._constants[id(thing)][0]

    def class_name(self, kind: type) -> str:
        """The name of a class in JavaScript."""
        if kind not in self._classes:
            self._functions[kind] = self._named(kind.__module__, kind.__name__)
            self._classes[kind] = {}
            for base in _bases(kind):
                self.class_name(base)
            self._made[kind] = self._knobs(kind) if issubclass(kind, Loss) else self._fields(kind)
        return self._functions[kind]

    def _fill(self, kind: type) -> None:
        members = self._classes[kind]
        for name, declared in vars(kind).items():
            wanted = name in self._read or name in ("__init__", "by_hand", "__contains__")
            if name in members or not wanted or (issubclass(kind, Loss) and name in BY_TORCH):
                continue
            if name == "__init__" and "__dataclass_fields__" in vars(kind):
                continue
            members[name] = ""  # set first, because the function may read itself
            try:
                members[name] = self._member_text(name, declared)
            except TypeError as error:
                members[name] = f"{STEP}get {name}() {{\n{STEP * 2}throw {LIBRARY}.error({json.dumps(str(error))});\n{STEP}}}\n"

    def _member_text(self, name: str, declared: Any) -> str:
        function, head = declared, ""
        if isinstance(declared, property):
            function, head = declared.fget, "get "
        elif isinstance(declared, cached_property):
            function, head = declared.func, "get "
        elif isinstance(declared, classmethod | staticmethod):
            function, head = declared.__func__, "static "
        while hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        if not isinstance(function, FunctionType):
            return ""
        called = {"__init__": "constructor", "__contains__": "contains"}.get(name, name)
        if function in self._instead:
            return f"{STEP}{head}{called}{self._instead[function]}\n"
        translation = RoomTranslation(function, self)
        if isinstance(declared, cached_property):
            indented = [STEP + line for line in translation.body]
            translation.body = [f"return {LIBRARY}.once(this, {json.dumps(name)}, () => {{", *indented, "});"]
        if name == "__init__":
            translation.body.insert(0, "super();")
        return f"{STEP}{head}{'*' if translation.yields else ''}{called}{translation.parameters_and_body(STEP)}"

    def _written(self, kind: type) -> str:
        plain = f"{LIBRARY}.{'Loss' if issubclass(kind, Loss) else 'Thing'}"
        base = next((self.class_name(base) for base in _bases(kind)), plain)
        members = "\n".join(filter(None, self._classes[kind].values()))
        return f"class {self._functions[kind]} extends {base} {{\n{self._made[kind]}{members}}}\n"

    def _knobs(self, kind: type[Loss]) -> str:
        if getattr(kind.by_hand, "__isabstractmethod__", False):
            return ""
        return f"{STEP}static knobs = {json.dumps(kind().in_browser)};\n\n"

    def _fields(self, kind: Any) -> str:
        """The constructor of a data class or a named tuple."""
        if "__dataclass_fields__" in vars(kind):
            fields = [field for field in dataclasses.fields(kind) if field.init]
            defaults = {field.name: self._default(field) for field in fields}
        elif "_fields" in vars(kind):
            known, names = kind._field_defaults, kind._fields
            defaults = {name: self.javascript_of(known[name]) if name in known else "" for name in names}
        else:
            return ""
        given = ", ".join(unreserved_name(name) + (f" = {text}" if text else "") for name, text in defaults.items())
        sets = "".join(f"{STEP * 2}this.{name} = {unreserved_name(name)};\n" for name in defaults)
        listed = f"{STEP}static fields = {json.dumps(list(defaults))};\n\n"
        return f"{listed}{STEP}constructor({given}) {{\n{STEP * 2}super();\n{sets}{STEP}}}\n\n"

    def _default(self, field: Any) -> str:
        if field.default is not dataclasses.MISSING:
            return field_value(field.default, self)
        if field.default_factory is dataclasses.MISSING:
            return ""
        made = field.default_factory
        if made in (dict, list):
            return f"{LIBRARY}.{made.__name__}()"
        return f"new {self.class_name(made)}()" if isinstance(made, type) else f"{self.javascript_of(made)}()"

    def _late(self, kind: type) -> Iterator[str]:
        """Constants of a class, which may be made of other classes."""
        fields = {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else ()
        values = {
            name: self.javascript_of(value)
            for name, value in vars(kind).items()
            if name in self._read and name not in fields and isinstance(value, bool | str | tuple | float | int)
        }
        if issubclass(kind, Loss):
            values |= {"in_links": json.dumps(name_of(kind()) if not kind.__abstractmethods__ else "")}
            if "params" in self._read:
                values |= {"params": self.javascript_of(params(kind))}
        if values:
            entries = ", ".join(f"{name}: {text}" for name, text in values.items())
            yield f"{LIBRARY}.constants({self._functions[kind]}, {{ {entries} }});\n"


def _bases(kind: type) -> list[type]:
    """The classes of this package that a class extends, without those that only check."""
    return [base for base in kind.__bases__ if base.__module__.startswith(PACKAGE) and base is not Declared][:1]
