"""The sweep that a link asks for; no Streamlit here."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dml_viz.engine.results import retrained_scores, score_table
from dml_viz.explain.sweep.model import SCORES, ScoreTable, Settings
from dml_viz.params import Param
from dml_viz.room.ask import NOTHING, Ask, ReadSetting
from dml_viz.room.run_form import run_form
from dml_viz.room.source import Subject
from dml_viz.training.paths import paths
from dml_viz.training.run import Run
from dml_viz.training.sweep import EQUAL, LOOKS, MOST_RUNS, MOST_SEEDS, Axis, Sweep, suggested

TITLE, CLAIM = "Sweep", "A knob matters where it moves the score more than chance does"
FIRST, SECOND, SEEDS = "axis", "axis2", 3
OPENING = "loss.bins:4_10_25_100"
SCORE, LOOK, SAME = "sweep.score", "sweep.look", "sweep.equal"
GLYPHS: Mapping[str, Any] = MappingProxyType({"data": "glyphs", "net": "mlp", "p_by_k.classes": 16, "run.dim": 64, "seeds": 5})
LOSS = "loss"


CONV: Mapping[str, Any] = MappingProxyType({"net": "conv", SCORE: "r1"})


def _preset(axis: str, note: str, others: Mapping[str, Any] = NOTHING) -> tuple[Mapping[str, Any], str]:
    """The settings of a sweep over ``axis`` on glyphs, where one run takes about a second, with ``others``; and its ``note``."""
    return {**GLYPHS, FIRST: axis, **others}, note


def _of_loss(loss: str, axis: str, note: str) -> tuple[Mapping[str, Any], str]:
    return _preset(f"loss.{axis}", note, {LOSS: loss})


# The experiments of papers and of teaching notes.
PRESETS: Mapping[str, tuple[Mapping[str, Any], str]] = MappingProxyType(
    {
        "FastAP’s bins": _of_loss("fastap", "bins:4_5_10_25_50_100", "A knob that papers tune. Is it more than another seed?"),
        "Batch size": _preset("sampler.samples:2_4_8_16_32_64", "More images of each class in a batch, at equal steps."),
        "Batch size, equal images": _preset(
            "sampler.samples:4_8_16_32_64",
            "The same, but each run sees as many images: larger batches make fewer steps.",
            {SAME: "images"},
        ),
        "Dimension": _preset("dim:2_3_8_64", "How many numbers an image may become."),
        "Learning rate": _preset("lr:0.0002_0.0005_0.001_0.002_0.005_0.01", "Before anything else is compared."),
        "Angular: α": _of_loss("angular", "alpha:30_36_40_45_50_60", "The bound of the angle at the negative, in degrees."),
        "Triplet: margin": _of_loss("triplet", "margin:0.05_0.1_0.2_0.5_1", "How much farther a negative must be."),
        "Ranked list: T": _of_loss("ranked_list", "temperature:0_5_10_15_20", "Beside what its authors report on SOP."),
        "Proxy-Anchor: δ": _of_loss("proxy_anchor", "delta:0_0.1_0.2_0.4", "The margin around each proxy."),
        "SoftTriple: K": _of_loss("soft_triple", "centres:1_2_5_10", "How many centres a class may have."),
        "Classes in a batch": _preset("sampler.classes:2_4_8_16", "Few or many classes, eight images of each."),
        "Image size": _preset(
            "dataset.side:7_14_28",
            "The same glyphs at 7, 14 and 28 pixels. Papers crop at 224 or at 336: what do pixels alone do?",
            CONV,
        ),
        "Layer": _preset("net.depth:1_2_3_4", "The embedding read after one, two, three or four convolutions.", CONV),
        "Pooling": _preset(
            "net.pooling:none_mean_second order",
            "Every place of the image, means of channels over it, or means of their products (second order).",
            CONV,
        ),
        "Proxies for each class": _preset(
            "method.share:0.1_0.25_0.5_0.75_1",
            "Classes share proxies, matched to the near ones in each batch or once and for all: how few will do?",
            {LOSS: "triplet", "method": "few_proxies", SECOND: "method.assignment:dynamic_static", SCORE: "r1"},
        ),
        "Clusters or categories": _preset(
            "method.by:features_categories",
            "Divide and conquer, its slices trained by k-means clusters or by known families of shapes: is knowing them worth "
            "more?",
            # Of two values, five seeds could not tell a difference from chance.
            {LOSS: "contrastive", "method": "divide", "seeds": 8},
        ),
        "Label noise, five losses": _preset(
            "label_noise:0_0.2_0.4_0.6",
            "Some labels are wrong, the same ones for every seed: which loss loses most? A line for each. The spread over seeds "
            "leaves out which labels they are.",
            {SECOND: "loss:triplet_multi_similarity_fastap_proxy_nca_proxy_anchor", SCORE: "r1"},
        ),
        "Rate and batch": _preset(
            "lr:0.0005_0.002_0.008",
            "Two knobs at once, as a map: does the best rate move with the batch?",
            {SECOND: "sampler.samples:4_16_64", "seeds": 3},
        ),
    }
)


@dataclass(frozen=True)
class AxisText(ReadSetting):
    """An axis of ``run`` as a link writes it; an ``optional`` axis may be empty, and differs from ``first``."""

    run: Run
    first: str = ""
    optional: bool = False

    @property
    def default(self) -> str:
        """The axis of bins, or of the first knob of the run's loss, else of the learning rate; empty if optional."""
        if self.optional:
            return ""
        if not self.complaint(OPENING):
            return OPENING
        known = paths(self.run)
        path = next((path for path in known if path.startswith("loss.") and len(suggested(known[path])) > 1), "lr")
        return Axis(path, suggested(known[path])).write()

    def read(self, text: str) -> str:
        """The axis as `Axis.write` writes it; ValueError, naming value, range and fix, for any other text."""
        if self.optional and not text:
            return ""
        axis = Axis.read(self.run, text)
        before = (Axis.read(self.run, self.first),) if self.first else ()
        Sweep(self.run, (*before, axis), 1)
        return axis.write()


