"""What is said of two losses of proxies that have been set free: it follows what became of their pulls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dml_viz.explain.proxies.model import Settings
from dml_viz.explain.proxies.model_flow import Outcome

LET_GO = 0.05  # of the most: a smaller pull has been let go
WHY = {
    "pushes": ", and pushes off other stars hold against them",
    "radius": ", but along the radius, which moves nobody",
    "": ", and samples are still on the way",
}


@dataclass(frozen=True)
class Fates:
    """Sentences on the fates of both losses under ``settings`` after ``steps`` steps."""

    nca: Outcome
    anchor: Outcome
    settings: Settings
    steps: int

    @property
    def heading(self) -> str:
        """What each pull does from the first step to the last."""
        return f"Set free, Proxy-Anchor's pull {_went(self.anchor)}; Proxy-NCA's {_went(self.nca)}"

    @property
    def look_for(self) -> str:
        """What to look for in the pulls along the steps, and why they go there."""
        return f"the blue lines on the right. {self._anchor} {self._nca}"

    @property
    def _anchor(self) -> str:
        outcome, (first, last) = self.anchor, self.anchor.pull
        if last <= LET_GO:
            done = "has let go from the start" if first <= LET_GO else "lets go"
            return f"Proxy-Anchor {done}{_cosine(outcome)}."
        if not outcome.pulling:
            return f"Proxy-Anchor has not let go of all after {self.steps} steps{_cosine(outcome)}."
        stars = f"{outcome.pulling} of {outcome.proxies} star{'s' * (outcome.proxies != 1)}"
        return (
            f"After {self.steps} steps {stars} of Proxy-Anchor still pull{'s' * (outcome.pulling == 1)} with more than half of "
            f"the most{WHY[outcome.stopped_by]}{_cosine(outcome)}."
        )

    @property
    def _nca(self) -> str:
        if self.settings.nca.positive_in_denominator:
            said = f"With the positive kept Proxy-NCA's {_went(self.nca)}{_cosine(self.nca)}."
        else:
            said = (
                f"Proxy-NCA's is the same at every step, as its positive is not in the denominator{_cosine(self.nca)}."
            )
        return f"{said} With the sign error its stars make for the far side." if self.settings.wrong_sign else said


def _went(outcome: Outcome) -> str:
    first, last = (f"{share:.0%}".replace("-0%", "0%").replace("-", "−") for share in outcome.pull)
    if first == last:
        return f"stays at {last}"
    return f"{'rises' if outcome.pull[1] > outcome.pull[0] else 'falls'} from {first} to {last}"


def _cosine(outcome: Outcome) -> str:
    if np.isnan(outcome.cosine).any():
        return ""
    first, last = (f"{cosine:.2f}".replace("-0.00", "0.00").replace("-", "−") for cosine in outcome.cosine)
    return f" (mean cosine {first} to {last})" if first != last else f" (mean cosine {last})"
