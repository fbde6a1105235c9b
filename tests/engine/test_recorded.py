"""Recorded results: every one is of today's code, which other processors do not change and another loss does."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from dml_viz.data.eval_points import GROUPS
from dml_viz.data.wire import messages, unpack
from dml_viz.engine.messages import FULL, MAP
from dml_viz.engine.recordings import FOLDER, RECORDED, ROWS, START, runs_of_recordings, stored_first_steps
from dml_viz.engine.results import Recorded, RecordedResult, classes_of, recorded_results
from dml_viz.export.record import record_results, runs_by_digest
from dml_viz.losses.fastap import FastAP
from dml_viz.params import param
from dml_viz.training.first_steps import FIRST, agrees_with_recorded, declaration, digest, first_steps
from dml_viz.training.loop import Run
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.state import start
from tests.samples import THOROUGH

RUNS = runs_by_digest()
SAMPLES = {classes_of(run): run for run in RUNS.values()}  # the last run of each combination of classes
PLAYED = {digest(run): run for run in runs_of_recordings((*RECORDED, ROWS))}
ALIKE = {replace(run, seed=0): run for run in PLAYED.values()}  # the last seed of each
SMALL = Run(net=MLP(width=16), dim=3, steps=40)


def test_every_run_that_is_shown_as_recorded_is_recorded_with_its_first_steps() -> None:
    results = recorded_results().by_digest
    assert results.keys() == RUNS.keys(), "make record"
    for name, run in RUNS.items():
        assert results[name].first.shape == (min(FIRST, run.steps), 2)
        assert results[name].rows[-1, 0] == run.steps
    assert stored_first_steps().keys() == PLAYED.keys(), "make record"


@pytest.mark.parametrize("run", SAMPLES.values(), ids=lambda run: f"{run.loss.name}-{run.method.link_name}-{run.net.title}")
def test_a_recorded_result_is_of_today_s_code(run: Run) -> None:
    assert agrees_with_recorded(recorded_results().by_digest[digest(run)].first, run, steps_of(run)), "make record"


def steps_of(run: Run) -> int:
    """The number of first steps that are trained again: few, but of a method, whose memory shows later."""
    return FIRST if THOROUGH or run.method.title != "Plain" else 6


@pytest.mark.parametrize(
    "run", [START, *ALIKE.values()], ids=lambda run: f"{run.loss.name}-{type(run.dataset).__name__}-{run.seed}"
)
def test_every_recorded_run_and_racer_is_of_today_s_code(run: Run) -> None:
    assert agrees_with_recorded(stored_first_steps()[digest(run)], run, steps_of(run)), "make record"


def test_results_of_a_changed_loss_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dml_viz.engine.results.agrees_with_recorded", agrees_with_recorded)
    run = next(run for run in RUNS.values() if run.loss.name == "FastAP" and isinstance(run.net, MLP))
    results = Recorded(recorded_results().by_digest)
    before = FastAP.evaluate

    def changed(self: FastAP, *arguments: object) -> object:
        found = before(self, *arguments)  # type: ignore[arg-type]
        return replace(found, value=found.value * 1.001)

    monkeypatch.setattr(FastAP, "evaluate", changed)
    assert not agrees_with_recorded(results.by_digest[digest(run)].first, run)
    assert results.find(run) is None
    monkeypatch.setattr(FastAP, "evaluate", before)
    assert Recorded(recorded_results().by_digest).find(run) is not None


# Old instructions and several threads round as other processors do.
ELSEWHERE = """
import sys, numpy, torch
from dml_viz.training import first_steps
from dml_viz.training.loop import Run
from dml_viz.training.nets.mlp import MLP
from contextlib import nullcontext
from dml_viz.losses.fastap import FastAP
first_steps.repeatable = nullcontext
torch.set_num_threads(2)
print(torch.backends.cpu.get_cpu_capability())
for bins in (10, 100):
    print(*first_steps.first_steps(Run(net=MLP(width=16), dim=3, loss=FastAP(bins=bins), steps=40)).ravel())
