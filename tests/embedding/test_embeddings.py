"""Embeddings differ by their content, and equal ones share computed values."""

from dataclasses import replace

import torch

from dml_viz.embedding.embeddings import Embeddings, EmbeddingsModel
from dml_viz.embedding.scene import preset
from dml_viz.embedding.sphere import squared_distances


def test_equal_contents_have_one_key_and_others_another() -> None:
    scene = preset("overlapping", proxies=True).subject()
    assert preset("overlapping", proxies=True).subject("From elsewhere.").content_key == scene.content_key
    turned = replace(scene, learnt={"proxies": -scene.learnt["proxies"]})
    others = (preset("overlapping").subject(), turned, replace(scene, y=scene.y + 1), replace(scene, z=scene.z.flip(1)))
    assert len({scene.content_key, *(other.content_key for other in others)}) == 5


def test_different_settings_give_different_models() -> None:
    scene = preset("overlapping").subject()
    keys = {EmbeddingsModel(scene, settings).content_key for settings in ("a", "b", 1)}
    assert len(keys) == 3


def test_a_part_has_its_rows_and_all_that_is_learnt() -> None:
    scene = preset("overlapping", proxies=True).subject()
    part = scene.part(torch.tensor([3, 5]))
    assert isinstance(part, Embeddings)
    assert torch.equal(part.z, scene.z[[3, 5]])
    assert part.learnt is scene.learnt
    assert torch.equal(part.d2, squared_distances(part.z, part.z))
