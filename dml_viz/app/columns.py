"""Controls beside the figures: in sight wherever one has scrolled to; on a narrow screen two by two above them."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dml_viz.app.theme import theme
from dml_viz.plot.style import PAPER

# The column of controls is as tall as that of the figures, so that there is room to stay in.
STYLE = """<style>
.st-key-rail { gap: 0.4rem; padding-right: 0.5rem; }
.st-key-rail [data-testid="stButtonGroup"] button { padding-inline: 0.55rem; }
@media (min-width: 641px) {
  [data-testid="stColumn"]:has(.st-key-rail) > div { height: 100%%; }
  div:has(> .st-key-rail) { position: sticky; top: 4rem; max-height: calc(100vh - 5rem); overflow: hidden auto; }
}
@media (max-width: 640px) {
  [data-testid="stColumn"]:has(.st-key-rail) { position: sticky; top: 3.5rem; z-index: 10; background: %s; }
  .st-key-rail {
    display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; max-height: 9.5rem; overflow-y: auto; padding-bottom: 0.4rem;
  }
  .st-key-rail:has(.dml-ticks) { grid-template-columns: 1fr; }
  .st-key-rail > * { width: 100%% !important; min-width: 0; }
  .st-key-rail > :has([data-testid="stExpander"], [data-testid="stMarkdown"]) { grid-column: 1 / -1; }
}
</style>"""


def side_column() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Where the controls go, and where the figures."""
    st.html(STYLE % PAPER[theme()])
    controls, figures = st.columns([1, 4], gap="medium")
    return controls.container(key="rail"), figures
