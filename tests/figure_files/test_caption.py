"""The caption of a figure names what is shown, and those who drew the images that are shown."""

import pytest

from dml_viz.data.datasets import DATASETS
from dml_viz.figure_files.caption import caption
from dml_viz.figure_files.spec import Spec, declared_run
from dml_viz.training.run import Run


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
