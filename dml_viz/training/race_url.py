"""Racers as a link writes them: ``triplet.margin:0.2~fastap~proxy_anchor@120-1``.

A racer is the name of a loss, its knobs that differ from their defaults, its other changes by the path of the knob (``lr:0.01``,
``sampler.samples:32``, ``net:mlp``), and its branch: in the example, at step 120 of the first racer.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dml_viz.losses import KNOWN
from dml_viz.params import NearestError, Param, knobs, training_params
from dml_viz.registry import name_of
from dml_viz.training.experiment import Branch
from dml_viz.training.paths import VARYING, knobs_named, with_training_defaults
from dml_viz.training.race import MOST_RACERS, Racer
from dml_viz.training.run import STEPS_CAP

BETWEEN, VALUE, BRANCH = "~", ":", "@"
PATH = r"\.((?:[a-z]\w*\.)?[a-z]\w*)" + VALUE
KNOB = re.compile(rf"{PATH}(.*?)(?={PATH}|$)")
OFF = re.compile(r"(\d{1,6})-(\d{1,2})", re.ASCII)
FIRST = "triplet~fastap~proxy_nca~multi_similarity"  # the race that its page opens with
OVER_SEEDS = "triplet~fastap~proxy_anchor~multi_similarity"  # the race that asks whether another seed changes the order
# The parts of a run in which racers may differ beside their loss, in words.
DIFFERENCES = {part.name: part.label for part in VARYING if part.name != "loss"}
LONGEST_LINK = 2000
SHOWN = 30


def write_racers(racers: Sequence[Racer]) -> str:
    """The text of racers in a link."""
    return BETWEEN.join(map(_write, racers))


def read_racers(text: str, least: Sequence[Racer] = ()) -> tuple[Racer, ...]:
    """The racers that `write_racers` writes as ``text``.

    `NearestError` for a text without racers, with too many, with one twice, with fewer than ``least``, or with knobs that are
    not allowed. It says what is wrong, and its ``nearest`` is the nearest allowed text, filled up from ``least``.
    """
    wrong: list[str] = []
    racers: list[Racer] = []
    numbers: dict[int, int] = {}
    if len(text) > LONGEST_LINK:
        wrong.append(f"the racers take {len(text):,} characters, more than {LONGEST_LINK:,}")
        text = text[:LONGEST_LINK].rpartition(BETWEEN)[0]
    for number, part in enumerate(filter(None, text.split(BETWEEN))):
        racer = _read(part, numbers, wrong)
        if racer is None:
            continue
        if racer in racers:
            if (twice := f"racer {part[:SHOWN]!r} is there more than once") not in wrong:
                wrong.append(twice)
        elif len(racers) == MOST_RACERS:
            wrong.append(f"there are more than {MOST_RACERS} racers")
            break
        else:
            numbers[number] = len(racers)
            racers.append(racer)
    if len(racers) < len(least):
        wrong.append(f"a race takes at least {len(least)} racers")
        racers += [racer for racer in least if racer not in racers][: len(least) - len(racers)]
    if wrong:
        raise NearestError("; ".join(wrong), write_racers(racers))
    return tuple(racers)


def _write(racer: Racer) -> str:
    values = knobs(racer.loss)
    changed = [knob for knob in training_params(racer.loss) if values[knob.name] != knob.default]
    text = "".join(f".{knob.name}{VALUE}{_value(values[knob.name])}" for knob in changed)
    text += "".join(f".{path}{VALUE}{_value(value)}" for path, value in racer.changes)
    branch = f"{BRANCH}{racer.branch.step}-{racer.branch.of + 1}" if racer.branch else ""
    return f"{name_of(racer.loss)}{text}{branch}"


def _value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(part: str, numbers: Mapping[int, int], wrong: list[str]) -> Racer | None:
    """The racer written as ``part``; on an error the nearest allowed racer or None, with a sentence added to ``wrong``."""
    text, _, off = part.partition(BRANCH)
    name = re.split(PATH, text, maxsplit=1)[0]
    if name not in KNOWN:
        wrong.append(f"there is no loss {name[:SHOWN]!r} to race")
        return None
    loss = with_training_defaults(KNOWN[name])
    declared = {knob.name: knob for knob in training_params(loss)}
    values: dict[str, Any] = {}
    changes: dict[str, Any] = {}
    for key, value, _ in KNOB.findall(text[len(name) :]):
        if key in declared:
            values[key] = _nearest([declared[key]], value, wrong)
        elif key.partition(".")[0] in DIFFERENCES and (known := knobs_named(key)):
            changes[key] = _nearest(known, value, wrong)
        else:
            wrong.append(f"{name} has no knob {key[:SHOWN]!r}")
    try:
        loss = replace(loss, **values)
    except ValueError as error:
        wrong.append(str(error))
    return Racer(loss, _branch(off, part, numbers, wrong) if off else None, tuple(sorted(changes.items())))


def _nearest(known: Sequence[Param], text: str, wrong: list[str]) -> Any:
    """The value written as ``text``, for the first knob that allows it; for none, the last knob's nearest, or its default."""
    for knob in known:
        try:
            return knob.read(text)
        except ValueError as error:
            near, words = hasattr(error, "nearest"), str(error)
            value = getattr(error, "nearest", knob.default)
    wrong.append(f"{words}: {_value(value)} is {'the nearest' if near else 'taken'}")
    return value


def _branch(off: str, part: str, numbers: Mapping[int, int], wrong: list[str]) -> Branch | None:
    """The branch of a racer; ``numbers`` maps a racer's number in the link to its number without the racers left out."""
    parts = OFF.fullmatch(off)
    if parts and int(parts[2]) - 1 in numbers and 0 < int(parts[1]) <= STEPS_CAP:
        return Branch(int(parts[1]), numbers[int(parts[2]) - 1])
    wrong.append(f"racer {part[:SHOWN]!r} branches off nothing; write @step-racer with a racer before it")
    return None
