"""Interactive pictures of deep metric learning. This is the map of the house, from the roof to the cellar.

    export          the command line: the spec of a figure in, files out; no Streamlit
    explain         one room per page: its model, figures, controls, presets and sentences
    app             Streamlit: the frame, the explainer that draws a room, controls, links, lessons, live runs
    serve           the server beside Streamlit's pages: figures, runs, files, watched loops; what it refuses
    room            the contract of a page, and what is read from its link; no Streamlit and no web server
    figure_files    what a figure was made of (spec), one file per format, headless Chrome
    engine          jobs of many members on workers, their history and messages
    plot            what figures share: style, canvas, traces, discs of points, numbers
    to_javascript   losses for the browser; to_pytorch: a loss as a module that stands alone
    pitfalls        common claims about losses, checked; one file per loss
    analysis        what a loss does to embeddings: value, gradient, weights, the flow along it
    training        runs, races, nets and methods: declarations, and the pure function that trains them
    data            data sets and samplers, found by their folders, and the points that are evaluated
    losses          one file per loss, and what losses share in files that begin with ``_``
    embedding       unit rows with labels, scenes, planes, rankings, retrieval metrics
    params          one declaration per knob; registry: what is found by its folder
    assets          where the app and the files for the browser lie
    threads         what the threads of a process share: cores, values made once, a parser for one at a time

Used by one page: its room. Used by two: one floor down, in the part that owns the noun. A room imports no room, a part nothing
from above; ``tests/test_house.py`` holds both.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["look", "notebook", "watch"]

if TYPE_CHECKING:
    from dml_viz.export import notebook
    from dml_viz.training.watch import watch


def look(z: Any | None, y: Any, *, images: Any = None, names: Any = None) -> str:
    """The address of the app, opened on your embeddings; see `dml_viz.export.look`."""
    opened = import_module("dml_viz.export.look")  # not before it is used: nothing imports what is above it
    return str(opened.look(z, y, images=images, names=names))


if not TYPE_CHECKING:  # what a type checker knows it has read above

    def __getattr__(name: str) -> Any:
        """``watch``, which shows a training loop of one's own, and ``notebook``, imported when they are first used."""
        if name == "notebook":
            return import_module("dml_viz.export.notebook")
        if name == "watch":
            return import_module("dml_viz.training.watch").watch
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
