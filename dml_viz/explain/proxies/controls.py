"""The rail of the proxies page: two losses, the mistakes to try, and what is drawn, in sight wherever one has scrolled to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import streamlit as st

from dml_viz.app import lesson, url_state
from dml_viz.app.controls import control, controls, values
from dml_viz.app.subject_picker import Chosen
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.engine import Job
from dml_viz.explain.proxies.model import SHARE, Settings
from dml_viz.explain.proxies.run_proxies import LEARNT, STARS, of_run
from dml_viz.explain.proxies.scenes import KEY, PLACES, put
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.losses.soft_triple import SoftTriple
from dml_viz.params import Domain, Param, knobs
from dml_viz.plot.style import CROWD
from dml_viz.training.run import Run

STYLE = """<style>
.st-key-proxies-put button { min-height: 1.9rem; padding: 0 0.6rem; }
.st-key-proxies-formulas .katex { font-size: 0.84em; }
.st-key-proxies-formulas .katex-display { margin: 0.2rem 0; overflow: auto hidden; }
</style>"""
WRONG_SIGN = Param(
    "wrong_sign", False, "", "Proxy-NCA takes the softmax of distances, not of their negatives", label="sign error",
    source="The widespread PyTorch code, before it was mended",
)  # fmt: skip
TRUNCATED = Param(
    "truncated", False, "", f"proxies for the first {SHARE:g} C classes only, and nothing else changed",
    label=f"proxies for {SHARE:g} C", source="A note in circulation",
)  # fmt: skip
TIMES = Param(
    "times", 1.0, "", "how much faster stars learn than samples", label="stars' rate, times the samples'",
    domain=Domain.parse("(0, 100]"), slider=(1, 100), log=True,
)  # fmt: skip
EDGES = {"all": "all", "picked": "asker's", "sample": "sample's", "proxy": "star's"}
COUSINS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "NormFace": ("scale",), "AM-softmax": ("scale", "margin"), "ArcFace": ("scale", "angle"),
    "SoftTriple": ("gamma", "scale", "margin", "tau"),
})  # fmt: skip


@dataclass(frozen=True)
class Rail:
    """What the rail says besides the losses: whose edges, where a run's stars stand, how far and how fast what is free goes.

    ``picked`` are the sample and the star of a run that are looked at; those of a scene are picked in it.
    """

    settings: Settings
    edges: str
    stars: str
    step: int
    times: float
    picked: tuple[int, int]

    @property
    def drawn(self) -> dict[str, Any]:
        """What the pictures in the browser have to know, as JSON values."""
        losses = {"nca": knobs(self.settings.nca), "anchor": knobs(self.settings.anchor)}
        share = SHARE if self.settings.truncated else None
        return {**losses, "wrongSign": self.settings.wrong_sign, "share": share, "edges": self.edges}


def rail(chosen: Chosen, steps: int) -> Rail:
    """Draw the rail beside a scene or a live run, with at most ``steps`` steps down the gradient; what it says."""
    live = chosen.live
    st.markdown("**Proxy-NCA**")
    nca = controls(ProxyNCA, "nca")
    wrong_sign = bool(control(WRONG_SIGN, f"{KEY}.wrong_sign"))
    st.markdown("**Proxy-Anchor**")
    anchor = controls(ProxyAnchor, "anchor")
    st.markdown("**Stars and edges**")
    stars, picked = (LEARNT, (-1, -1)) if live is None else _of_run(chosen.subject(), live)
    if live is None:
        _put()
    truncated = bool(control(TRUNCATED, f"{KEY}.truncated"))
    edges = _edges("all" if live is None else _of_how_many(chosen.subject()))
    st.markdown("**Set free**")
    step = url_state.number(f"{KEY}.step", "Steps down the gradient", 0, steps, steps // 2)
    times = float(control(TIMES, f"{KEY}.times"))
    st.markdown("**A cousin**")
    return Rail(Settings(nca, anchor, _cousin(), wrong_sign, truncated), edges, stars, step, times, picked)


def _edges(default: str) -> str:
    """Whose edges are drawn; what stands at the default goes with it when the subject is another."""
    key, last = f"{KEY}.edges", f"{KEY}.edges.default"
    state = st.session_state
    if key in state and state.get(last, default) == state[key]:
        state[key] = default
    state[last] = default
    note = "Asker's: the star's under Proxy-Anchor, where each star asks all samples, else the sample's. A click picks another."
    return url_state.choice(key, "Edges", tuple(EDGES), default, named=EDGES, note=note)


def _of_how_many(subject: Embeddings) -> str:
    return "picked" if len(subject.y) > CROWD else "all"


def _of_run(subject: Embeddings, live: Job) -> tuple[str, tuple[int, int]]:
    """Where the stars of a run stand, and the sample and the star that are looked at, which clicks change as well."""
    stars = url_state.choice(f"{KEY}.stars", "Stars", STARS, LEARNT)
    if live.run.loss.learns:
        values(Run, "run", ["proxy_lr"], note="Of the run, and may change while it goes on.")
    embeddings = of_run(subject, live, stars).embeddings
    sample = url_state.number(f"{KEY}.query", "Sample", 0, len(embeddings.y) - 1, 0)
    return stars, (sample, url_state.number(f"{KEY}.proxy", "Star", 0, len(embeddings.learnt["proxies"]) - 1, 0))


def _put() -> None:
    state = url_state.offer(f"{KEY}.put", "put the stars")
    if state == lesson.HIDDEN:
        return
    st.caption("Put the stars")
    with st.container(horizontal=True, gap="small", key="proxies-put"):
        for place in PLACES:
            st.button(place, key=f"put.{place}", on_click=put, args=(place,), disabled=state == lesson.LOCKED)


def _cousin() -> MarginSoftmax | SoftTriple:
    name = url_state.choice(f"{KEY}.cousin", "Beside them", tuple(COUSINS), "AM-softmax", menu=True)
    if name != "SoftTriple":
        return MarginSoftmax(form=name, **values(MarginSoftmax, "softmax", COUSINS[name]))
    note = "Learnt ones where the run is one of SoftTriple with as many, else k-means of each class's samples."
    count = url_state.number("triple.centres", "centres of each class (K)", 1, 10, 2, note=note)
    return SoftTriple(centres=count, **values(SoftTriple, "triple", COUSINS[name]))
