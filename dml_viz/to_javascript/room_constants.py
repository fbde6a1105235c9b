"""Objects of Python that pages' code has by a name, as constants in JavaScript: containers, arrays, objects of data classes."""

import dataclasses
import json
import re
from collections.abc import Mapping, Set
from contextlib import suppress
from enum import Enum
from typing import Any

import numpy as np
from torch import Tensor

from dml_viz.losses import Loss
from dml_viz.params import Param, params
from dml_viz.to_javascript.expressions import LIBRARY
from dml_viz.to_javascript.room_expressions import Names, literal


def constant(thing: Any, names: Names) -> str:
    """A container or an object of a data class, as an expression."""
    if isinstance(thing, np.ndarray | Tensor):
        return f"{LIBRARY}.array({json.dumps(thing.tolist())})"
    if isinstance(thing, re.Pattern):
        return f"new {LIBRARY}.Pattern({json.dumps(thing.pattern)})"
    if isinstance(thing, Mapping):
        entries = ", ".join(f"[{names.javascript_of(key)}, {names.javascript_of(value)}]" for key, value in thing.items())
        return f"{LIBRARY}.dict([{entries}])"
    if isinstance(thing, Set):
        return f"new Set([{', '.join(map(names.javascript_of, sorted(thing)))}])"
    if isinstance(thing, Loss):
        changed = {knob.name: getattr(thing, knob.name) for knob in params(thing)}
        return f"new {names.class_name(type(thing))}({json.dumps(changed)})"
    if isinstance(thing, Enum):
        return literal(thing.value)
    if isinstance(thing, tuple | list) and not hasattr(thing, "_fields"):
        return f"[{', '.join(map(names.javascript_of, thing))}]"
    fields = [field for field in dataclasses.fields(thing) if field.init]
    while fields and fields[-1].default is not dataclasses.MISSING and getattr(thing, fields[-1].name) == fields[-1].default:
        fields.pop()
    kind = names.class_name(type(thing))
    made = f"new {kind}({', '.join(field_value(getattr(thing, field.name), names) for field in fields)})"
    return f"{LIBRARY}.of_kind({made}, {json.dumps(thing.kind.__name__)})" if isinstance(thing, Param) else made


def field_value(value: Any, names: Names) -> str:
    """The JavaScript of a field; null for what only torch needs."""
    with suppress(LookupError, TypeError):
        return names.javascript_of(value)
    return "null"
