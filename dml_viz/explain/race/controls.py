"""The racers of a race on the page: one text in the link, from which all else is read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import streamlit as st

from dml_viz.app import tab, url_state
from dml_viz.explain.race.settings import BEFORE, KEY, LEAST, NAME, OPENS, VERSIONS, RacersText
from dml_viz.room.ask import KEY as VERSION
from dml_viz.room.ask import Ask
from dml_viz.training.experiment import Branch
from dml_viz.training.race import LETTERS, Race, Racer
from dml_viz.training.race_url import FIRST, OVER_SEEDS, read_racers, write_racers
from dml_viz.training.run import Run

NONZERO = ".reduction:nonzero"
# Racers, what they show, and settings of their race, others as in the race over seeds; without any they race as it is set.
PRESETS: Mapping[str, tuple[str, str, Mapping[str, str]]] = MappingProxyType({
    "On the circle": (
        FIRST,
        "A triplet, a ranking, a proxy and a tuple loss, all at their papers' defaults. Ten digits do not fit on a circle: which "
        "does each loss keep apart? One seed, in seconds.",
        OPENS,
    ),
    "Over three seeds": (
        OVER_SEEDS,
        "The experiment: 117 kinds of icons in 64 dimensions, scored on 51 others, each loss from three starts. Bands that "
        "overlap say that the seed matters more than the loss. Recorded; your own takes minutes.",
        BEFORE,
    ),
    "One loss, four margins": (
        "triplet.margin:0.05~triplet~triplet.margin:0.5~triplet.margin:1.0",
        "Is it the loss or its knob? The triplet loss against itself.", {},
    ),
    "Contrastive or triplet": (
        "contrastive~triplet", "Is a triplet better than two pairs? Look at the bands: one seed answers nothing.", {},
    ),
    "Whose gradient fades": (
        "proxy_anchor~margin_softmax~circle~pairwise_margin~ranked_list",
        "Look at the length of the gradient as training goes on, and at the active share beside it.", {},
    ),
    "FastAP's bins": ("fastap.bins:4~fastap~fastap.bins:25~fastap.bins:50", "The slider that is a margin in disguise.", {}),
    "Three batch sizes": (
        "fastap.sampler.samples:4~fastap.sampler.samples:8~fastap.sampler.samples:16",
        "One loss on 4, 8 and 16 images of each class in a batch, from the same weights.", {},
    ),
    "Four dimensions": (
        "fastap.dim:2~fastap.dim:3~fastap.dim:8~fastap.dim:64",
        "How many numbers does an image need? A circle, a sphere, and two planes.", {},
    ),
    "Two nets": (
        "fastap.net:conv~fastap.net:mlp", "A net that knows which pixels are neighbours, and one that does not.", {},
    ),
    "Tricks, one by one": (
        "~".join(
            f"triplet{reduction}.dataset.side:{side}{method}.net.pooling:{pooling}"
            for reduction, side, method, pooling in (
                ("", 14, "", "mean"), (NONZERO, 14, "", "mean"), (NONZERO, 14, "", "second order"),
                (NONZERO, 28, "", "second order"), (NONZERO, 28, ".method:signatures", "second order"),
            )
        ),
        "A is plain, and each next racer has one more trick of SCHE (CVPR 2019). B takes the mean over active triplets, C pools "
        "in second order, D has larger images, E fills batches with similar classes. Which of them earns the gain?",
        {"data": "glyphs", "p_by_k.classes": "6", "p_by_k.samples": "10"},
    ),
    "Held-out digits": (
        "proxy_anchor~circle",
        "All ten classes in batches of 500. Notes in circulation compare the two on CIFAR-10 by a last layer, which Circle on "
        "pairs does not have. Here R@1 is the accuracy of the nearest neighbour among held-out digits.",
        {"data": "digits", "net": "mlp", "run.protocol": "all classes", "p_by_k.classes": "10", "p_by_k.samples": "50"},
    ),
    "Twelve at once": (
        "contrastive~triplet~margin~n_pair~lifted~multi_similarity~circle~ranked_list~fastap~proxy_nca~proxy_anchor~sup_con",
        "One picture of the field. Twelve runs a seed: mind the time it takes.", {},
    ),
})  # fmt: skip


def racers(ask: Ask) -> tuple[Racer, ...]:
    """The racers of the session, as a text that is in the link."""
    return read_racers(ask.setting(KEY, RacersText()), LEAST)


def race(run: Run, field: Sequence[Racer], seeds: int) -> Race:
    """The race; draws a sentence for each racer that cannot be as in the link, and for scores that do not compare."""
    fitted = tuple(racer.without_unfit_changes(run) for racer in field)
    for letter, original, racer in zip(LETTERS, field, fitted, strict=False):
        if lost := [path for path, value in original.changes if (path, value) not in racer.changes]:
            st.warning(f"Racer {letter}: this race has no {', '.join(lost)}, so that it takes none of its own.")
    try:
        whole_race = Race(run, fitted, seeds)
    except ValueError as error:
        st.warning(f"{error}. Racers differ by their loss alone until then.")
        whole_race = Race(run, tuple(replace(racer, changes=()) for racer in fitted), seeds)
    alike: dict[str, list[str]] = {}
    for letter, racer_run in zip(LETTERS, (whole_race.run_of(number) for number in range(len(fitted))), strict=False):
        alike.setdefault(racer_run.dataset.title, []).append(letter)
    if len(alike) > 1:
        same = "; ".join(f"{', '.join(letters)} on {title}" for title, letters in alike.items())
        st.caption(f"Scores compare only among racers on the same images: {same}.")
    return whole_race


def put(field: Sequence[Racer]) -> bool:
    """Let ``field`` race from now on, if its racers differ and a race takes so many; return whether it races."""
    text = write_racers(field)
    if RacersText().complaint(text):
        return False
    tab.control(KEY).set(text)
    return True


def without(field: Sequence[Racer], number: int) -> tuple[Racer, ...]:
    """The field without the racer at ``place``; racers that branched off it start from the beginning."""
    left = []
    for racer in [*field[:number], *field[number + 1 :]]:
        branch = racer.branch
        if branch and branch.of >= number:
            branch = None if branch.of == number else Branch(branch.step, branch.of - 1)
        left.append(replace(racer, branch=branch))
    return tuple(dict.fromkeys(left))


def newcomer(field: Sequence[Racer]) -> Racer:
    """A racer with a loss that is not in the race yet, or else a copy of the last one."""
    raced = {type(racer.loss) for racer in field}
    preferred = read_racers(PRESETS["Twelve at once"][0])
    fresh = [racer for racer in preferred if type(racer.loss) not in raced]
    return fresh[0] if fresh else field[-1]


def of_session() -> tuple[Racer, ...]:
    """The racers of the session, for a callback, which runs before the page."""
    return read_racers(tab.control(KEY).get(), LEAST)


def apply_preset(text: str, settings: Mapping[str, str]) -> None:
    """Let the racers written in ``text`` race, none open, with ``settings``; without any, as the race is set."""
    tab.control(KEY).set(text)
    tab.RACER.set(None)
    if settings:
        tab.JOB.of(NAME).pop()  # a recording of the same settings is played
        url_state.open_anew({VERSION: VERSIONS.version, **BEFORE, **settings, KEY: text})
