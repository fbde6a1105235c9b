"""Work on the rows of a file goes on while a tab waits for it, once for all tabs, and what it finds is kept."""

import io
from collections.abc import Callable
from threading import Event

import numpy as np
import pytest

from dml_viz.data.files import File, FileError, OwnEmbeddings, read
from dml_viz.data.own import Scored, scored
from dml_viz.serve.file_analyses import FileAnalyses
from dml_viz.serve.uploads import Turns


def file(seed: int = 0) -> Scored:
    content = io.BytesIO()
    np.savez(content, z=np.random.default_rng(seed).standard_normal((40, 5)), y=np.arange(40) % 4)
    found = read([File("a.npz", content.getvalue())])
    assert isinstance(found, OwnEmbeddings)
    return scored(found)


class Stages:
    """What finds out a stage: it waits until it may, reports, and is counted."""

    def __init__(self) -> None:
        self.may, self.begun, self.ended, self.made = Event(), Event(), Event(), list[str]()
        self.error = ""

    def __call__(self, scored: Scored, stage: str, progress: Callable[[float], object]) -> None:
        self.begun.set()
        try:
            while not self.may.wait(0.01):
                progress(0.5)
            if self.error:
                raise FileError(self.error)
            self.made.append(stage)
            vars(scored)[stage] = stage
        finally:
            self.ended.set()


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> Stages:
    made = Stages()
    monkeypatch.setattr(Scored, "find_out", lambda scored, stage, progress: made(scored, stage, progress))
    return made


@pytest.fixture
def analyses() -> FileAnalyses:
    return FileAnalyses(Turns(2))


def done(analyses: FileAnalyses, session: str, scored: Scored) -> bool:
    """Whether all is known, as soon as nothing works any more."""
    while any(not each.error for each in analyses.watch(session, session, [scored])):
        Event().wait(0.01)
    return scored.knows()


def test_two_tabs_with_one_file_share_its_work_and_a_third_finds_it_done(analyses: FileAnalyses, stages: Stages) -> None:
    first, second = file(), file()
    assert analyses.watch("a", "a", [first]) == analyses.watch("b", "b", [second])
    stages.may.set()
    assert done(analyses, "a", first)
    assert done(analyses, "b", second)
    third = file()
    analyses.fill_from_known(third)
    assert third.knows()
    assert stages.made == ["nearest", "ranked", "map"]


def test_work_goes_on_while_one_of_two_tabs_waits_and_ends_when_none_does(analyses: FileAnalyses, stages: Stages) -> None:
    analyses.watch("a", "a", [file()])
    analyses.watch("b", "b", [file()])
    assert stages.begun.wait(60)
    analyses.leave("a")
    assert not stages.ended.wait(0.1)
    analyses.leave("b")
    assert stages.ended.wait(60)
    stages.may.set()
    assert done(analyses, "c", file())  # it begins anew


def test_a_tab_that_shows_another_file_waits_for_the_first_no_longer(analyses: FileAnalyses, stages: Stages) -> None:
    analyses.watch("a", "a", [file()])
    assert stages.begun.wait(60)
    analyses.watch("a", "a", [file(1)])
    assert stages.ended.wait(60)
    stages.may.set()
    assert done(analyses, "a", file(1))


def test_a_file_that_takes_too_much_gets_a_sentence_and_the_next_tab_tries_again(analyses: FileAnalyses, stages: Stages) -> None:
    stages.error = "the rows take too much"
    stages.may.set()
    scored = file()
    assert not done(analyses, "a", scored)
    assert [each.error for each in analyses.watch("a", "a", [scored])] == [stages.error]
    analyses.leave("a")
    stages.error = ""
    assert done(analyses, "a", scored)
