"""The idea of each paper in a sentence, and the address of the page that shows it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from dml_viz.explain.papers.model import Model
from dml_viz.losses import LOSSES
from dml_viz.pitfalls import PAPERS, RESULTS
from dml_viz.room.markdown import cited, links
from dml_viz.training.methods import METHODS

REFERENCE, METHOD = "reference?card=", "beyond_one_loss?method="
CLAIM = (
    f"A survey gathers the recall of {len(set().union(*RESULTS.values()))} of {len(PAPERS)} papers of CVPR 2019 on "
    f"{len(RESULTS)} data sets. **These numbers cannot rank their losses**: nets, image sizes and dimensions differ."
)


class Idea(NamedTuple):
    """The idea of a paper in a sentence, and the page that shows it, or ""."""

    sentence: str
    link: str = ""


IDEAS: Mapping[int, Idea] = MappingProxyType({
    1: Idea("Bounds the sum over all triplets by distances to fixed centroids, one per class.", f"{REFERENCE}discriminative"),
    2: Idea("Learns short codes: each slice of the embedding is replaced by the nearest of a few learnt codewords.",
            f"{METHOD}codes"),
    3: Idea("Keeps the positives of a query within one distance and its negatives beyond a larger one.", "ranked_list"),
    4: Idea("Moves the centre of a class to its dense region, so that outliers no longer pull it.", f"{METHOD}density"),
    5: Idea("Picks hard classes by a signature of each class first, then hard images within them.", f"{METHOD}signatures"),
    6: Idea("Weights every pair by three similarities: its own, and those relative to other positives and negatives.",
            f"{REFERENCE}multi_similarity"),
    7: Idea("Replaces the ranks in average precision by soft histograms of distances, which have a gradient.", "fastap"),
    8: Idea("Lets a small net copy the distances, or the places, of a large net's embedding.", f"{METHOD}teacher"),
    9: Idea("Trains a second net to decide which tuples are drawn.", f"{METHOD}learnt_sampler"),
    10: Idea("Divides data into clusters and the embedding into slices, trains each slice on its cluster, then joins them.",
             f"{METHOD}divide"),
    11: Idea("Needs no labels: it pulls two views of an image together and pushes other images away.", f"{REFERENCE}isif"),
    12: Idea("Divides the variance of a difference by the variance of the anchor: noise over signal.", f"{REFERENCE}snr"),
    13: Idea("Takes as positives only the edges of a spanning tree of each class, so that a long class may stay long.",
             f"{METHOD}tree"),
    14: Idea("Moves negatives towards the anchor, as far as the net has learnt, and keeps their class with a generator.",
             f"{METHOD}hdml"),
})  # fmt: skip


CHECKS = (
    "Musgrave, Belongie, Lim: A Metric Learning Reality Check, ECCV 2020, arXiv:2003.08505",
    "Roth, Milbich, Sinha, Gupta, Ommer, Cohen: Revisiting Training Strategies and Generalization Performance in Deep Metric "
    "Learning, ICML 2020, arXiv:2002.08473",
)


def reality_checks() -> str:
    """The findings of two papers that trained many losses under one protocol, each paper with its link."""
    summary = (
        "**Two papers of 2020 trained many losses with the same net, images and dimension.** They found that most differences "
        "in tables like this one become small:"
    )
    return "\n".join([summary, *(f"- {cited(text)}" for text in CHECKS)])


def reference_of_paper(title: str) -> str:
    """The reference of the paper with ``title`` in the loss or method made of it; "" without such a loss or method."""
    of_losses, of_methods = ([kind.reference for kind in catalogue.values()] for catalogue in (LOSSES, METHODS))
    return next((text for text in (*of_losses, *of_methods) if title.lower() in text.lower()), "")


def papers_table() -> str:
    """All papers as a table in Markdown, each with links to where it is published and to the page that shows it."""
    rows = (
        f"| **{paper.name}**: {paper.title} {' '.join(links(reference_of_paper(paper.title)))} | {IDEAS[paper.number].sentence} "
        + (f"[See it]({IDEAS[paper.number].link})" if IDEAS[paper.number].link else "")
        + " |"
        for paper in PAPERS
    )
    return "\n".join(["| Paper | Idea |", "|---|---|", *rows])


def recall_columns(model: Model) -> dict[str, list[object]]:
    """The recalls of all methods by column, for a table that can be sorted."""
    columns = {f"R@{k}": column.tolist() for k, column in zip(model.ranks, model.recall.T, strict=True)}
    return {"Method": list(model.methods), **columns}
