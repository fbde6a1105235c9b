"""The controls of the Proxies page: three losses, two mistakes to try, which edges are drawn, and the steps of a flow."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from dml_viz.explain.proxies.model import LEARNT, SHARE, STEPS, STEPS_OF_RUN, Settings
from dml_viz.explain.proxies.scenes import KEY, PLACES, PROXIES, classes_with_proxies, scene_with_proxies
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.losses.soft_triple import SoftTriple
from dml_viz.params import Domain, Param
from dml_viz.plot.style import CROWD
from dml_viz.room.ask import Ask
from dml_viz.room.source import Subject
from dml_viz.training.run import Run

SIGN = "Proxy-NCA takes the softmax of distances, not of their negatives"
WRONG_SIGN = Param(
    "wrong_sign", False, "", SIGN, label="sign error", source="A widespread PyTorch implementation, since corrected"
)
FEWER = f"proxies for the first {SHARE:g} C classes only, and nothing else changed"
TRUNCATED = Param("truncated", False, "", FEWER, label=f"proxies for {SHARE:g} C classes", source="Notes in circulation")
FASTER, RATES = "how much faster proxies learn than samples", "proxies' rate over samples' rate"
TIMES = Param("times", 1.0, "", FASTER, label=RATES, domain=Domain.parse("(0, 100]"), slider=(1, 100), log=True)
EDGES = {"all": "all", "picked": "chosen", "sample": "sample", "proxy": "proxy"}
OF_EDGES = "Chosen: the edges of the chosen sample, and under Proxy-Anchor those of the chosen proxy. Click to choose."
FORMS: Mapping[str, tuple[str, ...]] = MappingProxyType({"NormFace": (), "AM-softmax": ("margin",), "ArcFace": ("angle",)})
SOFT_TRIPLE = "SoftTriple"


def ask_for_settings(ask: Ask, subject: Subject) -> Settings:
    """Draw the controls of the page and return its settings; those of a run include the place of its proxies."""
    ask.heading("**Proxy-NCA**")
    nca = ask.knobs(ProxyNCA, "nca")
    ask.heading("**Proxy-Anchor**")
    anchor = ask.knobs(ProxyAnchor, "anchor")
    ask.heading("**Proxies and edges**")
    place, sample, proxy = LEARNT, 0, -1
    if subject.of_run:
        places = PROXIES if subject.live else PROXIES[1:]
        place = ask.choice(f"{KEY}.place", "Proxies", places, places[0])
        if subject.live and subject.live.run.loss.learns:
            ask.values(Run, "run", ["proxy_lr"], note="A setting of the run, which can change while it trains.")
        sample = ask.point(f"{KEY}.query", "Sample", subject.size)
        proxy = ask.point(f"{KEY}.proxy", "Proxy", len(classes_with_proxies(subject, place)))
    else:
        ask.buttons(f"{KEY}.put", "Place the proxies", {place: partial(scene_with_proxies, place) for place in PLACES})
    wrong_sign, truncated = (bool(ask.control(knob, f"{KEY}.{knob.name}")) for knob in (WRONG_SIGN, TRUNCATED))
    every = "picked" if subject.size > CROWD else "all"
    ask.follow_default(f"{KEY}.edges", every)
    edges = ask.choice(f"{KEY}.edges", "Edges", tuple(EDGES), every, named=EDGES, note=OF_EDGES)
    ask.heading("**Follow the gradient**")
    steps = STEPS_OF_RUN if subject.of_run else STEPS
    step = ask.number(f"{KEY}.step", "Steps down the gradient", 0, steps, steps // 2)
    times = float(ask.control(TIMES, f"{KEY}.times"))
    ask.heading("**A third loss**")
    return Settings(nca, anchor, _variant(ask), wrong_sign, truncated, edges, step, steps, times, sample, proxy, place)


def _variant(ask: Ask) -> MarginSoftmax | SoftTriple:
    name = ask.choice(f"{KEY}.variant", "Loss", (*FORMS, SOFT_TRIPLE), "AM-softmax", menu=True)
    if name != SOFT_TRIPLE:
        return MarginSoftmax(form=name, **ask.values(MarginSoftmax, "softmax", ("scale", *FORMS[name])))
    note = "Those of a run of SoftTriple with the same K, else k-means of each class's samples."
    count = ask.number("triple.centres", "centres of each class (K)", 1, 10, 2, note=note)
    return SoftTriple(centres=count, **ask.values(SoftTriple, "triple", ("gamma", "scale", "margin", "tau")))
