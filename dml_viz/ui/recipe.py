"""The recipe of a run, as controls: data, net, loss, sampler and optimiser, all in the link."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dml_viz.datasets import DATASETS
from dml_viz.losses import LOSSES
from dml_viz.nets import NETS
from dml_viz.params import params
from dml_viz.run import Run
from dml_viz.samplers import SAMPLERS
from dml_viz.ui import link
from dml_viz.ui.controls import controls, held, values

RESTARTS = "Restarts the run."
LIVE = "May change while the run goes on."


def recipe() -> Run:
    """Draw the controls of a run in the sidebar; the run that they spell."""
    with st.sidebar:
        st.markdown("##### Data")
        data = _one_of("data", "Images", DATASETS, "digits")
        with st.expander("More on the data", expanded=False):
            dataset = controls(DATASETS[data], data, note=RESTARTS)
            protocol = values(Run, "run", ["protocol"], note=RESTARTS)
        st.markdown("##### Loss")
        name = _one_of("loss", "Loss", LOSSES, "fastap")
        loss = controls(LOSSES[name], f"loss.{name}", note=LIVE)
        st.markdown("##### Net")
        size = values(Run, "run", ["dim"], note=RESTARTS)
        with st.expander("Layers", expanded=False):
            kind = _one_of("net", "Net", NETS, "mlp")
            net = controls(NETS[kind], kind, note=RESTARTS)
        st.markdown("##### Training")
        rates = values(Run, "run", ["lr", *(["proxy_lr"] if loss.learns else [])], note=LIVE)
        length = values(Run, "run", ["steps"], note="More steps let a finished run go on.")
        with st.expander("Batches, seed, device", expanded=False):
            sampler = controls(SAMPLERS["p_by_k"], "p_by_k", note=RESTARTS)
            rest = values(Run, "run", ["seed", "device"], note=RESTARTS)
    return _spelt(dataset=dataset, net=net, loss=loss, sampler=sampler, **protocol, **size, **rates, **length, **rest)


def standing_recipe() -> Run:
    """The run that the link and the controls of the training page spell, without drawing them."""
    data, name, kind = (
        _held(*pair) for pair in (("data", DATASETS, "digits"), ("loss", LOSSES, "fastap"), ("net", NETS, "mlp"))
    )
    loss = controls(LOSSES[name], f"loss.{name}", draw=False)
    names = [knob.name for knob in params(Run) if knob.name != "every" and (knob.name != "proxy_lr" or loss.learns)]
    return _spelt(
        dataset=controls(DATASETS[data], data, draw=False), net=controls(NETS[kind], kind, draw=False), loss=loss,
        sampler=controls(SAMPLERS["p_by_k"], "p_by_k", draw=False), **values(Run, "run", names, draw=False),
    )  # fmt: skip


def _spelt(**parts: Any) -> Run:
    try:
        return Run(**parts)
    except ValueError as error:
        st.warning(f"{error}. The default run is used instead.")
        return Run()


def _one_of(key: str, label: str, classes: dict[str, type], default: str) -> str:
    titles = {name: getattr(leaf, "title", name) for name, leaf in classes.items()}
    return link.choice(key, label, tuple(classes), default, named=titles)


def _held(key: str, classes: dict[str, type], default: str) -> str:
    return str(held(link.option(key, key, tuple(classes), default), key))
