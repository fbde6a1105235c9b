"""The types of what Python sends to the browser, written out for its scripts: `python -m dml_viz.export.contracts`."""

from typing import get_args

from dml_viz.assets import ASSETS
from dml_viz.engine.message_types import HEADERS
from dml_viz.room.component_data import ComponentData, Overlay, PackedData, RowsAnswer
from dml_viz.serve.classroom.messages import ClientMessage, PollAnswer, PollRequest, ServerMessage
from dml_viz.to_javascript.declarations import declarations

FILE = ASSETS / "build" / "contracts.d.ts"
COMMAND = "python -m dml_viz.export.contracts"


def declarations_for_scripts() -> str:
    """The declarations of all messages and of the data of all components."""
    head = f"// Written by `{COMMAND}` from the types of dml_viz/engine/message_types.py,\n"
    head += "// dml_viz/room/component_data.py and dml_viz/serve/classroom/messages.py.\n"
    types = (*HEADERS, *get_args(ComponentData), *get_args(Overlay), PackedData, RowsAnswer, PollRequest, PollAnswer)
    unions = {"ComponentData": ComponentData, "Overlay": Overlay, "ClientMessage": ClientMessage, "ServerMessage": ServerMessage}
    return head + declarations(types, unions)


if __name__ == "__main__":
    FILE.write_text(declarations_for_scripts(), encoding="utf-8")
