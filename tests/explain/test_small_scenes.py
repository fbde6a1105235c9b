"""Figures of the smallest scenes: two points of one class, of two, and three of two."""

import re
from typing import Any

import pytest

from dml_viz.embedding.scene import Scene
from dml_viz.plot.canvas import Display
from dml_viz.plot.style import ON_DARK
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.room import NoModelError, Room
from dml_viz.room.source import Subject
from dml_viz.room.sources import Points
from tests.room_cases import KEYS, rooms

PLACES = ((10.0,), (100.0,), (190.0,))
WRONG = re.compile(
    r"(?<![\w.,−])(?<!of )1 (?:classes|losses|proxies|points|positives|negatives|triplets|triangles|times|steps)\b"
)
# A scale of colours, of pairs of a number and a colour, is the same on both papers.
OF_LIGHT_PAPER = re.compile(rf"(?<!\d, ')(?:{'|'.join(ON_DARK)})", re.IGNORECASE)


@pytest.mark.parametrize("room", rooms(*KEYS), ids=lambda room: room.key)
@pytest.mark.parametrize("labels", [(0, 0), (0, 1), (0, 0, 1)])
def test_no_figure_of_a_small_scene_counts_one_as_many_or_has_colours_of_light_paper_on_dark(
    room: Room[Any, Any], labels: tuple[int, ...]
) -> None:
    points = room.source
    assert isinstance(points, Points)
    scene = Scene(2, PLACES[: len(labels)], labels)
    link = {f"{room.key}.at": (scene.with_proxies() if points.proxies else scene).write(), f"{room.key}.dim": "2"}
    reader = LinkReader(link)
    placed = points.scene(reader)
    embeddings, settings = room.batch(reader, Subject(scene=placed))
    try:
        model = room.model(embeddings, settings)
    except NoModelError:
        return
    display = Display("dark", placed.scene.class_names(), placed.scene.labels)
    for name, draw in room.figures.items():
        if not name.endswith("-1"):  # of a second loss
            figure = draw(model, display)
            layout = figure.layout
            assert not OF_LIGHT_PAPER.search(str(figure.to_dict())), name
            texts = [layout.meta["alt"], *(note.text for note in layout.annotations)]
            assert not [text for text in texts if WRONG.search(text)], name
