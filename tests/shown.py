"""A page run without a browser, and its figures as the browser reads them."""

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import Tensor

from dml_viz.app import figure
from dml_viz.app.subject_picker import Chosen
from dml_viz.app.training_session import TrainingSession
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.pca import DRAWN_UP_TO, main_plane
from dml_viz.engine import Job
from dml_viz.serve.figure_store import store

PAGES = Path(__file__).parents[1] / "pages"


class Shown(Mapping[str, go.Figure]):
    """The figures that a page showed last, by their keys without ``prefix``; each must have its alt text.

    As in a browser, a figure of a room is made when a test asks for it; asking for all names makes all of them.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._offered: dict[str, tuple[go.Figure | str, str, int]] = {}
        self._drawn: dict[str, Any] = {}
        self._read: dict[str, go.Figure] = {}

    def __call__(self, fig: go.Figure | str, *, key: str, alt: str = "", height: int = 0, **_: Any) -> None:
        name = key.removeprefix(self._prefix)
        self._offered[name] = fig, alt, height
        self._drawn.pop(name, None)
        self._read.pop(name, None)

    def _draw(self, name: str) -> Any:
        """A figure's JSON, made once."""
        if name not in self._drawn:
            fig, alt, height = self._offered[name]
            drawn = json.loads(str(store().text(*fig.split("/")[1:]) if isinstance(fig, str) else fig.to_json()))
            layout = drawn["layout"]
            if isinstance(fig, str):
                alt, height = layout["meta"]["alt"], layout["height"]
            assert alt == layout["meta"]["alt"]
            assert re.search(r"\d", alt)
            assert not re.search(r"\bnan\b", alt.lower())
            assert not any(re.search(r"\bnan\b", note.get("text") or "") for note in layout.get("annotations", ()))
            assert height == layout["height"]
            self._drawn[name] = drawn
        return self._drawn[name]

    def __getitem__(self, name: str) -> go.Figure:
        if name not in self._read:
            self._read[name] = go.Figure(decoded(self._draw(name)))
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._offered

    def __iter__(self) -> Iterator[str]:
        for name in self._offered:
            self._draw(name)
        return iter(self._offered)

    def __len__(self) -> int:
        return len(self._offered)

    def clear(self) -> None:
        """Forget all that was shown."""
        for figures in (self._offered, self._drawn, self._read):
            figures.clear()

    def trace(self, name: str, of: str) -> Any:
        """The trace ``of`` in figure ``name``."""
        [found] = [trace for trace in self[name].data if trace.name == of]
        return found


def watched(monkeypatch: pytest.MonkeyPatch, prefix: str) -> Shown:
    """The figures drawn from now on; no session has a live run."""
    figures = Shown(prefix)
    monkeypatch.setattr(figure, "figure", figures)
    monkeypatch.setattr(TrainingSession, "job", None)
    return figures


def opened(page: str, link: Mapping[str, object]) -> AppTest:
    """A page of ``pages/``, opened by a link."""
    app = AppTest.from_file(str(PAGES / page), default_timeout=300)
    for name, value in link.items():
        app.query_params[name] = str(value)
    return ran(app)


def unfold(app: AppTest) -> AppTest:
    """Open all drawers of the page from the next run on."""
    for key in list(app.session_state):
        if ".behind." in key and not key.endswith(".inside"):
            app.session_state[key] = True
    return app


def ran(app: AppTest) -> AppTest:
    """The same page after another run."""
    return sound(app.run())


def sound(app: AppTest) -> AppTest:
    """The page, after a check that it shows no error."""
    assert not app.exception, app.exception[0].message
    assert not app.error, app.error[0].value
    return app


def given(app: AppTest) -> list[dict[str, Any]]:
    """The data of each component that the page draws, except those that get bytes."""
    drawn = (element.proto for element in app.get("bidi_component"))
    return [json.loads(proto.json)[0] for proto in drawn if proto.json]


def words(app: AppTest) -> str:
    """All texts of the page."""
    kinds = (app.markdown, app.caption, app.info, app.latex, app.subheader)
    return "\n".join(element.value for kind in kinds for element in kind)


def decoded(value: Any) -> Any:
    """JSON with Plotly's base64 arrays as NumPy arrays."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "bdata" in value:
        flat = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
        return flat.reshape([int(n) for n in str(value["shape"]).split(",")]) if "shape" in value else flat
    return {key: decoded(item) for key, item in value.items()}


def plane_of(z: Tensor) -> np.ndarray | None:
    """The plane that a run of embeddings z (N, d) is drawn in; None up to three dimensions."""
    return main_plane(z).numpy() if z.shape[1] > DRAWN_UP_TO else None


def points_of_run(dim: int, count: int = 500) -> Callable[..., Chosen]:
    """A chooser of points of ten classes, as a live run has them."""
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(count) % 10
    z = torch.randn(10, dim, generator=generator, dtype=torch.float64)[y]
    z = torch.nn.functional.normalize(z + torch.randn(count, dim, generator=generator, dtype=torch.float64), dim=1)
    subject = Embeddings(z, y, "Digits, step 40.", plane=plane_of(z))
    chosen = Chosen(lambda: subject, lambda: True, tuple("0123456789"), np.zeros((count, 8, 8), np.uint8))
    return lambda *_, **__: chosen


def comes_to_hold(job: Job, condition: Callable[[Job], bool], seconds: int = 300) -> bool:
    """Whether ``condition`` of a job becomes true in time; the job is watched meanwhile, because unwatched ones pause."""
    return any(job.wait_for(condition, 1) or job.watch(frame_drawn=False) for _ in range(seconds))
