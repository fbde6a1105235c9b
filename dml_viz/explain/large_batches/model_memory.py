"""What a training step takes of memory, as `benchmarks.chunks` measured it."""

import json
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dml_viz.engine.recordings import FOLDER


@dataclass(frozen=True)
class Memory:
    """Megabytes (S,) by way of taking the step, for batches of ``sizes`` (S,); ``chunk`` images at once in the second way."""

    sizes: np.ndarray
    megabytes: dict[str, np.ndarray]
    chunk: int
    torch: str

    def at(self, size: int, way: str) -> float:
        """The megabytes of one batch size."""
        return float(self.megabytes[way][self.sizes.tolist().index(size)])


@lru_cache(maxsize=1)
def memory() -> Memory:
    """The measured file."""
    found = json.loads((FOLDER / "chunks.json").read_text(encoding="utf-8"))
    megabytes = {way: np.array(numbers) for way, numbers in found["megabytes"].items()}
    return Memory(np.array(found["sizes"]), megabytes, found["chunk"], found["torch"])
