from __future__ import annotations

import pytest
import torch

from dml_viz.embedding.embeddings import SCENES, scene


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_unit_rows_on_the_circle_with_labels_from_zero(name: str) -> None:
    subject = scene(name)
    assert subject.z.dtype == torch.float64
    assert subject.z.shape == (len(subject.y), 2)
    torch.testing.assert_close(subject.z.norm(dim=1), torch.ones(len(subject.y), dtype=torch.float64))
    assert subject.y.unique().tolist() == list(range(int(subject.y.max()) + 1))
    assert name in subject.provenance
    assert not subject.learnt


def test_scenes_do_what_their_names_say() -> None:
    assert (scene("collapsed").z == scene("collapsed").z[0]).all()
    ends = scene("antipodal").z
    torch.testing.assert_close(ends[::2], -ends[1::2])


def test_an_unknown_scene_is_answered_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="scene 'moons' is not known; choose one of separated, overlapping"):
        scene("moons")
