"""Rooms on scenes, as Python has them and as the browser has them, for tests that compare the two."""

import json
import random
from collections.abc import Iterator, Mapping
from importlib import import_module
from operator import attrgetter
from typing import Any

import numpy as np

from dml_viz.embedding.scene import SCENES, Scene
from dml_viz.explain.pairs.model import PAIRWISE
from dml_viz.figure_files.caption import part_in_words
from dml_viz.figure_files.spec import declared_part
from dml_viz.losses import LOSSES
from dml_viz.plot.canvas import Display
from dml_viz.room import words
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.room import NoModelError, Room, figure_name
from dml_viz.room.source import Subject
from dml_viz.room.sources import Points
from dml_viz.serve.figure_store import prediction_models

# Numbers of a room's model, before they are rounded in sentences.
NUMBERS = {
    "fastap": ("batch_histograms.loss", "ranking.fastap", "ranking.average_precision", "ranking.slope", "arrows_of_batch"),
    "ranked_list": ("value", "query_terms", "shares", "slopes", "ranking.d"),
    "angular": ("triangle.angle", "violation", "of_angular.value", "of_angular.chords", "of_triplet.tangent"),
    "proxies": ("nca.value", "nca.weights", "nca.tangent", "anchor.value", "anchor.weights", "anchor.tangent"),
    "pairs": ("first.response.value", "first.weights", "first.descent"),
    "gradients": ("responses",),
}
NEAR = 1e-9
KEYS = ("fastap", "ranked_list", "angular", "proxies", "pairs", "gradients")
RUN = """
  const { ROOMS } = await asset("rooms/rooms.js");
  const { reveal, stateOf, visit } = await asset("rooms/visit.js");
  const plain = (x) => JSON.parse(JSON.stringify(x));
  const said = (key, link, label, paths = []) => {
    try {
      const here = visit(ROOMS[key], stateOf(ROOMS[key], link));
      if (here.none) return { none: here.none };
      const { claim, lookFor, misleads, line, formulas, drawn, figures } = here;
      const ofResponse = ([name, { value, tangent_lengths }]) => [name, [value, tangent_lengths.tolist()]];
      const deep = (x) => x?.items ? Object.fromEntries(x.items().map(ofResponse)) : x;
      const of = (path) => path.split(".").reduce((x, name) => x[name], here.model);
      const numbers = paths.map((path) => deep(of(path)?.tolist?.() ?? of(path)));
      return plain({ claim, lookFor, misleads, line, formulas, says: label && here.says(label), numbers, drawn, figures });
    } catch (error) {
      return { error: error.stack };
    }
  };
  const answered = (key, name, answer) => {
    try {
      const room = ROOMS[key];
      const { settings, reveals } = visit(room, stateOf(room, {})).questions.find((each) => each.name === name);
      const [before, after] = [settings, { ...settings, ...reveals }].map((link) => visit(room, stateOf(room, link)));
      const { question, by, points } = before.ask(name);
      return plain({ question, by: { ...by }, points: points ?? [], ...reveal(before, after, name, answer) });
    } catch (error) {
      return { error: error.stack };
    }
  };
  const pressed = (key, link) => {
    const { controls } = visit(ROOMS[key], stateOf(ROOMS[key], link));
    const { actions } = controls.find(({ kind }) => kind === "buttons");
    return Object.fromEntries(Object.entries(actions).map(([name, act]) => [name, act()]));
  };
  return given.map(([kind, ...of]) => ({ said, answered, pressed })[kind](...of));
"""


def rooms(*keys: str) -> list[Room[Any, Any]]:
    """The rooms with these keys."""
    return [import_module(f"dml_viz.explain.{key}").ROOM for key in keys]


def said(room: Room[Any, Any], link: Mapping[str, Any], label: str | None = None) -> dict[str, Any]:
    """What the page says of its first figure under settings, what is drawn around its points, and what a preset says."""
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
    display = Display("light", scene.scene.class_names(), scene.scene.labels)
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
        "says": words.with_true_minus_signs(says(model)) if says else None,
        "numbers": [_numbers(attrgetter(path)(model)) for path in NUMBERS[room.key]],
        "figures": _figures(room, settings),
        "drawn": {name: scene.data(*room.drawn(settings), "light")[name] for name in ("losses", "settings")},
    }


def _figures(room: Room[Any, Any], settings: Any) -> dict[str, Any]:
    """The losses of the first figure and of the components, and the words of their captions before the scene's."""
    names = {room.key: room.key, **{figure_name(room, name): name for name in room.components}}
    found = {}
    for figure, name in names.items():
        parts = [declared_part(loss) for loss in room.losses_of.get(name, room.losses)(settings)]
        words = [part_in_words(part["title"], part["knobs"]) for part in parts]
        found[figure] = {"loss": parts, "words": [*words, *room.variations(settings)]}
    return found


def _numbers(value: Any) -> Any:
    """The numbers of an array, or of the response of each loss; NaN is None, as JSON of browsers has it."""
    if isinstance(value, dict):
        return {name: [response.value, response.tangent_lengths.tolist()] for name, response in value.items()}
    flat = np.asarray(value, float)
    numbers = flat.astype(object)
    numbers[np.isnan(flat)] = None
    return numbers.tolist()


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


def alike(python: Any, browser: Any) -> bool:
    """Whether two values are equal, numbers to `NEAR` relative, and for numbers below 1 absolute."""
    if isinstance(python, float | int) and isinstance(browser, float | int):
        return abs(python - browser) <= NEAR * max(1.0, abs(python))
    if isinstance(python, list):
        return isinstance(browser, list) and len(python) == len(browser) and all(map(alike, python, browser))
    if isinstance(python, dict):
        return all(alike(value, browser.get(name)) for name, value in python.items())
    return bool(python == browser)


def presets(room: Room[Any, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The settings of each preset, with its label."""
    for preset in (*room.presets, *([room.lesson] if room.lesson and room.lesson not in room.presets else [])):
        yield {key: value for key, value in preset.settings.items() if key != "subject"}, preset.label


def scenes(count: int, *, proxies: bool = False, seed: int = 0) -> Iterator[dict[str, Any]]:
    """``count`` scenes: all presets, on circle or sphere or, of enough, both; then random ones, some of whose points coincide."""
    names = list(SCENES)
    both = 2 if count > 2 * len(names) else 1
    for number in range(count):
        turn, draw = divmod(number, len(names)), random.Random(seed + number)
        if turn[0] < both:
            yield {"scene": names[turn[1]], "dim": 2 + sum(turn) % 2}
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


def links(room: Room[Any, Any], count: int, *, every_loss: bool = False) -> Iterator[dict[str, Any]]:
    """Settings of ``room`` on so many scenes, its losses in turn; with ``every_loss`` each scene has all of them."""
    points, key = room.source, room.key
    assert isinstance(points, Points)
    pairs, losses = sorted(PAIRWISE), sorted(LOSSES)
    for number, scene in enumerate(scenes(count, proxies=points.proxies)):
        names = ("at", "dim", "scene", *points.roles)
        link = {f"{key}.{name}": value for name, value in scene.items() if name in names}
        if key == "pairs":
            some = pairs if every_loss else [pairs[number % len(pairs)]]
            yield from ({**link, "pairs.loss": name} for name in some)
        elif key == "gradients":
            yield {**link, "gradients.losses": "all" if every_loss else losses[number % len(losses)]}
        else:
            yield link


def _place(draw: random.Random, dim: int) -> tuple[float, ...]:
    longitude = round(draw.uniform(0, 359), 2)
    return (longitude,) if dim == 2 else (longitude, round(draw.uniform(-80, 80), 2))
