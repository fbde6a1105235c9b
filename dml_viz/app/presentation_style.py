"""The styles that hide all of a page but what is presented, and put that into its place on the screen."""

import re
from collections.abc import Sequence

from dml_viz.assets import ASSETS
from dml_viz.figure_files.declared import fill_slots

# What stays beside the figures: rows at the bottom of the screen, from the lowest up, and knobs at its left.
FOOT = (".st-key-lesson-bar", ".st-key-classroom", ".st-key-prediction", ".st-key-run-buttons", ".st-key-switches")
SIDE = (".st-key-rail", '[class*="-rail"]', '[data-testid="stSidebar"]')
# On a screen of 1366 x 768 px the smallest words of a figure, which have 12 px, can then be read from the last row.
TIMES = 1.75
# The panels of a run, or of a race, that are presented together, and their columns.
PANELS = ":is(.dml-embedding, .dml-curves, .dml-gallery, .dml-race-field)"
COLUMNS = "repeat(auto-fit, minmax(200px, 1fr))"
_SHEET = (ASSETS / "css" / "presented.css").read_text(encoding="utf-8")
RULES = dict(re.findall(r"^/\* (\w+): .*?\*/\n(.*?)\n(?=\n|\Z)", _SHEET, re.DOTALL | re.MULTILINE))  # by the name of their part


def selector(key: str) -> str:
    """The selector of a figure, since a control may have its name."""
    return f".st-key-{key.replace('.', '-')}:not(.st-key-rail *)"


def rules(parts: Sequence[tuple[str, str]], *, large: bool, knobs: bool = False, claims: int = 1) -> str:
    """The rules that show ``parts``, each a figure and its key or a panel's, ``large`` with claims and knobs, or in a frame.

    In a frame a figure is alone, or beside its ``knobs``. Each of two ``claims`` is above its figure. Without parts the page is
    shown whole, larger.
    """
    if not parts:
        return RULES["whole"]
    figures = [selector(figure) for figure, _ in parts]
    # The presenter's script must stay on the page to receive keys.
    around = [".st-key-present-head", *FOOT, *SIDE[:2]] if large else [*SIDE[:2]] if knobs else []
    shown = f":is({', '.join([*figures, *around, '.st-key-presenter'])})"
    page = fill_slots(RULES["page"], {"shown": shown})
    if not large:
        rails = f":is({', '.join(SIDE[:2])})"
        alone = [fill_slots(RULES["alone"], {"shown": shown})]
        return "\n".join(
            [page, *alone, *([fill_slots(RULES["beside_knobs"], {"rails": rails, "figure": figures[0]})] if knobs else [])]
        )
    places = [fill_slots(RULES["row"], {"row": row, "at": str(at)}) for at, row in enumerate(FOOT)]
    for at, (figure, key) in enumerate(parts):
        panels, columns = (PANELS, COLUMNS) if key == figure else (f".dml-{key.rpartition('.')[2]}", "minmax(0, 1fr)")
        slots = {"figure": selector(figure), "at": str(at), "panels": panels, "columns": columns}
        places += [fill_slots(RULES[part], slots) for part in ("figure", *(["scene_of_two"] if len(parts) > 1 else []))]
    slots = {"times": str(TIMES), "foot": ", ".join(FOOT), "side": ", ".join(SIDE), "shown": f":is({', '.join(figures)})"}
    heads = [RULES["claims_of_two"]] if claims > 1 else []
    return "\n".join([page, fill_slots(RULES["large"], slots), *heads, *places])
