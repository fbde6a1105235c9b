"""What the proxies page says beside its figures, where that hangs on the knobs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dml_viz.explain.proxies.model import Model
from dml_viz.losses.soft_triple import SoftTriple


@dataclass(frozen=True)
class Sentences:
    """Sentences on a look, and on whose edges are drawn."""

    model: Model
    edges: str = "all"

    @property
    def does(self) -> str:
        """Whether Proxy-NCA's pull fades."""
        return "does so too, with the positive kept" if self._kept else "never does"

    @property
    def widths(self) -> str:
        """What to look for among Proxy-NCA's edges."""
        if self.model.settings.wrong_sign:
            return "orange edges of one width: with the sign turned round own stars push, and strangers' pull."
        if self._kept:
            return (
                "blue edges that thin out where the own star is the nearest: the positive is kept in the denominator."
            )
        if self.edges in ("picked", "sample"):
            return "the blue edge: as wide whichever sample you pick, near its star or far."
        return "blue edges of one width: near its star or far, every sample is pulled alike."

    @property
    def flat(self) -> str:
        """What to look for in the curve of Proxy-NCA's pull."""
        if self._kept:
            return "the solid curve on the left: with the positive kept it falls once the own star is the nearest."
        return "the flat line on the left: Proxy-NCA's pull does not depend on the similarity."

    @property
    def shares(self) -> str:
        """How the two pictures mislead."""
        return (
            "widths and arrows are shares of the most that each loss can give a pair, which is "
            f"{self.model.nca.most[0]:.3g} for Proxy-NCA and {self.model.anchor.most[0]:.3g} for Proxy-Anchor: compare fading, "
            "not force. Edges are bent so that neighbours' can be seen, and a pull along the radius moves nobody."
        )

    @property
    def sums(self) -> str:
        """What to look for in the tables."""
        arc = (
            "; ArcFace's margin breaks this, as it is added to an angle"
            if self.model.variant.loss.name == "ArcFace"
            else ""
        )
        return (
            f"the bars at the right: in a softmax over stars what one gets another loses, and rows sum to 0{arc}. Proxy-Anchor "
            "divides among the samples of a star, and neither its rows nor its columns need sum to 0."
        )

    @property
    def correlations(self) -> str:
        """How the tables mislead."""
        nca, anchor = (_signed(self.model.correlations[name]) for name in ("nca", "anchor"))
        return (
            "colours end at the most that each loss can give a pair, so equal colours are not equal weights. With "
            f"{self.model.variant.loss.name}'s table Proxy-NCA's correlates by {nca}, Proxy-Anchor's by {anchor}; most of that "
            "is in the signs, as all pull their own and push the rest."
        )

    @property
    def cousin(self) -> str:
        """How the cousin's figures mislead."""
        if isinstance(self.model.settings.variant, SoftTriple):
            return (
                "SoftTriple's regulariser, which draws the centres of a class together, weighs on no sample and is neither in "
                "the edges nor in the arrows."
            )
        return (
            "at a scale of 30 few samples hover between pulled and left alone, and a small scene may show none of them."
        )

    @property
    def _kept(self) -> bool:
        return self.model.settings.nca.positive_in_denominator


def _signed(value: float) -> str:
    return "nothing, being flat," if np.isnan(value) else f"{value:.2f}".replace("-", "−")