def sweep_settings(ask: Ask) -> Sweep:
    """The sweep; ValueError if it is impossible."""
    return sweep_of(ask, run_form(ask))


def sweep_of(ask: Ask, run: Run) -> Sweep:
    """The sweep of ``run`` with the knobs, values and seeds of the settings."""
    axes = axes_of(ask, run)
    cells = len(Sweep(run, axes, 1).cells)
    seeds = ask.number("seeds", "Seeds", 1, most_seeds(cells), min(SEEDS, most_seeds(cells)))
    return Sweep(run, axes, seeds, ask.choice(SAME, "Equal for all", EQUAL, EQUAL[0]))


def axes_of(ask: Ask, run: Run) -> tuple[Axis, ...]:
    """The one or two swept knobs of ``run``, with their values."""
    first = ask.setting(FIRST, AxisText(run))
    second = ask.setting(SECOND, AxisText(run, first, optional=True))
    return tuple(Axis.read(run, text) for text in (first, second) if text)


def most_seeds(cells: int) -> int:
    """The largest number of seeds for so many cells."""
    return min(MOST_SEEDS, MOST_RUNS // cells)


def settings_of(ask: Ask, subject: Subject) -> Settings:
    """The settings with the scores of ``subject``, or without scores as long as there are none."""
    sweep = sweep_settings(ask)
    results = subject.results or [None] * len(sweep.runs)
    return Settings(sweep, ScoreTable(score_table(sweep, results), retrained_scores(sweep, results)), *shown_settings(ask))


def sweep_and_step(ask: Ask) -> tuple[Sweep, int]:
    """The sweep, and the step of its own run that is shown."""
    sweep = sweep_settings(ask)
    return sweep, round(sweep.run.steps * shown_settings(ask)[1] / LOOKS)


def shown_settings(ask: Ask) -> tuple[str, int]:
    """The score shown, and its look."""
    score = ask.choice(SCORE, "Score", tuple(SCORES), "map", named=SCORES)
    return score, int(ask.setting(LOOK, Param(LOOK, LOOKS, "", "where on the way", choices=tuple(range(1, LOOKS + 1)))))
