"""A notebook shows what the pages show: the same scripts get the same messages, of a loop and of one's own embeddings."""

import base64
import json
from functools import partial

import numpy as np
import pytest
import torch

import dml_viz
from dml_viz.assets import ASSETS
from dml_viz.data.wire import unpack
from dml_viz.export import notebook
from dml_viz.training.watch.hook import Watching

Y = np.arange(24) % 4
Z = np.random.default_rng(0).normal(size=(24, 5)) + Y[:, None]


class Loss(torch.nn.Module):
    def forward(self, z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.where(y[:, None] == y, torch.cdist(z, z), 0).mean()


def fed(widget: notebook.Widget) -> tuple[dict, dict]:
    """The message that the live picture was fed last."""
    return unpack(unpack(widget.fed)[1]["message"].tobytes())


def test_a_loop_is_shown_as_it_trains_and_its_steps_are_gone_back_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook.Sender, "offer_latest", lambda self, make, loop, wait: self._hand_over(make()))
    for name, value in (("APART", 0.0), ("SHARE", 1e9)):
        monkeypatch.setattr(f"dml_viz.training.watch.pace.{name}", value)
    loss = Loss()
    loop: Watching = dml_viz.watch(loss)
    widget = notebook.live(loop)
    assert not widget.data  # nothing is there before the first step
    for _ in range(3):
        loss(torch.tensor(Z, requires_grad=True), torch.tensor(Y)).backward()
    header, arrays = fed(widget)
    assert (header["kind"], header["step"], header["status"]) == ("frame", 3, "running")
    assert arrays["0.view"].shape == (24, 2)
    assert arrays["rows"].shape[0] == 3
    subject, _ = unpack(base64.b64decode(widget.data["subject"]))
    assert (subject["members"][0]["title"], subject["dim"]) == ("Loss", 5)
    widget.receive({"step": {"value": 2, "at": 1}})
    assert fed(widget)[0]["step"] == 2
    widget.receive({"step": {"value": None, "at": 2}})
    loop.sender._end()
    assert (fed(widget)[0]["step"], fed(widget)[0]["status"]) == (3, "done")
    assert widget.scripts["parts"] == (ASSETS / "dist" / "js" / "notebook_parts.js").read_text()


def test_a_figure_is_that_of_the_page_and_of_the_notebooks_theme() -> None:
    widget = dml_viz.notebook.figure("fastap?fastap.bins=20#fastap-pipeline", torch.tensor(Z), Y, names=list("abcd"))
    light = json.loads(widget.data["figure"])
    assert widget.data["alt"]
    widget.receive({"theme": "dark"})
    dark = json.loads(widget.data["figure"])
    assert widget.data["theme"] == "dark"
    assert [trace.get("x") for trace in light["data"]] == [trace.get("x") for trace in dark["data"]]
    assert light["layout"] != dark["layout"]
    panels = notebook.figure("gradients#gradients-panels", Z, Y)
    assert unpack(panels.packed)[0]["recipe"] is None
    with pytest.raises(ValueError, match="need labels"):
        notebook.figure("fastap#fastap-pipeline", Z)
    with pytest.raises(LookupError, match="no figure"):
        notebook.figure("fastap#nothing", Z, Y)
    for call in (dml_viz.look, partial(notebook.figure, "fastap#fastap-pipeline")):
        with pytest.raises(ValueError, match="labels") as wrong:
            call(Z, Y[:-1])
        assert "the data given" in str(wrong.value)
