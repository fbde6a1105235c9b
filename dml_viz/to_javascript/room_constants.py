"""Objects of Python that pages' code has by a name, as constants in JavaScript: containers, arrays, objects of data classes."""

import dataclasses
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Set
from contextlib import suppress
from enum import Enum
from typing import Any

import numpy as np
from torch import Tensor

from dml_viz.losses import Loss
from dml_viz.params import Param, params
from dml_viz.to_javascript.expressions import LIBRARY
from dml_viz.to_javascript.room_expressions import literal


class Constants(ABC):
    """The constants that were asked for, by the identity of what they are of."""

    def __init__(self) -> None:
        self._constants: dict[int, tuple[str, str, Any]] = {}

    @abstractmethod
    def javascript_of(self, thing: Any) -> str:
        """The JavaScript of any object."""

    @abstractmethod
    def _class(self, kind: type) -> str:
        """The name of a class."""

    @abstractmethod
    def _named(self, module: str, name: str) -> str:
        """A name of its own in the module."""

    def _constant(self, thing: Any) -> str:
        if id(thing) not in self._constants:
            name = self._named("constant", type(thing).__name__)
            text = self._value(thing)
            self._constants[id(thing)] = name, text, thing
        return self._constants[id(thing)][0]

    def _value(self, thing: Any) -> str:
        """A container or an object of a data class, as an expression."""
        if isinstance(thing, np.ndarray | Tensor):
            values = thing.tolist()
            return f"{LIBRARY}.array({json.dumps(values)})"
        if isinstance(thing, re.Pattern):
            return f"new {LIBRARY}.Pattern({json.dumps(thing.pattern)})"
        if isinstance(thing, Mapping):
            entries = ", ".join(f"[{self.javascript_of(key)}, {self.javascript_of(value)}]" for key, value in thing.items())
            return f"{LIBRARY}.dict([{entries}])"
        if isinstance(thing, Set):
            return f"new Set([{', '.join(map(self.javascript_of, sorted(thing)))}])"
        if isinstance(thing, Loss):
            changed = {knob.name: getattr(thing, knob.name) for knob in params(thing)}
            return f"new {self._class(type(thing))}({json.dumps(changed)})"
        if isinstance(thing, Enum):
            return literal(thing.value)
        if isinstance(thing, tuple | list) and not hasattr(thing, "_fields"):
            return f"[{', '.join(map(self.javascript_of, thing))}]"
        fields = [field for field in dataclasses.fields(thing) if field.init]
        values = [getattr(thing, field.name) for field in fields]
        while (
            values
            and fields[len(values) - 1].default is not dataclasses.MISSING
            and values[-1] == fields[len(values) - 1].default
        ):
            values.pop()
        made = f"new {self._class(type(thing))}({', '.join(map(self._field, values))})"
        return f"{LIBRARY}.of_kind({made}, {json.dumps(thing.kind.__name__)})" if isinstance(thing, Param) else made

    def _field(self, value: Any) -> str:
        """The JavaScript of a field; null for what only torch needs."""
        with suppress(LookupError, TypeError):
            return self.javascript_of(value)
        return "null"
