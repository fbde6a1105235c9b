"""Proxies

A learnt star for every class: who pulls whom, how hard, and when it stops.
"""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from dml_viz import pitfalls
from dml_viz.app import replay_progress
from dml_viz.app.columns import beside
from dml_viz.app.drawn_plane import held_plane
from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.figure import figure
from dml_viz.app.page import page, section
from dml_viz.app.presets import break_it, head, say
from dml_viz.app.scene_editor import Hand, hand
from dml_viz.app.subject_picker import choose_subject
from dml_viz.app.theme import theme
from dml_viz.explain.proxies import controls as proxies_rail
from dml_viz.explain.proxies.fates import Fates
from dml_viz.explain.proxies.model import model as model_of
from dml_viz.explain.proxies.presets import BREAKS, FADING
from dml_viz.explain.proxies.run_proxies import of_run, of_scene
from dml_viz.explain.proxies.scenes import FIRST, KEY, scenes
from dml_viz.explain.proxies.second_view import twin
from dml_viz.explain.proxies.text import Sentences
from dml_viz.explain.proxies.view import STEPS, STEPS_OF_MANY, Settings, cousins, freed, view
from dml_viz.losses import Loss
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA

CLAIMED = ("proxy_nca", "proxy_anchor", "margin_softmax", "soft_triple")
PICTURES = ("flow_nca", "flow_anchor", "cousin")


def show(fig: Encoded, name: str, on_click: Callable[[int], None] | None = None) -> None:
    """Draw a figure of this page; pointing at a sample or a star points at it in all of them."""
    figure(fig, key=f"proxies-{name}", alt=fig.alt, theme=theme(), height=fig.height, link=KEY, on_click=on_click)


def pick(row: int) -> None:
    """Make a sample, or behind the samples a star, the one that is looked at."""
    size = st.session_state[f"{KEY}.size"]
    st.session_state[f"{KEY}.query" if row < size else f"{KEY}.proxy"] = row if row < size else row - size


def held() -> Hand:
    """The scene in the hand, with Proxy-NCA's edges and arrows."""
    return hand(
        key=KEY, overlay=KEY, default=FIRST, settings=rail.drawn, stars=True, choose=("query", "proxy"), picked=(3, 0),
        scenes=scenes(),
    )  # fmt: skip


def row(figures: dict[str, Encoded], names: tuple[str, ...], widths: tuple[int, ...]) -> None:
    """Draw figures side by side; a click on a sample or a star picks it."""
    for name, column in zip(names, st.columns(widths, gap="medium"), strict=True):
        with column:
            show(figures[name], name.replace("_", "-"), on_click=pick if name in PICTURES else None)


