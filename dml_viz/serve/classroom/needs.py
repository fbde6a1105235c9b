"""What a classroom needs of its server."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dml_viz.serve.classroom.codes import Signer
from dml_viz.serve.classroom.questions import PagePrediction


@dataclass(frozen=True)
class ClassroomNeeds:
    """The signer of codes, the pages' predictions by name, the job of the run with an id, a thread to ``compute`` in, a clock."""

    signer: Signer
    predictions: Mapping[str, PagePrediction]
    job: Callable[[str], Any]
    compute: Callable[..., Awaitable[Any]] = asyncio.to_thread
    clock: Callable[[], float] = time.monotonic
