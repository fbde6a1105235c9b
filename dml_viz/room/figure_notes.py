"""What a page has drawn so far, from which the spec and the caption of its next figure are made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dml_viz.losses import Loss


@dataclass
class Notes:
    """The notes of one rerun of a page: title, path, newest claim, the losses of its figures, and the scene, or a run's step.

    ``setting`` is the key of the step in the link.
    """

    title: str
    path: str
    claim: str = ""
    losses: tuple[Loss, ...] = ()
    scene: str = ""
    run: Mapping[str, Any] | None = None
    step: int | None = None
    changes: tuple[Any, ...] = ()
    setting: str = "step"