"""


@pytest.fixture(scope="module")
def elsewhere() -> list[NDArray[np.float32]]:
    """The first steps of two runs, with 10 and with 100 bins, on another processor."""
    # Threads that wait do not spin, which would take a core from other tests.
    old = {
        "OMP_WAIT_POLICY": "PASSIVE",
        "GOMP_SPINCOUNT": "0",
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        "OPENBLAS_CORETYPE": "Nehalem",
    }
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], env={**os.environ, **old}, capture_output=True, text=True, check=True
    )
    capability, *runs = done.stdout.splitlines()
    assert capability == "DEFAULT"
    return [np.array(numbers.split(), np.float32).reshape(-1, 2) for numbers in runs]


def test_another_processor_takes_the_same_first_steps(elsewhere: list[NDArray[np.float32]]) -> None:
    for bins, recorded_there in zip((10, 100), elsewhere, strict=True):
        assert agrees_with_recorded(recorded_there, replace(SMALL, loss=FastAP(bins=bins)))


def test_another_run_is_told_from_one_on_another_processor(elsewhere: list[NDArray[np.float32]]) -> None:
    _, recorded_there = elsewhere
    run = replace(SMALL, loss=FastAP(bins=100))  # rounding alone makes its steps differ by a tenth
    for changed in (replace(run, loss=FastAP(bins=99)), replace(run, lr=run.lr * 1.01), replace(run, seed=1)):
        assert not agrees_with_recorded(recorded_there, changed)


def test_a_new_knob_at_its_default_changes_no_digest() -> None:
    @dataclass(frozen=True)
    class Wider(MLP):
        new: int = param(1, "a knob that came later", "n", domain="[1, 4]")

    @dataclass(frozen=True)
    class Longer(Run):
        warm: int = param(0, "a part of a run that came later", domain="[0, 9]")

    Wider.__qualname__, Longer.__qualname__ = MLP.__qualname__, Run.__qualname__
    assert declaration(Wider(width=16)) == declaration(MLP(width=16)) == "MLP(width=16)"
    assert declaration(Longer(net=Wider(width=16))) == declaration(Run(net=MLP(width=16)))
    assert declaration(Longer(warm=2)) == "Run(warm=2)"
    assert digest(replace(SMALL, device="cpu")) == digest(SMALL)
    assert len({digest(run) for run in (SMALL, Run(), replace(SMALL, seed=1), replace(SMALL, loss=FastAP(bins=11)))}) == 4


def test_a_recording_that_was_broken_off_goes_on_and_trains_anew_only_what_is_not_today_s(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runs = {digest(run): run for run in (replace(SMALL, seed=seed, steps=8) for seed in range(3))}
    monkeypatch.setattr("dml_viz.export.record.runs_by_digest", lambda names=(): runs)
    monkeypatch.setattr("dml_viz.export.record._pool", Here)
    path, trained = tmp_path / "sweep.bin", list[int]()
    original = RecordedResult.trained

    def train(run: Run) -> RecordedResult:
        trained.append(run.seed)
        return original(run)

    def written(results: Mapping[str, RecordedResult]) -> bytes:
        bodies = [result.named(name) for name, result in results.items()]
        return b"".join(len(body).to_bytes(4, "little") + body for body in bodies)

    left = {name: original(run) for name, run in list(runs.items())[:2]}
    path.with_suffix(".part").write_bytes(written(left)[:-7])  # broken off while the second was written
    monkeypatch.setattr(RecordedResult, "trained", train)
    record_results(["sweeps"], path=path)
    assert trained == [1, 2]
    assert not path.with_suffix(".part").exists()
    trained.clear()
    record_results(["sweeps"], again=True, path=path)
    assert not trained
    results = Recorded.of_file(path).by_digest
    assert [*results] == [*runs]
    for run in runs.values():
        result = results[digest(run)]
        assert np.array_equal(result.first, first_steps(run))
        assert len(result.again) == result.rows.shape[1] - 1
        assert not np.array_equal(result.again, result.rows[-1, 1:]), "first weights were changed"
        assert np.allclose(result.again, result.rows[-1, 1:], atol=0.2)
    (_, name, _), old = runs, dict(results)
    old[name] = replace(old[name], first=old[name].first * np.float32(1.01))
    path.write_bytes(written(old))
    trained.clear()
    record_results(["sweeps"], path=path)
    assert trained == [1]


class Here:
    """A pool whose calls are made at once, in this process."""

    def __enter__(self) -> "Here":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, call: Callable[..., object], *arguments: object) -> object:
        future: Future[object] = Future()
        future.set_result(call(*arguments))
        return future


def test_first_weights_in_double_precision_are_as_large_as_those_of_the_run() -> None:
    first, exact = (start(SMALL, exact=each).weights.value for each in (False, True))
    assert np.std(exact) == pytest.approx(np.std(first), rel=0.05)
    assert ((exact == 0) == (first == 0)).all()
    assert torch.from_numpy(exact).dtype == torch.float64


@pytest.mark.parametrize("name", ["start", "race_over_seeds"])
def test_the_neighbour_maps_of_recorded_runs_keep_as_many_neighbours_as_the_numbers_say(name: str) -> None:
    subject, *frames = map(unpack, messages((FOLDER / f"{name}.bin").read_bytes()))
    y, unseen, seeds = subject[1]["y"], subject[1]["unseen"], subject[0]["seeds"]
    for header, arrays in frames:
        runs = arrays["rows"][-1, 1:].reshape(-1, len(header["columns"]))
        for racer, group in product(range(len(header["members"])), GROUPS):
            members = np.flatnonzero(unseen == (group == "unseen"))
            places = arrays[f"{racer}.{MAP}"][members].astype(np.float64)
            places = places / FULL * 2 - 1 if places.max() > 1 else places
            assert np.abs(places).max() == pytest.approx(1, abs=1e-3)
            apart = ((places[:, None] - places[None]) ** 2).sum(2) + 9.0 * np.eye(len(members))
            share = np.mean(y[members[apart.argmin(1)]] == y[members])
            score = runs[racer * seeds, header["columns"].index(f"r1.{group}")]  # points are those of a racer's first seed
            assert abs(share - score) < 0.08, (header["step"], racer, group, share, score)
