"""The branch of a run that a link asks for; no Streamlit here."""

from dataclasses import dataclass

from dml_viz.params import NearestError
from dml_viz.room.ask import ReadSetting
from dml_viz.training.race import Racer
from dml_viz.training.race_url import read_racers, write_racers

TITLE = "Train live"
KEY = "fork"
BEFORE = "fastap~"  # any racer to branch off: a link names it by its place


@dataclass(frozen=True)
class Written(ReadSetting):
    """The branch as a link writes it, such as ``triplet.margin:0.5@120-1``; empty without a branch."""

    default: str = ""

    def read(self, text: str) -> str:
        """The branch as `write_racers` writes it; ValueError for any other text."""
        if not text:
            return ""
        racer = fork_racer(text)
        return write_racers([racer])


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
