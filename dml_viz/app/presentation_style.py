"""The styles that hide all of a page but what is presented, and put that into its place on the screen."""

from collections.abc import Sequence

# What stays beside the figures: rows at the bottom of the screen, from the lowest up, and knobs at its left.
FOOT = (".st-key-lesson-bar", ".st-key-prediction", ".st-key-run-buttons", '[class*="-switches"]')
SIDE = (".st-key-rail", '[class*="-rail"]', '[data-testid="stSidebar"]')
# Elements without any of {shown} are hidden.
STYLE = """<style>
[data-testid="stHeader"], [data-testid="stExpandSidebarButton"] {{ display: none !important; }}
[data-testid="stMainBlockContainer"] {{ padding: 0 !important; max-width: none !important; }}
[data-testid="stMainBlockContainer"] :is([data-testid="stElementContainer"], [data-testid="stColumn"], [data-testid="stExpander"],
  [data-testid="stLayoutWrapper"]):not({shown}, {shown} *, :has({shown})) {{ display: none !important; }}
{more}
</style>"""
# A figure alone, in a frame.
ALONE = """
[data-testid="stSidebar"] {{ display: none !important; }}
[data-testid="stColumn"]:has({shown}) {{ flex: 1 1 100% !important; min-width: 100% !important; }}
[data-testid="stColumn"] > div, div:has(> .st-key-rail), [class*="-rail"] {{
  position: static !important; max-height: none !important; overflow: visible !important;
}}
"""
# Its knobs are at its left, in the frame.
BESIDE_IT = """
[data-testid="stColumn"]:has({rails}):not(:has({figure})) {{ flex: 0 0 200px !important; min-width: 200px !important; }}
[data-testid="stColumn"]:has({figure}) {{ flex: 1 1 0 !important; min-width: 0 !important; }}
"""
# On a screen of 1366 x 768 px the smallest words of a figure, which have 12 px, can then be read from the last row.
TIMES = 1.75
# The places of what is presented, which the presenter's script computes (assets/src/components/presenter.js): the head with the
# claim at the top, the knobs at the left, the figures beside them, a lesson and a question at the bottom. The styles of figures
# (assets/css) read their layout from here, and have defaults for a page that is not presented.
LARGE = """
html {{ --dml-times: {times}; --dml-knob: 1.48; }}
[data-testid="stMain"] {{ overflow: hidden !important; }}
[data-testid="stExpander"] summary, [data-testid="stSidebarHeader"], .dml-ticks {{ display: none !important; }}
:is(.st-key-present-head, .st-key-presenter, {foot}, {side}) {{ position: fixed !important; z-index: 98; margin: 0 !important;
  box-sizing: border-box; background: light-dark(#ffffff, #0f1218); }}
.st-key-present-head {{ inset: 0 0 auto 0; width: calc(100% - var(--dml-keys, 0px)) !important; padding: 0.5rem 1rem;
  flex-wrap: nowrap !important; }}
.st-key-present-head p {{ font-size: calc(17px * var(--dml-times)); font-weight: 600; line-height: 1.2; }}
.st-key-presenter {{ inset: 0 0 auto auto; width: max-content !important; padding: 0.5rem 1rem; }}
:is({foot}) {{ left: 0; width: 100% !important; padding: 0.2rem 1rem; max-height: 40vh; overflow: auto; }}
:is({side}) {{ left: 0 !important; top: var(--dml-top) !important; width: var(--dml-side) !important; min-width: 0 !important;
  height: auto !important; max-height: var(--dml-high) !important; overflow: hidden auto !important; padding: 0 1rem !important;
  transform: none !important; }}
:is({foot}, {side}) :is([data-testid="stElementContainer"], [data-testid="stPopover"]):not({shown}, {shown} *, :has({shown})) {{
  zoom: var(--dml-knob); }}
:is({side}) [data-testid="stMarkdownContainer"]:has(h5) {{ margin-bottom: 0 !important; }}
:is({side}) .dml-scene:not({shown} *) {{ zoom: 1.2; }}
:is({side}) .dml-scene-note:not({shown} *) {{ display: none; }}
{places}
"""
PLACE_OF_ROW = "{row} {{ bottom: var(--dml-row-{at}, 0px); }}"
PLACE_OF_FIGURE = """
{figure} {{ position: fixed !important; left: var(--dml-left-{at}); top: var(--dml-top); width: var(--dml-wide) !important;
  transform: scale(var(--dml-times)); transform-origin: 0 0; z-index: 97;
  will-change: transform;  /* else Chromium draws what is half transparent several times over */
  --dml-room: var(--dml-free); --dml-most: calc(0.7 * var(--dml-wide)); --dml-aside: none; --dml-beside: grid;
  --dml-words: 13px; --dml-slider: 120px; --dml-number: 1fr; --dml-name: 0; --dml-wrap: normal; --dml-note: 51px; }}
{figure} .dml-race-field .dml-legend {{ display: none; }}
{figure} .dml-race-field p {{ margin: 4px 0 0; font-size: 12px; }}
{figure} .dml-cell-note {{ overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }}
{figure} .dml-live {{ display: flex; flex-direction: column; height: var(--dml-free, 400px); }}
{figure} .dml-live .dml-grid {{ flex: 1; min-height: 0; grid-template-rows: minmax(0, 1fr); }}
{figure} .dml-live .dml-picture {{ flex: 1 1 0 !important; min-height: 60px !important; max-height: none !important; height: auto;
  aspect-ratio: auto !important; }}
{figure} .dml-live :is(.dml-gallery, .dml-strip) .dml-picture {{ overflow: hidden auto; }}
{figure} .dml-gallery [data-many="true"] {{ grid-template-columns: repeat(4, max-content minmax(0, 1fr)) !important;
  align-content: start; }}
{figure} .dml-row {{ grid-template-columns: 76px 16px repeat(8, minmax(0, 1fr)); }}
{figure} .dml-row > * {{ grid-row: auto !important; }}
{figure} .dml-row .dml-arrow {{ display: block; }}
{figure} .dml-embedding .dml-legend {{ max-height: none; }}
{figure} .dml-embedding .dml-legend > :first-child {{ max-width: 100%; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }}
{figure} .dml-grid {{ grid-template-columns: {columns} !important; }}
{figure} .dml-grid > .dml-panel:not({panels}) {{ display: none !important; }}
{figure} .dml-grid > .dml-panel {{ grid-area: auto !important; order: 0 !important; padding: 4px 8px; }}
"""
# Two scenes side by side are as large as they can be, without the buttons that change points.
SCENE_OF_TWO = """
{figure} {{ --dml-beside: block; --dml-most: var(--dml-wide); }}
{figure} .dml-scene-bar {{ display: none; }}
"""
# The panels of a run, or of a race, that are presented together, and their columns.
PANELS = ":is(.dml-embedding, .dml-curves, .dml-gallery, .dml-race-field)"
COLUMNS = "repeat(auto-fit, minmax(200px, 1fr))"
# A page without figures is shown whole, larger.
WHOLE = """<style>
[data-testid="stHeader"], [data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none !important; }
[data-testid="stMainBlockContainer"] { zoom: 1.85; padding: 1rem !important; }
</style>"""


