"""Embeddings differ by their content, and equal ones share computed values."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import torch

from dml_viz.embedding.content_key import content_key
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import preset
from dml_viz.embedding.sphere import squared_chords


def test_equal_contents_have_one_key_and_others_another() -> None:
    scene = preset("overlapping", proxies=True).subject()
    assert preset("overlapping", proxies=True).subject("From elsewhere.").content_key == scene.content_key
    turned = replace(scene, learnt={"proxies": -scene.learnt["proxies"]})
    others = (preset("overlapping").subject(), turned, replace(scene, y=scene.y + 1), replace(scene, z=scene.z.flip(1)))
    assert len({scene.content_key, *(other.content_key for other in others)}) == 5


@dataclass(frozen=True)
class Batch:
    z: np.ndarray
    names: tuple[str, ...] = ()
    remark: str = field(default="", compare=False)


def test_a_key_is_of_all_numbers_and_not_of_their_first_and_last_ones() -> None:
    z = np.random.default_rng(0).normal(size=(200, 64))
    changed = z.copy()
    changed[100, 32] += 1e-9
    assert repr(Batch(z)) == repr(Batch(changed))
    assert content_key(Batch(z)) == content_key(Batch(z.copy(), remark="as it was"))
    batches = [Batch(z), Batch(changed), Batch(z, ("a", "b")), Batch(z, ("ab",)), Batch(z.T), Batch(z.astype(np.float32))]
    others = [z, [z], {"z": z}, torch.from_numpy(z), None, 1, "1", (), ("a",), "a", b"a"]
    assert len(set(map(content_key, (*batches, *others)))) == len(batches) + len(others)
    assert content_key({"a": 1, "b": {2, 3}}) == content_key({"b": {3, 2}, "a": 1})
    with pytest.raises(TypeError, match="has no content_key; give it one"):
        content_key(object())


def test_a_part_has_its_rows_and_all_that_is_learnt() -> None:
    scene = preset("overlapping", proxies=True).subject()
    part = scene.part(torch.tensor([3, 5]))
    assert isinstance(part, Embeddings)
    assert torch.equal(part.z, scene.z[[3, 5]])
    assert part.learnt is scene.learnt
    assert torch.equal(part.d2, squared_chords(part.z, part.z))
