"""The runs of a sweep in a table, and the picked run, each with a link that opens it."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dml_viz.app import tab
from dml_viz.engine.members import METRICS
from dml_viz.engine.results import Result, results_as_csv
from dml_viz.explain.sweep.model import SCORES, scored_data
from dml_viz.figure_files.spec import linked
from dml_viz.room.run_form import run_link
from dml_viz.training.paths import write_value
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep

CLICKABLE = ("knob", "grid", "lines")


def table(sweep: Sweep, results: Sequence[Result | None]) -> None:
    """Draw a table of all runs with their scores and links, and a button that saves the scores at all looks as CSV."""
    rows, titles = [], [_titled(metric, sweep.run) for metric in METRICS]
    for number, (run, result) in enumerate(zip(sweep.runs, results, strict=True)):
        cell = dict(zip(sweep.titles, map(write_value, sweep.cells[number % len(sweep.cells)]), strict=True))
        last = result.rows[-1, 1:].tolist() if result else [None] * len(METRICS)
        rows.append({**cell, "seed": run.seed, **dict(zip(titles, last, strict=True)), "run": _opening(run) or None})
    columns = {title: st.column_config.NumberColumn(format="%.3f") for title in titles}
    opens = st.column_config.LinkColumn(display_text="open")
    st.dataframe(rows, hide_index=True, column_config={**columns, "run": opens})
    st.download_button(
        "CSV",
        results_as_csv(sweep, results),
        "sweep.csv",
        "text/csv",
        icon=":material/download:",
        key="sweep.csv",
        on_click="ignore",
        help="Every run at every step that was looked at.",
    )


def _titled(metric: str, run: Run) -> str:
    score, _, group = metric.partition(".")
    return f"{SCORES[score]}, {scored_data(run, group)}" if group else SCORES[score]


def pick_run(number: int) -> None:
    """Pick the run of this number."""
    tab.SWEEP_PICK.set(number)


def draw_picked_run(sweep: Sweep) -> None:
    """Draw the picked run, with a link that opens it."""
    number = tab.SWEEP_PICK.get()
    if number is None or not 0 <= number < len(sweep.runs):
        st.caption("Click a point, or a cell of a map, to open its run; a mean's is that of the first seed.")
        return
    run, cell = sweep.runs[number], sweep.cells[number % len(sweep.cells)]
    label = ", ".join(f"{title} {write_value(value)}" for title, value in zip(sweep.titles, cell, strict=True))
    link = _opening(run)
    opens = f"[Open it in Train live]({link})" if link else "Train live has no such value."
    st.markdown(f"**{label}, seed {run.seed}.** {opens}")


def _opening(run: Run) -> str:
    """A link that opens ``run`` on the training page; empty if that page cannot show one of the values."""
    link = run_link(run)
    return linked("train", link) if link or replace(run, every=0) == Run() else ""