with page(
    "Proxies",
    "Every class has a learnt **star**. Proxy-NCA asks each sample about all stars, Proxy-Anchor each star about all samples: "
    "that decides whether the pull ends.",
):
    st.html(proxies_rail.STYLE)
    with head():
        chosen = choose_subject(hand=held)
        break_it(tuple(preset for preset in BREAKS if preset is not FADING), see=FADING)
    live = chosen.live
    controls, shown = beside()
    with controls:
        rail = proxies_rail.rail(chosen, STEPS_OF_MANY if live else STEPS)
    moving = chosen.moving()

    @st.fragment(run_every=replay_progress.REFRESH if moving else None)
    def pictures() -> None:
        """All figures, of the subject as it is now."""
        # A click chose another sample or star, or the run has come to a stop.
        if live and rail.picked != tuple(st.session_state[f"{KEY}.{role}"] for role in ("query", "proxy")):
            st.rerun()
        if moving and not chosen.moving():
            st.rerun()
        said = st.container()
        left, right = st.columns(2, gap="medium")
        with left:
            st.subheader("Proxy-NCA: each sample asks all stars", anchor=False)
            in_hand = held() if chosen.hand else None
        subject = in_hand.subject if in_hand else chosen.subject()
        stood = of_run(subject, live, rail.stars, rail.settings.nca) if live else of_scene(subject)
        sample, star = in_hand.picked if in_hand else rail.picked
        st.session_state[f"{KEY}.size"] = len(stood.embeddings.y)
        model = model_of(stood.embeddings, replace(rail.settings, sample=sample, proxy=star))
        names = in_hand.names if in_hand else chosen.names
        settings = Settings(stood.classes, names, rail.edges, theme(), held_plane(KEY, subject.z.numpy()))
        seen, sentences = view(model, settings), Sentences(model, rail.edges)
        samples = f"{len(stood.embeddings.y)} samples in {subject.z.shape[1]} dimensions"
        provenance = f"{subject.provenance.rstrip('.')}. {samples}. {stood.note}"
        with said:
            if in_hand is None:
                st.caption(provenance)
            say(KEY, BREAKS, model)
        with left:
            if in_hand is None:
                show(seen.figures["nca"], "nca", on_click=pick)
            st.markdown(f"**Look for** {sentences.widths}")
            if in_hand:
                st.caption(provenance)
        with right:
            st.subheader("Proxy-Anchor: each star asks all samples", anchor=False)
            if in_hand:
                twin(f"{KEY}.twin")
            else:
                show(seen.figures["anchor"], "anchor", on_click=pick)
            st.markdown(
                "**Look for** where the wide edges go: a star pulls its hardest sample, pushes its hardest stranger, and has "
                "nothing left for those that have arrived."
            )
        st.caption(f"**How these pictures mislead** {sentences.shares}")

        with section(
            f"Proxy-Anchor's pull fades as the similarity grows; Proxy-NCA's {sentences.does}",
            look_for=f"{sentences.flat} Proxy-Anchor's is a softmax over the samples of a star: given to the hardest, and "
            "taken back once all are nearer than δ asks for.",
            misleads="each curve moves one pair and holds all others, which a training step does not; and the heights are "
            "shares, so equal heights are not equal weights.",
        ):
            row(seen.figures, ("pull", "push"), (1, 1))
        formulas: tuple[tuple[type[Loss], str], ...] = ((ProxyNCA, seen.of_sample), (ProxyAnchor, seen.of_star))
        with st.container(key="proxies-formulas"):
            for (kind, numbers), column in zip(formulas, st.columns(2, gap="medium"), strict=True):
                with column:
                    st.latex(kind.formula)
                    st.latex(numbers)

        steps = STEPS_OF_MANY if live else STEPS
        gone = freed(model, settings, rail.step, rail.times, steps)
        fates = Fates(gone.nca, gone.anchor, rail.settings, steps)
        with section(
            fates.heading,
            look_for=fates.look_for,
            misleads="no net stands between the loss and the samples here, so each goes where it is sent; and each loss has a "
            "rate of its own, set so that its largest pull turns a sample by 0.05 radian. A star of Proxy-Anchor shares its pull "
            "among its samples, so many of them go slowly.",
        ):
            row(gone.figures, ("flow_nca", "flow_anchor", "flow"), (2, 2, 3))

        tables = {**seen.figures, **cousins(model, settings)}
        with section(
            "Who competes: stars for a sample, or samples for a star",
            look_for=sentences.sums,
            misleads=sentences.correlations,
        ):
            row(tables, ("table_nca", "table_anchor", "table_cousin"), (1, 1, 1))
        with section(
            "The cousins keep the positive in the denominator, so their pull fades as well, a margin later",
            look_for="where the solid curve falls: the margin is how much farther a sample is pulled after it has won.",
            misleads=sentences.cousin,
        ):
            row(tables, ("cousin", "pull_cousin"), (2, 3))
        with section("What circulates about proxies, measured", misleads=pitfalls.misleads(CLAIMED)):
            st.markdown(pitfalls.table(CLAIMED))

    with shown:
        pictures()
