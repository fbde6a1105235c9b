"""Fork from here: a run goes on from the step shown with another loss, knob or rate, and both branches are drawn."""

import streamlit as st

from dml_viz.app import notice, run_controls, tab, url_state
from dml_viz.app.run_buttons import go_button, reset_button
from dml_viz.app.training_session import RUN, TrainingSession
from dml_viz.engine import Job
from dml_viz.explain.train.settings import KEY, BranchTextSetting, fork_racer
from dml_viz.room.source import Picture
from dml_viz.training.experiment import Branch
from dml_viz.training.race import Race, Racer
from dml_viz.training.race_url import write_racers
from dml_viz.training.run import Run

OPEN = "fork.open"
FORK = TrainingSession.of_race("fork")
ALL_BACK = "All back to the very same start."
PLAIN = "The fork starts again from its step."


def branch(run: Run) -> Racer | None:
    """The branch that the link or the visitor asks for, which stays in the link; None without a fork."""
    text = url_state.setting(KEY, BranchTextSetting())
    url_state.write_setting(KEY, text, "")
    racer = fork_racer(text).without_unfit_changes(run) if text else None
    if racer and racer.branch and racer.branch.step >= run.steps:
        st.warning(f"The run has {run.steps:,} steps, so that it cannot be forked at step {racer.branch.step:,}.")
        return None
    try:
        _race(run, racer or Racer(run.loss))
    except ValueError as error:
        st.warning(f"{error}.")
        return None
    return racer


def draw_fork_button(job: Job | None, run: Run) -> None:
    """Draw the button that forks the run at the step shown, with the same loss, whose knobs can then be changed."""
    st.button(
        "Fork from here",
        icon=":material/fork_right:",
        key="fork.make",
        on_click=_fork,
        args=(run,),
        disabled=job is None,
        help="Goes on from the step shown under another loss, knob or learning rate, and draws both branches.",
    )


def draw_both_branches(racer: Racer, run: Run, job: Job | None, picture: Picture) -> None:
    """Draw both branches: the run as it was, and ``racer`` from its step on."""
    assert racer.branch
    race = _race(run, racer)
    # The run's own frames are used up to that step if it has been there; else it trains again, with the same result.
    known = job if job and job.run == run and job.step >= racer.branch.step else None
    until = racer.branch.step if _same(racer, run) else None  # there the visitor changes B
    fork = FORK.job_for(race, first=known, until=until, anew=True)
    if fork is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        go_button(FORK, fork, race, "Train both", ":material/play_arrow:", width=140)
        reset_button(FORK, fork, ALL_BACK)
        with st.popover("Change B", icon=":material/tune:"):
            run_controls.loss_control(racer, OPEN, lambda: _change(run), PLAIN)
            run_controls.knob_controls(racer, run, OPEN, lambda: _change(run), PLAIN, columns=2)
        st.button("Back to the run", icon=":material/undo:", key="fork.leave", on_click=_leave)
        way = "".join(f", changed at step {step:,} ({what})" for step, what in fork.changes)
        st.markdown(
            f"**A** is the run{way}; the controls at the side are its own. **B** leaves it at step {racer.branch.step:,} under "
            f"**{racer.title}**, with the same weights and the same batches to come."
            + (" Both are the same so far: *Change B* before you train." if _same(racer, run) else "")
        )
    if message := tab.FORK_MESSAGE.pop():
        st.warning(message)
    FORK.show(fork, race, key=FORK.name, layout="race", picture=picture)


def _same(racer: Racer, run: Run) -> bool:
    """Whether the branch is still the run itself."""
    return racer.loss == run.loss and not racer.changes


def _race(run: Run, racer: Racer) -> Race:
    return Race(run, (Racer(run.loss), racer))


def _fork(run: Run) -> None:
    if not RUN.job:
        return
    if (step := RUN.shown_step()) >= run.steps:
        notice.announce_with_next_run(f"No step is left after {step:,}: show an earlier one, or give the run more steps.")
    else:
        tab.control(KEY).set(write_racers([Racer(run.loss, Branch(max(1, step), 0))]))


def _leave() -> None:
    tab.control(KEY).set("")


def _change(run: Run) -> None:
    before = fork_racer(tab.control(KEY).get())
    try:
        racer = run_controls.read_racer(before, run, OPEN, before.branch)
        _race(run, racer)
    except ValueError as error:
        tab.FORK_MESSAGE.set(f"{error}.")
        return
    tab.control(KEY).set(write_racers([racer]))
