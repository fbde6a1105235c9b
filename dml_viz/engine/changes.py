"""Changes of a run while it trains: which are allowed, and their text."""

from dataclasses import fields
from typing import Any

from dml_viz.losses import Loss
from dml_viz.params import knobs
from dml_viz.training.run import PARTS, Run

CHANGEABLE = tuple(part.name for kinds in (False, True) for part in PARTS.values() if part.live and bool(part.kinds) is kinds)


def check_change(old: Run, new: Run) -> None:
    """Raise ValueError that names the first part in which ``new`` differs but must not, because that needs a new run."""
    for field in fields(old):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if before == after:
            continue
        if field.name not in CHANGEABLE:
            raise ValueError(
                f"{field.name} cannot change while a run lives ({before!r} to {after!r}); start a new run, "
                f"or change {', '.join(CHANGEABLE)}"
            )
        if field.name == "loss" and type(before) is not type(after):
            raise ValueError(
                f"loss cannot change from {type(before).__name__} to {type(after).__name__} while a run lives; "
                "start a new run, or change the knobs of its loss"
            )
        if field.name == "loss" and _learnt(before) != _learnt(after):
            raise ValueError(
                f"{after.title} would learn {_learnt(after)} with these knobs, the run has learnt {_learnt(before)} so far; "
                "start a new run"
            )


def change_text(old: Run, new: Run) -> str:
    """The differences in words, such as "lr 0.001 → 0.01, bins 10 → 25"; empty without any."""
    before, after = _flat(old), _flat(new)
    return ", ".join(
        f"{name} {_short(before[part, name])} → {_short(value)}"
        for (part, name), value in after.items()
        if before[part, name] != value
    )


def _learnt(loss: Loss) -> str:
    """The learnt tensors of a loss, in words."""
    rows = {"proxies": f"{loss.per_class} {'proxy' if loss.per_class == 1 else 'proxies'} a class"}
    return " and ".join(rows.get(name, name) for name in loss.learns) or "nothing"


def _flat(run: Run) -> dict[tuple[str, str], Any]:
    """The changeable values by part and name; an object has the values of its knobs."""
    values: dict[tuple[str, str], Any] = {}
    for part in CHANGEABLE:
        value = getattr(run, part)
        named = {part: value} if isinstance(value, (int, float)) else knobs(value)
        values |= {(part, name): value for name, value in named.items()}
    return values


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
