"""All losses at a glance: a compact card each, that opens the full one."""

from functools import cache
from html import escape
from urllib.parse import quote

import streamlit as st

from dml_viz.app import glossary
from dml_viz.explain.reference.controls import show
from dml_viz.explain.reference.weight_profile import miniature
from dml_viz.losses import LOSSES
from dml_viz.plot.style import NEGATIVE, POSITIVE, on_paper
from dml_viz.plot.weight_curve import weight_sketch, weight_words

# As many columns as there is room for; a title's button reaches over its whole card.
STYLE = """<style>
.st-key-reference-cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: 0.75rem; }
.st-key-reference-cards > div { height: auto; align-self: stretch; }
[class*="st-key-reference-card-"] { position: relative; gap: 0; padding: 0.5rem 0.9rem 0.6rem; height: 100%; }
[class*="st-key-reference-card-"]:hover { border-color: var(--st-primary-color); }
[class*="st-key-reference-card-"] div:has(> button), [class*="st-key-reference-card-"] div:has(> .stButton) { position: static; }
[class*="st-key-reference-card-"] button { position: static; justify-content: flex-start; padding: 0; min-height: 1.8rem; }
[class*="st-key-reference-card-"] button p { font-weight: 600; }
[class*="st-key-reference-card-"] button::after { content: ""; position: absolute; inset: 0; z-index: 1; }
[class*="st-key-reference-card-"] button:focus-visible::after { outline: 2px solid var(--st-primary-color); }
.reference-face { font-size: 0.85rem; line-height: 1.35; }
.reference-face small { font-size: 0.75rem; opacity: 0.75; }
.reference-face img { display: block; width: 100%; max-width: 24rem; margin: 0.2rem 0; }
</style>"""


def overview(names: tuple[str, ...]) -> None:
    """Draw the cards of these losses."""
    st.html(STYLE)
    positive, negative = (
        f'<span style="color: light-dark({on_paper(colour, "light", words=True)}, {on_paper(colour, "dark", words=True)})">'
        f"{sign} pairs</span>"
        for colour, sign in ((POSITIVE, "● positive"), (NEGATIVE, "✕ negative"))
    )
    st.html(
        f"<small>How a loss weighs each pair of one scene: {positive} and {negative}, pushed apart above the line, pulled "
        "together below it, by dL/ds.</small>"
    )
    with st.container(key="reference-cards"):
        for name in names:
            with st.container(border=True, key=f"reference-card-{name}"):
                st.button(LOSSES[name].title, key=f"open.{name}", type="tertiary", on_click=show, args=(name,))
                st.html(_face(name))
    glossary.say(
        "**How these pictures mislead:** heights are each card's own: they compare the pairs of one loss, not two losses. All "
        "losses have their defaults; open a card to turn its knobs.",
        "caption",
    )


@cache
def _face(name: str) -> str:
    """A compact card: families, sentence and sketch."""
    kind, small = LOSSES[name], miniature(LOSSES[name]())
    # As an image, since Streamlit takes drawings out of HTML.
    sketch = quote(weight_sketch(small.s, small.weight, small.positive), safe="")
    words = weight_words(small.s, small.weight, small.positive)
    return (
        f'<div class="reference-face"><small>{escape(" · ".join(kind.families))}</small>'
        f'<img src="data:image/svg+xml,{sketch}" alt="{escape(words)}">{escape(kind.sentence)}</div>'
    )
