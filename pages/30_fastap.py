"""FastAP

From a ranking to a gradient: one query and the whole batch, on a scene or on the live run.
"""

from collections.abc import Callable

import streamlit as st

from dml_viz.app import replay_progress, url_state
from dml_viz.app.controls import controls
from dml_viz.app.drawn_plane import held_plane
from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.figure import figure
from dml_viz.app.page import page, section
from dml_viz.app.presets import break_it
from dml_viz.app.subject_picker import choose_subject
from dml_viz.app.theme import theme
from dml_viz.embedding.soft_bins import LARGEST, Binning
from dml_viz.explain.fastap.breaks import BREAKS
from dml_viz.explain.fastap.model import Settings as ModelSettings
from dml_viz.explain.fastap.model import model as model_of
from dml_viz.explain.fastap.view import Settings, view
from dml_viz.losses.fastap import FastAP

KINDS = {"soft": "soft", "hard": "hard", "half": "ends at 2"}
ARROWS = {"query": "of this query", "batch": "of the whole loss"}


def show(fig: Encoded, name: str, on_click: Callable[[int], None] | None = None) -> None:
    """Draw a figure of this page; pointing at a point points at it in all of them."""
    height, words = fig.height, fig.alt
    figure(fig, key=f"fastap-{name}", alt=words, theme=theme(), height=height, link="fastap", on_click=on_click)


def select(point: int) -> None:
    """Make a point of the subject the query."""
    st.session_state["fastap.query"] = point


with page(
    "FastAP",
    "A ranking has no gradient. FastAP reads it off **histograms of distances**, which have one, and so raises average "
    "precision itself.",
):
    chosen = choose_subject("overlapping")
    size = len(chosen.subject().y)
    knobs, point, kinds, whose = st.columns(4)
    with knobs:
        loss = controls(FastAP, "fastap")
    with point:
        query = url_state.number("fastap.query", "Query", 0, size - 1, 0, note="The point that ranks all others.")
    with kinds:
        note = "Soft: a pair is shared by its two nearest centres. Hard: the nearest takes all. Ends at 2: a mistake to try."
        kind = url_state.choice("fastap.kind", "Binning", tuple(KINDS), "soft", named=KINDS, note=note)
    with whose:
        arrows_of = url_state.choice("fastap.arrows", "Arrows", tuple(ARROWS), "query", named=ARROWS)
    broken = break_it(tuple(BREAKS))
    binning = Binning(loss.bins, hard=kind == "hard", top=LARGEST / 2 if kind == "half" else LARGEST)

    moving = chosen.moving()

    @st.fragment(run_every=replay_progress.REFRESH if moving else None)
    def pictures() -> None:
        """All figures, of the subject as it is now."""
        # A click on the batch chose another query, or the run has come to a stop.
        if st.session_state["fastap.query"] != query or (moving and not chosen.moving()):
            st.rerun()
        model = model_of(chosen.subject(), ModelSettings(query, binning))
        who = [f"#{k} ({chosen.names[c]})" for k, c in enumerate(model.y.tolist())]
        seen = view(model, Settings(who, chosen.names, arrows_of == "query", theme(), held_plane("fastap", model.z)))
        with st.container(horizontal=True, vertical_alignment="center"):
            if chosen.images is not None:
                st.image(chosen.images[query], width=48)
            st.caption(
                f"{model.embeddings.provenance.rstrip('.')}. {size} points in {model.z.shape[1]} dimensions; "
                f"the query is {who[query]}."
            )
        if broken:
            st.info(BREAKS[broken](model))

        left, right = st.columns([3, 2], gap="large")
        with left, section(
            "A ranking becomes histograms, and histograms have a gradient",
            look_for="bins where both colours meet; hover one, and every row answers for it. Only there does a negative have a "
            "slope in row 7, and once every negative is beyond the shaded two bins, all slopes are 0.",
            misleads=f"bins are equal in d², not in distance: the first of these {loss.bins} reaches to d = "
            f"{binning.width**0.5:.3f}, the last covers {binning.top**0.5 - (binning.top - binning.width) ** 0.5:.3f} of d. "
            "The lines join values that exist only at the centres.",
        ):  # fmt: skip
            show(seen.pipeline, "pipeline")
        with right:
            with section(
                "Exact AP takes a step at every point, FastAP at every bin",
                look_for="the grey between the steps: precision lost because a positive shares its bin with negatives.",
                misleads="the binned curve can lie above the exact one, as part of a negative arrives only in its second bin; "
                "and what happens after the last positive has no area.",
            ):
                show(seen.precision_recall, "precision_recall")
            with section(
                "Each arrow adds up what the point's bins ask of it",
                look_for="negatives without an arrow, though they stand between positives: their bin holds no positive.",
                misleads="the longest arrow always has the same length, so a finished run looks as busy as a new one: read its "
                "number. Only the tangent part is drawn; the net never receives the rest.",
            ):
                show(seen.arrows, "arrows")
        st.latex(type(loss).formula)
        st.latex(seen.in_numbers)

        left, right = st.columns(2, gap="large")
        beside = f"{seen.beside:.3f} beside" if model.one.positives else "beside"
        with left, section(
            "Fewer bins ask for a wider margin; many end beside exact AP",
            look_for="where the curve touches 1, if it does: from that number of bins on, this query is done.",
            misleads=f"it is one query's curve, and its teeth are chance: where centres fall among points. Soft bins end "
            f"{beside} exact AP, not at it, since a positive is split over two bins and "
            "its first part is ranked without the rest; hard bins do reach it, without a gradient.",
        ):  # fmt: skip
            show(seen.against_bins, "against_bins")
        with (
            right,
            section(
                "What circulates about FastAP, measured on these points",
                misleads="these are numbers of one subject; move the bins and choose others before you quote them.",
            ),
        ):
            st.markdown(seen.facts)

        left, right = st.columns(2, gap="large")
        with (
            left,
            section(
                "Over the batch, FastAP parts two histograms",
                look_for="how far the two colours overlap: that is what the loss has left to part.",
                misleads=f"each colour shows shares of its own total, though only {seen.positive_pairs:,} of "
                f"{size * (size - 1):,} pairs are positive; and every query has an overlap of its own, which the sum hides.",
            ),
        ):
            show(seen.batch, "batch")
        with (
            right,
            section(
                "The loss is 1 less the mean over queries, which is not 1 − mAP",
                look_for="the worst queries at the left; click one to see it above.",
                misleads="it is sorted by FastAP, so exact AP seems the noisier of the two.",
            ),
        ):
            show(seen.queries, "queries", on_click=select)

    pictures()
