"""The plane in which more than three dimensions are drawn, held so that points move and the picture does not turn."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dml_viz.app.training_session import RUN
from dml_viz.plot.projection import principal_plane


def held_plane(key: str, z: np.ndarray) -> np.ndarray | None:
    """The principal plane (d, 2) of rows z (N, d), as it was when page ``key`` first drew this run; None where d is at most 3."""
    if z.shape[1] <= 3:
        return None
    key = f"{key}.plane.{st.session_state.get(f'{RUN.name}.id')}.{len(z)}.{z.shape[1]}"
    if key not in st.session_state:
        st.session_state[key] = principal_plane(z)
    return np.asarray(st.session_state[key])
