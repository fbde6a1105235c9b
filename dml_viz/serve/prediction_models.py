"""The models of a room's predictions, from their settings alone. No Streamlit here."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dml_viz.plot.display import Display
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.prediction import Prediction
from dml_viz.room.room import Room, Subject
from dml_viz.room.scene_settings import SceneSettings
from dml_viz.serve.figure_store import store


def models(room: Room[Any, Any], prediction: Prediction[Any]) -> tuple[Any, Any]:
    """The models of the scene before and after ``prediction`` is revealed; ValueError if the room has no model of it."""
    before = _model(room, prediction.settings)
    after = {**prediction.settings, **prediction.reveals}
    return before, _model(room, after) if prediction.reveals else before


def read_scene(room: Room[Any, Any], reader: LinkReader) -> tuple[SceneSettings, Any]:
    """The scene that ``reader`` reads, and the settings of ``room`` with its roles."""
    scene = SceneSettings(room.key, room.scene, reader.setting)
    return scene, replace(room.settings(reader, Subject()), **room.of_roles(scene.picked))


def _model(room: Room[Any, Any], settings: Mapping[str, Any]) -> Any:
    scene, chosen = read_scene(room, LinkReader({key: str(value) for key, value in settings.items()}))
    return store().offer(room, scene.scene.subject(scene.provenance), chosen, Display()).model
