"""What circulates about the losses on show, each beside what is measured."""

from __future__ import annotations

from collections.abc import Sequence

from dml_viz.explain.pairs.model import PAIRWISE
from dml_viz.pitfalls import ERRATA


def facts(names: Sequence[str]) -> str:
    """The table, in Markdown, of what is about the losses ``names``; where there is nothing, of all losses of pairs."""
    about = [kind for kind in ERRATA.values() if set(names) & set(kind.losses)]
    about = about or [kind for kind in ERRATA.values() if set(PAIRWISE) & set(kind.losses)]
    rows = [f"| {kind.circulates} | {' '.join(filter(None, (kind().told, kind.misled)))} |" for kind in about]
    return "\n".join(["| In circulation | Here |", "|---|---|", *rows])


def has_own(names: Sequence[str]) -> bool:
    """Whether anything circulates about the losses ``names``."""
    return any(set(names) & set(kind.losses) for kind in ERRATA.values())
