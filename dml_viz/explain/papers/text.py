"""The idea of each paper in a sentence, and the address of the page that shows it."""

from dml_viz.explain.papers.model import Model
from dml_viz.losses import LOSSES
from dml_viz.pitfalls import PAPERS, RESULTS
from dml_viz.room.markdown import cited, links
from dml_viz.training.methods import METHODS

CLAIM = (
    f"A survey gathers the recall of {len(set().union(*RESULTS.values()))} of {len(PAPERS)} papers of CVPR 2019 on "
    f"{len(RESULTS)} data sets. **These numbers cannot rank their losses**: nets, image sizes and dimensions differ."
)


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
        f"| **{paper.name}**: {paper.title} {' '.join(links(reference_of_paper(paper.title)))} | {paper.idea} "
        + (f"[See it]({paper.page})" if paper.page else "")
        + " |"
        for paper in PAPERS
    )
    return "\n".join(["| Paper | Idea |", "|---|---|", *rows])


def recall_columns(model: Model) -> dict[str, list[object]]:
    """The recalls of all methods by column, for a table that can be sorted."""
    columns = {f"R@{k}": column.tolist() for k, column in zip(model.ranks, model.recall.T, strict=True)}
    return {"Method": list(model.methods), **columns}
