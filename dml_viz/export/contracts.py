"""The types of what Python sends to the browser, written out for its scripts: `python -m dml_viz.export.contracts`."""

from typing import get_args

from dml_viz.assets import ASSETS
from dml_viz.engine.message_types import HEADERS
from dml_viz.room.component_data import ComponentData, Overlay, PackedData, PointsAnswer
from dml_viz.to_javascript.declarations import declarations

FILE = ASSETS / "build" / "contracts.d.ts"
COMMAND = "python -m dml_viz.export.contracts"


def declarations_for_scripts() -> str:
    """The declarations of all messages and of the data of all components."""
    head = f"// Written by `{COMMAND}` from dml_viz/engine/message_types.py and dml_viz/room/component_data.py.\n"
    types = (*HEADERS, *get_args(ComponentData), *get_args(Overlay), PackedData, PointsAnswer)
    return head + declarations(types, {"ComponentData": ComponentData, "Overlay": Overlay})


if __name__ == "__main__":
    FILE.write_text(declarations_for_scripts(), encoding="utf-8")
