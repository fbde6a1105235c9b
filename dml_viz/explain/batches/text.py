"""The sentences of the page on batches."""

import math
from collections.abc import Callable, Mapping

from dml_viz.data.samplers._base import BATCH_CAP
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.explain.batches.model import REPEATS, Model, Settings, read_measured_memory
from dml_viz.explain.batches.model_samplers import BATCHES, FILLINGS, MARGIN, SIZES
from dml_viz.params import params
from dml_viz.room.markdown import cited

CLAIM = (
    "A loss compares the images of one **batch** with each other. So it matters how large the batch is, whether it is split, and "
    "which negatives are in it."
)
GAO = "Gao, Zhang, Han, Callan 2021, arXiv:2101.06983"
CACHING = (
    "**In chunks**, the net embeds chunk after chunk and keeps nothing but the embeddings. The loss gives its gradient at all of "
    "them at once; then each chunk goes through the net again, and back with its rows of that gradient. The step is the same, "
    f"and costs a second forward pass ({cited(GAO)})."
)
TRAIN = {"p_by_k.samples": "64", "run.chunk": "64"}
MOST = math.prod(int(knob.ends[1]) for knob in params(PByK))  # images of the largest batch that controls allow
LARGER = (
    f"The sliders of a page end at {MOST:,} images a step: visitors share the workers, and others wait while a step is under "
    f"way. Up to {BATCH_CAP:,} images, in chunks, run on your own machine, from the command line or from Python:"
)
COMMAND = 'dml-viz sweep sampler.samples:64_512 --seeds 1 --run "p_by_k.classes=16&run.chunk=128&run.steps=100"'
PYTHON = """from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.training.loop import Run, advance, begin

run = Run(sampler=PByK(16, 512), chunk=128)
state, frames = advance(run, begin(run), steps=10)"""
# The Sweep page's preset "Clusters or categories".
CATEGORIES = {
    "data": "glyphs",
    "net": "mlp",
    "p_by_k.classes": "16",
    "run.dim": "64",
    "seeds": "8",
    "loss": "contrastive",
    "method": "divide",
    "axis": "method.by:features_categories",
}
RACE = {"racers": "triplet.mining:all.sampler.samples:4~triplet.mining:all.sampler:by_category"}


def split_claim(model: Model) -> str:
    """The claim on what FastAP and Proxy-NCA lose by splitting."""
    fastap, nca = (model.split_of(title).parts for title in ("FastAP", "Proxy-NCA"))
    parts = model.settings.parts
    return f"Split into {parts} pieces, FastAP’s gradient has cosine {fastap:.3f} with the whole batch’s, Proxy-NCA’s {nca:.3f}"


def memory_claim(model: Model) -> str:
    """The claim on the memory of a training step, whole and in chunks."""
    whole, chunks, library = (model.memory.of_step(4096, way) for way in ("whole", "chunks", "library"))
    return (
        f"A step of FastAP on 4,096 images takes {whole:,.0f} MB at once, {chunks:,.0f} MB in chunks, and {library:,.0f} MB with "
        "pytorch-metric-learning"
    )


def fillings_claim(model: Model) -> str:
    """The claim on the ways to fill a batch that find hard negatives."""
    step = model.settings.step
    share = {way: model.hardness.share_and_distance(way, step)[0] for way in FILLINGS}
    return (
        f"At step {step}, triplet loss still moves {share['random']:.1%} of the triplets of a random batch, and "
        f"{share['category']:.1%} where its classes are of few categories"
    )


def fillings_look_for(model: Model) -> str:
    """What to look for: the ways with more active triplets than random batches."""
    hardness, step = model.hardness, model.settings.step
    share = {way: round(hardness.share_and_distance(way, step)[0], 3) for way in FILLINGS}  # as they are written
    more = [name for way, name in FILLINGS.items() if share[way] > share["random"] and way != "hardest"]
    return (
        f"how far the lines are apart late in the run. At step {step} more triplets are active than in random batches in: "
        f"{', '.join(more) or 'none'}. Can known categories replace k-means? Few categories leave {share['category']:.1%} "
        f"active, one cluster {share['cluster']:.1%}; what each leads to in training is a sweep. Click a line to see one of its "
        "batches."
    )


def batch_claim(model: Model) -> str:
    """The claim on the batch drawn."""
    return f"The images of one batch: {FILLINGS[model.settings.way]}"


def _split_in_words(settings: Settings) -> str:
    return (
        f"each loss as it is by default; a batch of {Model(settings).batch_size} images in {settings.parts} pieces, "
        f"mean over {REPEATS} splits; {_embedded(settings)}"
    )


def _hardness_in_words(settings: Settings) -> str:
    return (
        f"triplet loss, margin = {MARGIN:g}; means over {BATCHES} batches; of the k-means clusters those with at least "
        f"{SIZES[settings.data][1]} classes; {_embedded(settings)}"
    )


def _embedded(settings: Settings) -> str:
    return f"{settings.data} as a recorded run embeds them, step {settings.step}"


# What the figures show, none of which is of the page's points.
CAPTIONS: Mapping[str, Callable[[Settings], str]] = {
    "split": _split_in_words,
    "memory": lambda _: f"a training step of FastAP on the conv net, measured with torch {read_measured_memory().torch}",
    "hardness": _hardness_in_words,
    "contents": lambda settings: f"a batch filled this way: {FILLINGS[settings.way]}; {_embedded(settings)}",
}
