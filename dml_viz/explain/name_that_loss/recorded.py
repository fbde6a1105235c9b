"""The recorded answer to the page's example: the search takes minutes. ``python -m dml_viz.export.record named`` makes it."""

import json
from collections.abc import Mapping
from pathlib import Path

from dml_viz.engine.recordings import FOLDER
from dml_viz.explain.name_that_loss.batches import batch_of, example
from dml_viz.explain.name_that_loss.model import Answer, fit_of, identify
from dml_viz.explain.name_that_loss.model_fit import Fit
from dml_viz.explain.name_that_loss.model_forms import ObservedBatch, forms
from dml_viz.threads import once

FILE = FOLDER / "named.json"
CLOSE = 1e-5  # relative, between factors of two searches


def record_answer(path: Path = FILE) -> int:
    """Search for the loss of the example and write the answer to ``path``; return the number of bytes."""
    fits = [
        {
            "name": fit.form.name,
            "switches": dict(fit.form.switches),
            "error": fit.form.error,
            "knobs": dict(fit.knobs),
            "missed": fit.missed,
            "factor": fit.factor,
            "value_factor": fit.value_factor,
            "unknown": list(fit.unknown),
        }
        for fit in identify(batch_of(example())).fits
    ]
    return path.write_text(json.dumps(fits, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@once
def recorded_answer() -> tuple[ObservedBatch, Answer]:
    """The example and the recorded answer to it."""
    batch = batch_of(example())
    known = {_called(form.name, form.switches, form.error): form for form in forms(batch)}
    fits = []
    for each in json.loads(FILE.read_text(encoding="utf-8")):
        form = known[_called(*(each.pop(key) for key in ("name", "switches", "error")))]
        fits.append(Fit(form, **{**each, "unknown": tuple(each["unknown"])}))
    return batch, Answer(tuple(fits), None)


def is_todays() -> bool:
    """Whether the recorded fits are those that a search among the values of their own forms finds now."""
    batch, answer = recorded_answer()
    return bool(answer.fits) and all(_alike(fit, fit_of(fit.form, batch)) for fit in answer.fits)


def _called(name: str, switches: Mapping[str, object], error: str) -> str:
    return json.dumps([name, dict(switches), error], sort_keys=True)


def _alike(fit: Fit, other: Fit) -> bool:
    pairs = [(fit.factor, other.factor), *((fit.knobs[name], value) for name, value in other.knobs.items())]
    close = all(abs(here - there) <= CLOSE * max(1.0, abs(there)) for here, there in pairs)
    return other.fits and fit.unknown == other.unknown and close
