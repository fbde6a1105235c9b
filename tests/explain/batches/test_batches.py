"""The page on batches: its numbers are those of literal code, and what it claims holds on the recorded runs."""

import math
import shlex
from typing import Any
from urllib.parse import parse_qsl

import pytest
import torch

from dml_viz.app import figure
from dml_viz.data.samplers._base import BATCH_CAP
from dml_viz.embedding.sphere import normalise
from dml_viz.explain.batches import text as say
from dml_viz.explain.batches.model import Model, Settings, first_batch_of_run, split_cosine
from dml_viz.explain.batches.model_samplers import (
    BATCHES,
    FILLINGS,
    MARGIN,
    SIZES,
    _clusters,
    _filling,
    hardness_of_batch,
    training_pool,
)
from dml_viz.explain.sweep.settings import sweep_settings
from dml_viz.losses import LOSSES
from dml_viz.room.link_reader import LinkReader
from tests.shown import Shown, opened

PAGE = "85_batches.py"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    figures = Shown("batches-")
    monkeypatch.setattr(figure, "figure", figures)
    return figures


def test_a_mean_over_single_samples_loses_nothing_and_rankings_do() -> None:
    z, y = first_batch_of_run("icons", 300)
    assert split_cosine(LOSSES["proxy_nca"](), z, y, 4) == pytest.approx(1, abs=1e-9)
    losses = [split_cosine(LOSSES["fastap"](), z, y, parts) for parts in (2, 4, 8)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] < 0.9


def test_a_split_is_the_mean_of_the_parts_gradients() -> None:
    z = normalise(torch.randn(12, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)))
    y, loss, cosines = torch.arange(4).repeat(3), LOSSES["contrastive"](), []
    for seed in range(5):
        parts = torch.randperm(12, generator=torch.Generator().manual_seed(seed)).tensor_split(3)
        leaf = z.clone().requires_grad_()
        mean = sum(loss.value(leaf[part], y[part]) for part in parts) / 3
        assert isinstance(mean, torch.Tensor)
        found = torch.autograd.grad(mean, leaf)[0]
        found = found - (found * z).sum(1, keepdim=True) * z
        cosines.append(float((found * loss.gradient(z, y)).sum() / found.norm() / loss.gradient(z, y).norm()))
    assert split_cosine(loss, z, y, 3) == pytest.approx(sum(cosines) / 5, abs=1e-9)


def test_chunks_give_the_whole_gradient_for_every_loss() -> None:
    assert all(one.chunks > 1 - 1e-9 for one in Model(Settings()).splits)


def test_the_share_of_active_triplets_is_counted() -> None:
    z = normalise(torch.randn(8, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1)))
    y, images = torch.tensor([0, 0, 0, 1, 1, 2, 2, 2]), torch.tensor([5, 6, 5, 7, 8, 9, 1, 2])
    active, count, nearest = 0, 0, 0.0
    for a in range(8):
        nearest += min(math.dist(z[a], z[n]) for n in range(8) if y[n] != y[a]) / 8
        for p in range(8):
            for n in range(8):
                if y[p] == y[a] and images[p] != images[a] and y[n] != y[a]:
                    count += 1
                    active += math.dist(z[a], z[p]) ** 2 + MARGIN > math.dist(z[a], z[n]) ** 2
    assert hardness_of_batch(z, y, images, hardest=False) == pytest.approx((active / count, nearest))


def test_on_glyphs_categories_find_what_clusters_find() -> None:
    found = Model(Settings(data="glyphs")).hardness
    share = {way: found.share_and_distance(way, 300)[0] for way in FILLINGS}
    assert share["category"] > 1.5 * share["random"]
    assert share["cluster"] > 1.5 * share["random"]
    drawn = Model(Settings(data="glyphs", way="category")).image_batch
    assert len(set(drawn.categories)) == 2
    assert len(training_pool("glyphs").category_names) > 2


@pytest.mark.parametrize("name", SIZES)
def test_every_batch_of_one_cluster_is_of_one_cluster(name: str) -> None:
    pool, generator = training_pool(name), torch.Generator().manual_seed(0)
    for step in pool.rows:
        clusters, fill = _clusters(name, step), _filling(pool, "cluster", step)
        for _ in range(BATCHES):
            images = fill(generator)
            assert len(clusters[images].unique()) == 1
            assert len(pool.y[images].unique()) == SIZES[name][1]


def test_the_largest_batches_of_the_page_are_as_large_as_possible() -> None:
    _, _, axis, *_, link = shlex.split(say.COMMAND)
    sweep = sweep_settings(LinkReader({**dict(parse_qsl(link)), "axis": axis, "seeds": "1"}))
    declared: dict[str, Any] = {}
    exec(say.PYTHON.rpartition("\n")[0], declared)
    for run in (sweep.runs[-1], declared["run"]):
        assert (run.sampler.classes * run.sampler.samples, run.chunk) == (BATCH_CAP, 128)
    assert say.MOST == 1024


def test_the_page_says_its_numbers_and_a_click_shows_a_batch(shown: Shown) -> None:
    app = opened(PAGE, {"batches.parts": "4", "batches.way": "signature"})
    assert set(shown) == {"split", "memory", "hardness", "contents"}
    split = Model(Settings(4)).split_of("FastAP")
    assert any(f"FastAP’s gradient has cosine {split.parts:.3f}" in line.value for line in app.subheader)
    assert app.query_params["batches.way"] == "signature"
