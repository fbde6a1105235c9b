"""What hangs in the gallery, in order, from assets/gallery.toml."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

from dml_viz.assets import ASSETS
from dml_viz.figure_files.spec import Spec, declared_run, linked
from dml_viz.training.run import Run


@dataclass(frozen=True)
class Entry:
    """A figure by its key on its page, which ``settings`` bring into the state that is worth showing, and what it shows.

    ``tall`` is how many pixels of height its picture needs, if it is more than others get.
    """

    name: str
    title: str
    sentence: str
    page: str
    figure: str
    settings: Mapping[str, str] = field(default_factory=dict)
    tall: int = 0

    @property
    def link(self) -> str:
        """The page in that state, relative to the app."""
        return linked("" if self.page == "start" else self.page, self.settings)

    @property
    def spec(self) -> Spec:
        """As much of the figure's spec as is declared; the page tells the rest. A step is one of the default run."""
        step = int(self.settings["step"]) if "step" in self.settings else None
        run = None if step is None else declared_run(Run())
        return Spec(self.figure, self.page, self.link, self.title, run=run, step=step)


GALLERY = tuple(
    Entry(**declared) for declared in tomllib.loads((ASSETS / "gallery.toml").read_text(encoding="utf-8"))["figure"]
)
