"""Rooms on scenes, as Python has them and as the browser has them, for tests that compare the two."""

import json
import random
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from dml_viz.embedding.scene import SCENES, Scene
from dml_viz.plot.canvas import Display
from dml_viz.room import words
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.room import NoModelError, Room
from dml_viz.room.source import Subject
from dml_viz.room.sources import Points
from dml_viz.serve.figure_store import prediction_models

KEYS = ("fastap", "ranked_list", "angular", "proxies", "pairs", "gradients")
RUN = """
  const { ROOMS } = await asset("rooms/rooms.js");
  const { reveal, stateOf, visit } = await asset("rooms/visit.js");
  const plain = (x) => JSON.parse(JSON.stringify(x));
  const said = (key, link, label) => {
    try {
      const here = visit(ROOMS[key], stateOf(ROOMS[key], link));
      if (here.none) return { none: here.none };
      const { claim, lookFor, misleads, line, formulas } = here;
      return plain({ claim, lookFor, misleads, line, formulas, says: label && here.says(label) });
    } catch (error) {
      return { error: error.stack };
    }
  };
  const answered = (key, name, answer) => {
    try {
      const room = ROOMS[key];
      const { settings, reveals } = visit(room, stateOf(room, {})).questions.find((each) => each.name === name);
      const [before, after] = [settings, { ...settings, ...reveals }].map((link) => visit(room, stateOf(room, link)));
      const { question, by: { options, label, low, high, tolerance, step, unit, point, exact }, points } = before.ask(name);
      const by = { options, label, low, high, tolerance, step, unit, point, exact };
      return plain({ question, by, points: points ?? [], ...reveal(before, after, name, answer) });
    } catch (error) {
      return { error: error.stack };
    }
  };
  return given.map(([kind, ...of]) => (kind === "said" ? said : answered)(...of));
"""


def rooms(*keys: str) -> list[Room[Any, Any]]:
    """The rooms with these keys."""
    return [import_module(f"dml_viz.explain.{key}").ROOM for key in keys]


def said(room: Room[Any, Any], link: Mapping[str, Any], label: str | None = None) -> dict[str, Any]:
    """What the page says of its first figure under settings, and by the preset with a label."""
    reader = LinkReader({key: str(value) for key, value in {**room.opens, **link}.items()})
    points, first = room.source, room.words
    assert isinstance(points, Points)
    assert first
    scene = points.scene(reader)
    embeddings, settings = room.batch(reader, Subject(scene=scene))
    try:
        model = room.model(embeddings, settings)
    except NoModelError as none:
        return {"none": str(none)}
    display = Display("light", scene.scene.names(), scene.scene.labels)
    presets = [*room.presets, *([room.lesson] if room.lesson else [])]
    says = next((preset.says for preset in presets if preset.label == label), None)
    return {
        "claim": words.text_of(first.claim, model if first.claimed_of_model else settings),
        "lookFor": words.text_of(first.look_for, model),
        "misleads": words.text_of(first.misleads, model),
        "line": words.line(first, scene.provenance, model, display),
        "formulas": [
            {"lines": list(part.lines(model, display)), "remark": words.text_of(part.remark, model)} for part in first.formulas
        ],
        "says": words.mended(says(model)) if says else None,
    }


def answered(room: Room[Any, Any], name: str, answer: float) -> dict[str, Any]:
    """A prediction of a room, asked, answered and revealed."""
    prediction = next(each for each in room.predictions if each.name == name)
    before, after = prediction_models(room, prediction)
    asked = prediction.ask(before)
    from dml_viz.room.prediction import Round

    revealed = prediction.reveal(Round(asked).lock(answer), before, after).revealed
    assert revealed
    return json.loads(json.dumps({
        "question": asked.question, "by": dict(vars(asked.by)), "points": asked.points,
        **vars(revealed), "words": asked.by.words(revealed.truth), "answerWords": asked.by.words(asked.by.read(answer)),
    }))  # fmt: skip


def presets(room: Room[Any, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The settings of each preset, with its label."""
    for preset in (*room.presets, *([room.lesson] if room.lesson and room.lesson not in room.presets else [])):
        yield {key: value for key, value in preset.settings.items() if key != "subject"}, preset.label


def scenes(count: int, *, proxies: bool = False, seed: int = 0) -> Iterator[dict[str, Any]]:
    """``count`` scenes: all presets on the circle and on the sphere, then random ones, some of whose points coincide."""
    for number in range(count):
        names, draw = list(SCENES), random.Random(seed + number)
        if number < 2 * len(names):
            yield {"scene": names[number % len(names)], "dim": 2 + number // len(names)}
            continue
        dim, size, classes = draw.choice((2, 3)), draw.randint(2, 14), draw.randint(1, 4)
        labels = [draw.randrange(classes) for _ in range(size)]
        labels = [sorted(set(labels)).index(label) for label in labels]
        places = [_place(draw, dim) for _ in range(size)]
        for k in range(size):
            if draw.random() < 0.15:
                places[k] = places[draw.randrange(size)]
        roles = {role: draw.randrange(size) for role in ("query", "anchor", "positive", "negative")}
        scene = Scene(dim, tuple(places), tuple(labels))
        yield {"at": (scene.with_proxies() if proxies else scene).write(), "dim": dim, **roles}


def _place(draw: random.Random, dim: int) -> tuple[float, ...]:
    longitude = round(draw.uniform(0, 359), 2)
    return (longitude,) if dim == 2 else (longitude, round(draw.uniform(-80, 80), 2))
