"""The digest of a run: a hash of what it declares beyond defaults, so that a new knob with a default changes no digest.

A digest knows no code: results that are kept for long hold the run's first steps, too (dml_viz/training/first_steps.py).
"""

import hashlib
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from typing import Any

from dml_viz.training.run import Run


def digest(run: Run) -> str:
    """A hash of all fields of ``run`` that are not at their defaults, except its device."""
    return hashlib.sha256(declaration(replace(run, device="auto")).encode()).hexdigest()[:24]


def declaration(value: object) -> str:
    """The class name of ``value`` and its fields that are not at their defaults, each written in the same way."""
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    values = [(each.name, getattr(value, each.name)) for each in fields(value) if each.repr]
    defaults = {each.name: _default(each) for each in fields(value)}
    written = [f"{name}={declaration(now)}" for name, now in values if now != defaults[name]]
    return f"{type(value).__qualname__}({', '.join(written)})"


def _default(field: Field[Any]) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default
