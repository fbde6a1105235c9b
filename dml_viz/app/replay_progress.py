"""The progress of a run that is trained again to the step of a link."""

from typing import Literal

import streamlit as st

from dml_viz.engine.job_view import JobView
from dml_viz.engine.status import GOING

REFRESH = 0.5  # seconds between a page's looks at a run that trains


def draw_progress(job: JobView, step: int, *, width: int | Literal["stretch"] = "stretch") -> None:
    """Draw a bar of the steps trained towards ``step``; nothing once the run is there, or if it has stopped before."""
    if _on_the_way(job, step):
        _bar(job, step, width)


@st.fragment(run_every=REFRESH)
def _bar(job: JobView, step: int, width: int | Literal["stretch"]) -> None:
    if _on_the_way(job, step):
        text = f"Training to the link’s step: {job.step:,} of {step:,}"
        with st.container(key="retraining", width=width):
            st.progress(min(job.step / step, 1.0), text=text)


def _on_the_way(job: JobView, step: int) -> bool:
    return job.step < min(step, job.budget) and job.status in GOING
