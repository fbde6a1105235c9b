"""Proxies

A learnt star for every class: who pulls whom, how hard, and when it stops.
"""

import streamlit as st

from dml_viz.app.explainer import Claims, Drawing, Explainer, Row, Section
from dml_viz.explain.proxies import ROOM
from dml_viz.explain.proxies import text as say
from dml_viz.explain.proxies.formulas import of_proxy, of_sample
from dml_viz.explain.proxies.second_view import second_view
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA


def how_views_mislead(drawing: Drawing) -> None:
    """Draw the last words on the two views."""
    st.caption(f"**How these pictures mislead:** {say.views_mislead(drawing.model)}")


def formulas(drawing: Drawing) -> None:
    """Draw both formulas side by side, each with its numbers."""
    with st.container(key="proxies-formulas"):
        left, right = st.columns(2, gap="medium")
        left.latex(ProxyNCA.formula)
        left.latex(of_sample(drawing.model, drawing.display))
        right.latex(ProxyAnchor.formula)
        right.latex(of_proxy(drawing.model, drawing.display))


Explainer(
    ROOM,
    "Every class has a learnt **star**. Proxy-NCA asks each sample about all stars, Proxy-Anchor each star about all samples: "
    "that decides whether the pull ends.",
    (
        Row(
            Section("Proxy-NCA: each sample asks all stars", "nca", scene=True, look_for=say.widths),
            Section(
                "Proxy-Anchor: each star asks all samples", "anchor", scene=True, below=second_view,
                look_for="where the wide edges go: a star pulls its hardest sample, pushes its hardest stranger, and has "
                "nothing left for those that have arrived.",
            ),
        ),
        how_views_mislead,
        Section(
            say.heading_of_curves, "pull", "push", look_for=say.curves,
            misleads="each curve moves one pair and holds all others, which a training step does not; and the heights are "
            "shares, so equal heights are not equal weights.",
        ),
        formulas,
        Section(
            say.heading_of_flows, "flow-nca", "flow-anchor", "flow", widths=(2, 2, 3), look_for=say.flows,
            misleads="no net stands between the loss and the samples here, so each goes where it is sent; and each loss has a "
            "rate of its own, set so that its largest pull turns a sample by 0.05 radian. A star of Proxy-Anchor shares its pull "
            "among its samples, so many of them go slowly.",
        ),
        Section(
            "Who competes: stars for a sample, or samples for a star", "table-nca", "table-anchor", "table-cousin",
            look_for=say.sums, misleads=say.tables_mislead,
        ),
        Section(
            "The cousins keep the positive in the denominator, so their pull fades as well, a margin later",
            "cousin", "pull-cousin", widths=(2, 3), misleads=say.variant_misleads,
            look_for="where the solid curve falls: the margin is how much farther a sample is pulled after it has won.",
        ),
        Claims(("proxy_nca", "proxy_anchor", "margin_softmax", "soft_triple")),
    ),
    caption=lambda model, _: model.settings.note,
    size="{size} samples in {dim} dimensions.",
).run()  # fmt: skip
