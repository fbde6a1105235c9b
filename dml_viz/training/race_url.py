"""Racers as a link writes them: ``triplet.margin:0.2~fastap~proxy_anchor@120-1``.

A racer is the name of a loss, its knobs that differ from their defaults, ``lr`` where it has a learning rate of its own, and
where it branches off: at step 120 of the first racer.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dml_viz.losses import Loss
from dml_viz.params import NearestError, Param, knobs, params, trained
from dml_viz.training.experiment import Branch
from dml_viz.training.race import MOST_RACERS, Racer
from dml_viz.training.run import STEPS_CAP, Run

BETWEEN, KNOB, VALUE, BRANCH = "~", re.compile(r"\.(?=[a-z]\w*:)"), ":", "@"
OFF = re.compile(r"(\d{1,6})-(\d{1,2})", re.ASCII)
FIRST = "triplet~fastap~proxy_anchor~multi_similarity"  # the race that is recorded, and that its page opens with
(RATE,) = (knob for knob in params(Run) if knob.name == "lr")
LONGEST = 2000
SHOWN = 30


def write_racers(racers: Sequence[Racer], losses: Mapping[str, type[Loss]]) -> str:
    """Racers as a link writes them; ``losses`` are all there are, by name."""
    names = {kind: name for name, kind in losses.items()}
    return BETWEEN.join(_write(racer, names) for racer in racers)


def read_racers(text: str, losses: Mapping[str, type[Loss]], least: Sequence[Racer] = ()) -> tuple[Racer, ...]:
    """The racers that ``text`` writes.

    Where it writes none, too many, one twice, fewer than there are in ``least``, or knobs that cannot be: `NearestError`, which
    says what is wrong and holds the nearest text that can be, filled up from ``least``.
    """
    wrong: list[str] = []
    racers: list[Racer] = []
    places: dict[int, int] = {}
    if len(text) > LONGEST:
        wrong.append(f"the racers take {len(text):,} characters, more than {LONGEST:,}")
        text = text[:LONGEST].rpartition(BETWEEN)[0]
    for place, part in enumerate(filter(None, text.split(BETWEEN))):
        racer = _read(part, losses, places, wrong)
        if racer is None:
            continue
        if racer in racers:
            wrong.append(f"racer {part[:SHOWN]!r} is there twice")
        elif len(racers) == MOST_RACERS:
            wrong.append(f"there are more than {MOST_RACERS} racers")
            break
        else:
            places[place] = len(racers)
            racers.append(racer)
    if len(racers) < len(least):
        wrong.append(f"a race takes at least {len(least)} racers")
        racers += [racer for racer in least if racer not in racers][: len(least) - len(racers)]
    if wrong:
        raise NearestError("; ".join(wrong), write_racers(racers, losses))
    return tuple(racers)


def _write(racer: Racer, names: Mapping[type[Loss], str]) -> str:
    values = knobs(racer.loss)
    changed = [knob for knob in trained(racer.loss) if values[knob.name] != knob.default]
    text = "".join(f".{knob.name}{VALUE}{_value(values[knob.name])}" for knob in changed)
    text += "" if racer.lr is None else f".{RATE.name}{VALUE}{racer.lr}"
    branch = f"{BRANCH}{racer.branch.step}-{racer.branch.of + 1}" if racer.branch else ""
    return f"{names[type(racer.loss)]}{text}{branch}"


def _value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(part: str, losses: Mapping[str, type[Loss]], places: Mapping[int, int], wrong: list[str]) -> Racer | None:
    """One racer; None, or the nearest that can be, with a sentence more in ``wrong``."""
    text, _, off = part.partition(BRANCH)
    name, *settings = KNOB.split(text)
    if name not in losses:
        wrong.append(f"there is no loss {name[:SHOWN]!r} to race")
        return None
    declared = {knob.name: knob for knob in trained(losses[name])}
    defaults = {key: knob.default for key, knob in declared.items()}
    values = dict(defaults)
    rate = None
    for setting in settings:
        key, _, value = setting.partition(VALUE)
        if key == RATE.name:
            rate = _nearest(RATE, value, wrong)
        elif key in declared:
            values[key] = _nearest(declared[key], value, wrong)
        else:
            wrong.append(f"{name} has no knob {key[:SHOWN]!r}")
    try:
        loss = losses[name](**values)
    except ValueError as error:
        wrong.append(str(error))
        loss = losses[name](**defaults)
    return Racer(loss, _branch(off, part, places, wrong) if off else None, rate)


def _nearest(knob: Param, text: str, wrong: list[str]) -> Any:
    try:
        return knob.read(text)
    except ValueError as error:
        value = getattr(error, "nearest", knob.default)
        wrong.append(f"{error}: {_value(value)} is taken")
        return value


def _branch(off: str, part: str, places: Mapping[int, int], wrong: list[str]) -> Branch | None:
    """Where a racer branches off; the racer it names may stand elsewhere now that others were left out."""
    found = OFF.fullmatch(off)
    if found and int(found[2]) - 1 in places and 0 < int(found[1]) <= STEPS_CAP:
        return Branch(int(found[1]), places[int(found[2]) - 1])
    wrong.append(f"racer {part[:SHOWN]!r} branches off nothing; write @step-racer with a racer before it")
    return None
