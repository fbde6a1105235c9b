"""The card of one loss in full, generated from its declaration alone."""

import inspect
import textwrap
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
import streamlit as st
import torch

from dml_viz.analysis import LossResponse, response_to
from dml_viz.app import glossary, provenance_log, tab, url_state
from dml_viz.app.controls import PageControls
from dml_viz.app.figure import figure
from dml_viz.app.frame import page_objects
from dml_viz.app.page import section
from dml_viz.app.theme import theme
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import preset_embeddings
from dml_viz.explain.reference.controls import close_card, open_card
from dml_viz.losses import LOSSES, LearntTensor, Loss
from dml_viz.params import Param, numerals, params
from dml_viz.pitfalls import Pitfall, about
from dml_viz.plot.weight_curve import weight_figure, with_weight
from dml_viz.room.markdown import cited, to_the_letter, with_breaks
from dml_viz.to_pytorch import snippet

CODE_HEIGHT = 460  # pixels
TRAINING = "train"  # the page's address
SCENE = "overlapping"


@lru_cache(maxsize=256)
def response_on_one_scene(loss: Loss) -> LossResponse:
    """The response of ``loss`` to the small scene `SCENE`, with learnt tensors as training starts them.

    A loss of views sees the scene's points, one after the other, as two views of one image each.
    """
    plain = preset_embeddings(SCENE)
    z, y = plain.z, plain.y
    if type(loss).views:
        z = z[: len(z) // 2 * 2]
        y = torch.arange(len(z)) // 2
    return response_to(Embeddings(z, y, plain.provenance), loss)


def draw_card(name: str, among: tuple[str, ...]) -> None:
    """Draw the card of the loss ``name``, with buttons for its neighbours ``among`` the losses found."""
    kind = LOSSES[name]
    _ways(name, among)
    glossary.say(f"{kind.sentence} :small[:gray[{' · '.join(kind.families)}]]")
    formulas = st.container(key="reference-formulas")
    words, picture = st.columns(2, gap="large")
    with picture, st.container(key="reference-knobs"):
        loss = PageControls().knobs(kind, f"loss.{name}")
    provenance_log.note_losses(loss)
    with formulas:
        st.latex(with_breaks(loss.variant_formula))
        if loss.variant_weights:
            st.latex(with_breaks(loss.variant_weights))
            glossary.say(
                "L is the loss; w are the weights of its ordered pairs, dL/ds for s the similarity. Figures add both "
                "orders of a pair.",
                "caption",
            )
    with words:
        glossary.say(_description(loss))
    with picture:
        _picture(loss)
    pitfalls = about((name,))
    tabs = ["Knobs", "Use it in PyTorch", "The paper's sums, literally", *(["Common claims, checked"] if pitfalls else [])]
    knobs, torch_code, sums, *checked = st.tabs(tabs)
    with knobs, st.container(key="reference-table"):
        glossary.say(_table(loss))
    with torch_code:
        glossary.say(
            "It needs torch alone and runs as it is. The knobs are its arguments, set as they are here; its gradients are "
            "autograd's.",
            "caption",
        )
        st.code(snippet(loss), height=CODE_HEIGHT)
    with sums:
        st.caption("One index at a time, as the paper writes it. Every other form of this loss is tested against this one.")
        st.code(literal_source(kind), height=CODE_HEIGHT)
    for column in checked:
        with column:
            _common_claims(pitfalls)


def _common_claims(pitfalls: Sequence[Pitfall]) -> None:
    """Draw the common claims on the loss, each above the truth."""
    st.caption(
        "What notes and code say or do, and what is so; every number is computed here, from a small fixed example "
        "or from results in print."
    )
    for claim in pitfalls:
        glossary.say(f"**{claim.title}** {claim.claim}")
        glossary.say(f"{claim.answer} {claim.misleads}")


def _ways(name: str, among: tuple[str, ...]) -> None:
    """Draw buttons back to the overview, on to the neighbours, and to training."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("All losses", icon=":material/arrow_back:", key="reference.back", on_click=close_card)
        glossary.say(LOSSES[name].title, "subheader", anchor=False, width="content")
        others = [among[(among.index(name) + step) % len(among)] for step in (-1, 1)] if name in among else []
        for other, icon in zip(others, (":material/chevron_left:", ":material/chevron_right:"), strict=False):
            st.button(LOSSES[other].title, icon=icon, key=f"to{icon}", type="tertiary", on_click=open_card, args=(other,))
        if st.button("Train with it", type="primary", icon=":material/model_training:", key="reference.train"):
            _train_with(name)


def _train_with(name: str) -> None:
    """Go to the training page with this loss, whose knobs it shares."""
    url_state.reset(("loss",))
    tab.control("loss").set(name)
    if page := page_objects().get(TRAINING):
        st.switch_page(page)


def _picture(loss: Loss) -> None:
    """The pair weights of the loss on the default scene."""
    small = response_on_one_scene(loss)
    s, weight, subject = small.pair_similarities, small.pair_weights, small.inputs.embeddings
    weighs = with_weight(weight)
    pulled, pushed = (int(np.count_nonzero(weighs & (sign * weight > 0))) for sign in (-1, 1))
    other = "proxy" if small.has_proxies else "#"
    who = np.array([f"#{row} with {other}{end}" for row, end in small.pair_indices.tolist()])
    end = "z · p of a point and a proxy" if small.has_proxies else "z · z′ of two points"
    fig = weight_figure(s, weight, small.is_positive, who, similarity=f"similarity {end}", theme=theme())
    with section(
        f"Of {len(s)} pairs, {pulled} {'is' if pulled == 1 else 'are'} pulled together and {pushed} pushed apart",
        look_for="pairs on the line, which teach nothing here, and for one similarity at several heights: there a pair's weight "
        "depends on other pairs too.",
        misleads=f"it is one small scene ({subject.provenance.split(':')[0].lower()}, {len(subject.y)} points on the "
        "circle); what is below a thousandth of the largest weight is counted as nothing. Heights of two losses do not compare.",
    ):
        figure(fig, key="reference-weights", alt=fig.layout.meta["alt"], theme=theme())


def _description(loss: Loss) -> str:
    """The description of the loss, in Markdown."""
    kind = type(loss)
    learnt = "; ".join(map(_learnt, loss.learns.values())) or "nothing"
    rows = "unit length" if loss.unit else "any length, as the net gives them"
    lines = [
        f"**This variant** {to_the_letter(loss.variant_text)}",
        f"**In common libraries** {to_the_letter(kind.elsewhere)}",
        f"**Learns** {learnt}; its rows have {rows}.",
        f"**Held constant** {to_the_letter(loss.held_constant)}" if loss.held_constant else "",
        f"**Paper** {cited(kind.reference)}.",
        "**Traps**\n" + "\n".join(f"- {to_the_letter(trap)}" for trap in kind.traps) if kind.traps else "",
    ]
    return "\n\n".join(line for line in lines if line)


def _learnt(tensor: LearntTensor) -> str:
    """A learnt tensor in words: its symbol, its shape and its meaning."""
    return to_the_letter(f"{tensor.symbol or tensor.name} ({tensor.shape.value}): {tensor.meaning}")


def _table(loss: Loss) -> str:
    """The knobs, in Markdown."""
    head = "| knob | now | meaning | defined for | slider | source |\n|---|---|---|---|---|---|"
    return "\n".join([head, *(_row(knob, getattr(loss, knob.name)) for knob in params(loss))])


def _row(knob: Param, value: object) -> str:
    # A vertical bar would end the table's cell.
    symbol = knob.symbol.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
    training = "" if knob.training is None else f"; {knob.training} in training"
    default = f"{knob.default}{training}"
    cells = (
        f"${symbol}$ `{knob.name}`" if symbol else f"`{knob.name}`",
        numerals(f"**{value}** (default {default})" if value != knob.default else f"{value}, the default{training}"),
        to_the_letter(f"{knob.meaning} ({knob.unit})" if knob.unit not in ("", "count") else knob.meaning),
        to_the_letter(numerals(knob.allowed)),
        numerals(f"{knob.slider[0]:g} to {knob.slider[1]:g}") if knob.slider else "",
        to_the_letter(knob.source),
    )
    return f"| {' | '.join(cells)} |"


@cache
def literal_source(kind: type[Loss]) -> str:
    """The Python source of a loss's literal form, its paper's sums, as a function."""
    return textwrap.dedent(inspect.getsource(kind.by_hand))
