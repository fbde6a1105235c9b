"""Constants of exported files and the page of a figure, read from the script that the browser has them from."""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from dml_viz.assets import ASSETS
from dml_viz.data.wire import finite

_TEXTS = re.findall(r"`(.*?)`", (ASSETS / "src" / "export" / "declared.js").read_text(encoding="utf-8"), re.DOTALL)
DECLARED: Mapping[str, Any] = MappingProxyType(json.loads(_TEXTS[0]))
PAGE, CHART = _TEXTS[1:]


def fill_slots(template: str, slots: Mapping[str, str]) -> str:
    """The ``template`` with the text of each slot, a word in braces."""
    return re.sub(r"\{(\w+)\}", lambda slot: slots[slot[1]], template)


def html_json(value: Any, **style: Any) -> str:
    """JSON in the ``style`` of `json.dumps`, without ``<``, which could end the script element around it."""
    return json.dumps(finite(value), allow_nan=False, **style).replace("<", "\\u003c")
