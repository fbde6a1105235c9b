"""The branch of a run that a link asks for; no Streamlit here."""

from dataclasses import dataclass
from typing import NamedTuple

from dml_viz.params import NearestError
from dml_viz.room.ask import TRAIN, Ask, ReadSetting, Versions
from dml_viz.room.run_form import run_form
from dml_viz.room.source import (
    MAP_MISLEADS,
    OF_RUN,
    PICTURE,
    PLANE,
    QUERY,
    STEP,
    Live,
    Picture,
    Subject,
    ViewSettings,
    choose_projection,
)
from dml_viz.training.race import Race, Racer
from dml_viz.training.race_url import read_racers, write_racers
from dml_viz.training.run import Run

TITLE = "Train live"
KEY = "fork"
# Links without a version were written when points were drawn in a plane alone.
VERSIONS = Versions(TRAIN, {}, {PICTURE: "plane"})
MISLEADS = (
    "retrieval (R@1, mAP, MAP@R) is scored on two fixed choices of images, of those trained on and of others, at most 250 "
    "each. Among more images the numbers would be lower. Where classes are held out, their choice moves the numbers by tenths, "
    "and one seed ranks no losses: try a new one before believing a difference. A plane keeps two directions "
    "of many, those of most variance at each step: points that coincide there may be far apart." + MAP_MISLEADS
)
BEFORE = "fastap~"  # any racer to branch off: a link names it by its place


@dataclass(frozen=True)
class BranchTextSetting(ReadSetting):
    """The branch as a link writes it, such as ``triplet.margin:0.5@120-1``; empty without a branch."""

    default: str = ""

    def read(self, text: str) -> str:
        """The branch as `write_racers` writes it; ValueError for any other text."""
        return write_racers([fork_racer(text)]) if text else ""


def fork_racer(text: str) -> Racer:
    """The branch written in ``text``; ValueError unless it is exactly one, `NearestError` if its knobs are impossible."""
    try:
        _, racer = read_racers(f"{BEFORE}{text}")
    except ValueError as error:
        near = getattr(error, "nearest", "").removeprefix(BEFORE)
        if "@" in near and "~" not in text:
            raise NearestError(f"fork: {error}", near) from None
        raise ValueError(f"fork {text[:40]!r} is no branch ({error}); write a loss, its knobs and @step-1") from None
    if racer.branch is None:
        raise ValueError(f"fork {text[:40]!r} leaves the run nowhere; write a loss, its knobs and @step-1")
    return racer


class RunWithBranch(NamedTuple):
    """A run, the racer that branches off it, if any, and the picture of its points."""

    run: Run
    branch: Racer | None
    picture: Picture


def run_with_branch(ask: Ask, subject: Subject) -> RunWithBranch:
    """The run of a link, its branch and its picture."""
    ask.of_version(VERSIONS)
    run, text = run_form(ask), ask.setting(KEY, BranchTextSetting())
    return RunWithBranch(run, fork_racer(text) if text else None, choose_projection(ask))


def live_picture(settings: RunWithBranch) -> Live:
    """The picture of the run, or of both branches."""
    run, branch, picture = settings
    if branch is None:
        return Live("train", TITLE, run, OF_RUN, picture=picture, notes=("", MISLEADS))
    race = Race(run, (Racer(run.loss), branch))
    return Live(KEY, TITLE, race, ViewSettings.of_race(KEY), others=(STEP, QUERY, PLANE), picture=picture, notes=("", MISLEADS))
