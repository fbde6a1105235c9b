"""The models of a room's predictions, from their settings alone. No Streamlit here."""

from collections.abc import Mapping
from typing import Any

from dml_viz.plot.display import Display
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.prediction import Prediction
from dml_viz.room.room import Room
from dml_viz.room.source import Subject
from dml_viz.room.sources import Points
from dml_viz.serve.figure_store import store


def models(room: Room[Any, Any], prediction: Prediction[Any]) -> tuple[Any, Any]:
    """The models of the scene before and after ``prediction`` is revealed; ValueError if the room has no model of it."""
    before = _model(room, prediction.settings)
    after = {**prediction.settings, **prediction.reveals}
    return before, _model(room, after) if prediction.reveals else before


def _model(room: Room[Any, Any], settings: Mapping[str, Any]) -> Any:
    reader = LinkReader({key: str(value) for key, value in settings.items()})
    subject = Subject(scene=room.source.scene(reader)) if isinstance(room.source, Points) else Subject()
    return store().offer(room, *room.batch(reader, subject), Display()).model