def _name(key: str) -> str:
    return key.replace(".", "-")


def selector(key: str) -> str:
    """The selector of a figure, since a control may have its name."""
    return f".st-key-{_name(key)}:not(.st-key-rail *)"


def style(parts: Sequence[tuple[str, str]], *, large: bool, knobs: bool = False) -> str:
    """The style that shows ``parts``, each a figure and its key or a panel's, ``large`` with claims and knobs, or in a frame.

    In a frame a figure is alone, or beside its ``knobs``.
    """
    figures = [selector(figure) for figure, _ in parts]
    # The presenter's script must stay on the page to receive keys.
    beside = [".st-key-present-head", *FOOT, *SIDE[:2]] if large else [*SIDE[:2]] if knobs else []
    shown = f":is({', '.join([*figures, *beside, '.st-key-presenter'])})"
    if not large:
        rails = f":is({', '.join(SIDE[:2])})"
        more = BESIDE_IT.format(rails=rails, figure=figures[0]) if knobs else ""
        return STYLE.format(shown=shown, more=ALONE.format(shown=shown) + more)
    places = [PLACE_OF_ROW.format(row=row, at=at) for at, row in enumerate(FOOT)]
    for at, (figure, key) in enumerate(parts):
        panels, columns = (PANELS, COLUMNS) if key == figure else (f".dml-{key.rpartition('.')[2]}", "minmax(0, 1fr)")
        places.append(PLACE_OF_FIGURE.format(figure=selector(figure), at=at, panels=panels, columns=columns))
        places += [SCENE_OF_TWO.format(figure=selector(figure))] if len(parts) > 1 else []
    more = LARGE.format(
        times=TIMES, foot=", ".join(FOOT), side=", ".join(SIDE), shown=f":is({', '.join(figures)})", places="\n".join(places)
    )
    return STYLE.format(shown=shown, more=more)
