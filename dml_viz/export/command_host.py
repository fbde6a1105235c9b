"""The host of one command: an engine that trains, a headless Chrome that draws, and the visitor's files."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from dml_viz.data.files import OwnEmbeddings, OwnImages
from dml_viz.data.own import Scored, scored
from dml_viz.data.own_images import read_and_register_images
from dml_viz.engine import Engine, Job, start
from dml_viz.engine.results import Result
from dml_viz.engine.store import Store
from dml_viz.engine.sweeps import Progress, train, train_sweep, without_progress
from dml_viz.figure_files.chrome import HeadlessChrome
from dml_viz.room.fingerprint import LENGTH
from dml_viz.room.source import Host
from dml_viz.training.race import Race
from dml_viz.training.run import Run
from dml_viz.training.sweep import Sweep


class CommandHost(Host):
    """The `Host` whose engine and headless Chrome all figures of one command share, each started when first needed."""

    def __init__(
        self, stack: ExitStack, store: Store | None = None, data: Sequence[Path] = (), progress: Progress = without_progress
    ) -> None:
        """``data`` are the visitor's own files that figures may show; FileError for one that cannot be used.

        ``progress`` is called with (step, last step) while a run trains.
        """
        self._stack, self._store, self._progress = stack, store, progress
        self.own: dict[str, OwnEmbeddings] = {}  # by fingerprint
        self._paths: dict[str, Path] = {}  # of the files by fingerprint
        self._used: set[Path] = set()
        self._images: dict[str, OwnImages] = {}
        for path in data:
            content, images = read_and_register_images(path)
            if isinstance(content, OwnEmbeddings):
                self.own[content.fingerprint[:LENGTH]] = content
                self._paths[content.fingerprint[:LENGTH]] = path
            if images:
                self._images[images.short_fingerprint] = images
                self._paths[images.short_fingerprint] = path
        self._chrome: HeadlessChrome | None = None
        self._engine: Engine | None = None

    def chrome(self) -> HeadlessChrome:
        """The headless Chrome."""
        if self._chrome is None:
            self._chrome = HeadlessChrome()
            self._stack.callback(self._chrome.close)
        return self._chrome

    def engine(self) -> Engine:
        """The engine that trains runs and races."""
        if self._engine is None:
            self._engine = start(store=self._store)
            self._stack.callback(self._engine.close)
        return self._engine

    def train(self, trained: Run | Race, step: int, plane: int = 0, last: int | None = None) -> Job:
        return train(self.engine(), trained, step, self._progress, plane, last)

    def train_sweep(self, sweep: Sweep) -> Sequence[Result | None]:
        return train_sweep(self.engine(), sweep, self._progress)

    def own_file(self, fingerprint: str) -> Scored:
        if fingerprint not in self.own:
            raise ValueError(f"it shows your file with fingerprint {fingerprint or 'unknown'}; name it: --data FILE")
        self._used.add(self._paths[fingerprint])
        return scored(self.own[fingerprint])

    def own_images(self, name: str) -> OwnImages:
        if name not in self._images:
            raise ValueError(f"it shows your images with fingerprint {name or 'unknown'}; name them: --data FILE")
        self._used.add(self._paths[name])
        return self._images[name]

    @property
    def files_not_shown(self) -> tuple[Path, ...]:
        """The visitor's files that no figure has asked for."""
        return tuple(path for path in dict.fromkeys(self._paths.values()) if path not in self._used)
