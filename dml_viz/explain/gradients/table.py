"""The length of every point's gradient under every loss, as a table that can be taken home."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from dml_viz.explain.gradients.controls import KEY
from dml_viz.explain.gradients.model import Model

HEIGHT = 300
FITTING = 8  # losses whose columns fit beside each other on a small screen


def table(model: Model, class_names: Sequence[str]) -> None:
    """Draw the table of ``model``, whose points are of classes called ``class_names``, and offer it as CSV."""
    labels = model.y.tolist()
    more = f"; scroll sideways for all {len(model.responses)} losses" if len(model.responses) > FITTING else ""
    st.markdown(f"The length of every point's gradient along the sphere{more}")
    rows = {"point": np.arange(len(labels)), "class": [class_names[label] for label in labels]}
    lengths = {model.titles[name]: own.lengths for name, own in model.responses.items()}
    st.dataframe(
        {**rows, **lengths}, hide_index=True, height=HEIGHT,
        column_config={name: st.column_config.Column(pinned=True) for name in rows},
    )  # fmt: skip
    st.download_button(
        "Table as CSV", lambda: model.table(class_names), "gradients.csv", "text/csv", key=f"{KEY}.csv",
        on_click="ignore", icon=":material/download:", help="One row for each point and loss, with its gradient.",
    )  # fmt: skip
