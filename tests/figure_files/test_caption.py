"""The caption of a figure names what is shown, and those who drew the images that are shown."""

from typing import Any

import pytest

from dml_viz.data.datasets import DATASETS
from dml_viz.figure_files.caption import caption
from dml_viz.figure_files.spec import Spec, declared_part, declared_race, declared_run, declared_sweep
from dml_viz.training.race import Branch, Race, Racer
from dml_viz.training.run import Run
from dml_viz.training.sweep import Axis, Sweep


def test_a_caption_says_what_was_changed_while_a_run_trained() -> None:
    spec = Spec("live", "train", "train", run=declared_run(Run()), step=90, changes=([60, "lr 0.002 → 0.02"],))
    assert "seed 0, step 90; from step 60 on lr 0.002 → 0.02;" in caption(spec, "")


@pytest.mark.parametrize("name", sorted(DATASETS))
def test_a_picture_of_images_names_those_who_drew_them_and_a_curve_does_not(name: str) -> None:
    dataset = DATASETS[name]()
    spec = Spec("live", "train", "train", run=declared_run(Run(dataset=dataset)), step=1)
    assert all(author in caption(spec, "", images=True) for author in dataset.credits)
    assert ("changed" in caption(spec, "", images=True)) == bool(dataset.credits)
    assert not any(author in caption(spec, "") for author in dataset.credits)


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ({"loss.bins": (3, 4)}, "Sweep: FastAP; Icons, Conv net to 64 dimensions; seed 0, step 300; FastAP: bins 3, 4;"),
        ({"dim": (2, 8)}, "Sweep: FastAP (bins = 10); Icons, Conv net; seed 0, step 300; embedding dimension 2, 8;"),
        (
            {"net": ("mlp", "conv"), "sampler.classes": (4, 8)},
            "Sweep: FastAP (bins = 10); Icons, 64 dimensions; seed 0, step 300; net MLP, Conv net; batches: classes 4, 8;",
        ),
        (
            {"loss": ("fastap", "contrastive")},
            "Sweep: Icons, Conv net to 64 dimensions; seed 0, step 300; loss FastAP (bins = 10), Contrastive;",
        ),
    ],
)
def test_a_caption_of_a_sweep_names_the_values_that_were_trained_and_no_others(
    axes: dict[str, tuple[Any, ...]], words: str
) -> None:
    sweep = Sweep(Run(), tuple(Axis(path, values) for path, values in axes.items()), 1)
    spec = Spec("knob", "sweep", "sweep", loss=(declared_part(sweep.run.loss),), run=declared_sweep(sweep), step=300)
    assert caption(spec, "Sweep").startswith(words)


def test_a_caption_of_a_sweep_of_equal_images_names_no_step() -> None:
    sweep = Sweep(Run(), (Axis("sampler.classes", (4, 8)),), 1, "images")
    spec = Spec("knob", "sweep", "sweep", run=declared_sweep(sweep), step=120)
    assert "; seed 0, about 40% of the images seen;" in caption(spec, "")


def test_a_caption_of_a_race_says_what_each_racer_has_of_its_own_and_no_query() -> None:
    loss = Run().loss
    racers = (Racer(loss), Racer(loss, None, (("lr", 0.01), ("method", "learnt_sampler"))), Racer(loss, Branch(50, 0)))
    spec = Spec("race", "race", "race", loss=(declared_part(loss),), run=declared_race(Race(Run(), racers)), step=100, query=0)
    text = caption(spec, "")
    assert "; B: learning rate 0.01, Learnt sampler; C: from A at step 50;" in text
    assert "query" not in text
