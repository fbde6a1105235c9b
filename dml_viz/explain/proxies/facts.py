"""What circulates about the losses of proxies and is wrong or open, each beside what is so, with measured numbers."""

from __future__ import annotations

from dml_viz.pitfalls import ERRATA

ABOUT = {"proxy_nca", "proxy_anchor", "margin_softmax", "soft_triple"}


def facts() -> str:
    """The table, in Markdown; the numbers are of small fixed examples and are made once per process."""
    errata = [leaf() for leaf in ERRATA.values() if ABOUT & set(leaf.losses)]
    rows = (f"| **{erratum.title}.** {erratum.circulates} | {erratum.told} |" for erratum in errata)
    return "| In circulation | Here |\n|---|---|\n" + "\n".join(rows)


def misleads() -> str:
    """How the smallness of the examples misleads, in sentences."""
    said = dict.fromkeys(leaf.misled for leaf in ERRATA.values() if ABOUT & set(leaf.losses) and leaf.misled)
    return " ".join(said)
