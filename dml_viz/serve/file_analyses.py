"""What is found out about the rows of visitors' files while their pages are open: nearest rows, scores, neighbour maps.

Each file is worked on once, however many tabs show it, in child processes and in the order of `Scored.stages`. What is found is
kept for the next visitor with the same file, or the same visitor after a reload. Work that no tab waits for ends.
"""

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from threading import Lock, Thread
from typing import Any

from dml_viz.data.files import FileError
from dml_viz.data.own import Scored
from dml_viz.engine.pool import spare_cores
from dml_viz.serve.uploads import Turns
from dml_viz.threads import once

MOST = 12  # files whose results are kept, some 6 MB each for 50,000 rows


class Left(Exception):  # noqa: N818  its name is what happened
    """No tab waits for the analysis any more."""


class FileAnalysis:
    """One file's analysis: its ``stage``, the ``share`` of that stage that is done, and the ``error`` that ended it, or ""."""

    def __init__(self, scored: Scored) -> None:
        self.scored, self.stage, self.share, self.error, self.waits = scored, "", 0.0, "", False
        self.watched_by: set[str] = set()  # sessions

    def run(self, turns: Turns, visitor: Hashable) -> None:
        """Find out each stage that is not known yet, in the visitor's turn."""
        try:
            self.waits = True
            with turns.of(visitor, self._look):
                self.waits = False
                for stage in self.scored.stages:
                    self.stage, self.share = stage, 0.0
                    if not self.scored.knows(stage):
                        self.scored.find_out(stage, self._look)
        except Left:
            pass
        except FileError as error:
            self.error = str(error)

    def _look(self, share: float = 0.0) -> None:
        self.share = share
        if not self.watched_by:
            raise Left


class FileAnalyses:
    """The analyses of one server process; safe to use from any thread."""

    def __init__(self, turns: Turns) -> None:
        self._turns, self._lock = turns, Lock()
        self._analyses: dict[str, FileAnalysis] = {}
        self._known: OrderedDict[str, Mapping[str, Any]] = OrderedDict()

    def watch(self, session: str, visitor: Hashable, files: Sequence[Scored]) -> list[FileAnalysis]:
        """The analyses of ``files``, begun where something is not known yet; ``session`` waits for these and for no others."""
        with self._lock:
            wanted = [scored for scored in map(self._filled, files) if not scored.knows()]
            names = {scored.content_key for scored in wanted}
            for name, analysis in self._analyses.items():
                if name not in names:
                    analysis.watched_by.discard(session)
            self._drop_errors()
            return [self._of(scored, session, visitor) for scored in wanted]

    def leave(self, session: str, *names: str) -> None:
        """Let ``session`` wait no longer for the files called ``names`` by their content, by default for none."""
        with self._lock:
            for name in names or tuple(self._analyses):
                if name in self._analyses:
                    self._analyses[name].watched_by.discard(session)
            self._drop_errors()

    def fill_from_known(self, scored: Scored) -> None:
        """Copy into ``scored`` what is known of its file."""
        with self._lock:
            self._filled(scored)

    def _filled(self, scored: Scored) -> Scored:
        known = self._known.get(scored.content_key)
        analysis = self._analyses.get(scored.content_key)
        if known:
            self._known.move_to_end(scored.content_key)
        for found in (known or {}, vars(analysis.scored) if analysis else {}):
            vars(scored).update({stage: found[stage] for stage in scored.stages if stage in found})
        return scored

    def _drop_errors(self) -> None:
        self._analyses = {name: each for name, each in self._analyses.items() if each.watched_by or not each.error}

    def _of(self, scored: Scored, session: str, visitor: Hashable) -> FileAnalysis:
        analysis = self._analyses.get(scored.content_key)
        if analysis is None:
            analysis = self._analyses[scored.content_key] = FileAnalysis(scored)
            analysis.watched_by.add(session)
            Thread(target=self._run, args=(analysis, visitor), name="rows of a file", daemon=True).start()
        analysis.watched_by.add(session)
        return analysis

    def _run(self, analysis: FileAnalysis, visitor: Hashable) -> None:
        name = analysis.scored.content_key
        try:
            analysis.run(self._turns, visitor)
        finally:
            with self._lock:
                found = vars(analysis.scored)
                self._known[name] = {stage: found[stage] for stage in analysis.scored.stages if stage in found}
                self._known.move_to_end(name)
                while len(self._known) > MOST:
                    self._known.popitem(last=False)
                if not analysis.error:  # an error is told until its tabs are closed
                    del self._analyses[name]


@once
def file_analyses() -> FileAnalyses:
    """The analyses of this server process."""
    return FileAnalyses(Turns(max(2, spare_cores())))
