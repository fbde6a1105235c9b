"""Files that other libraries wrote are read as their authors meant them; `tests/data/real/README.md` says how they were made."""

import io
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from pytorch_metric_learning import testers
from pytorch_metric_learning.distances import CosineSimilarity
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from pytorch_metric_learning.utils.inference import CustomKNN
from sklearn import datasets

from dml_viz.data.files import File, OwnEmbeddings, OwnImages, read
from dml_viz.data.own import scored

REAL = Path(__file__).parent / "real"
DIGITS = datasets.load_digits()
ROWS = np.concatenate([np.flatnonzero(DIGITS.target == c)[:4] for c in range(6)])
IMAGES, Y = np.uint8(DIGITS.images[ROWS] / 16 * 255), DIGITS.target[ROWS]


def files(*names: str, **renamed: str) -> list[File]:
    return [File(renamed.get(name.partition(".")[0], name), (REAL / name).read_bytes()) for name in names]


def npz(**arrays: object) -> list[File]:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return [File("a.npz", stream.getvalue())]


def test_a_parquet_of_hugging_faces_datasets_is_images_with_named_classes() -> None:
    found = read(files("huggingface.parquet"))
    assert isinstance(found, OwnImages)
    assert (found.images.x == IMAGES).all()
    assert found.images.names == ("zero", "one", "two", "three", "four", "five")
    assert (found.images.y == Y).all()


@pytest.mark.parametrize("more", [(), ("sprite.png",)])
@pytest.mark.parametrize("labels", ["metadata.tsv", "metadata_of_two_columns.tsv"])
def test_files_of_the_tensorboard_projector_are_read(labels: str, more: tuple[str, ...]) -> None:
    found = read([*files("tensors.tsv", labels, *more), *([File("projector_config.pbtxt", b"")] if more else [])])
    assert isinstance(found, OwnEmbeddings)
    wanted = np.random.default_rng(0).standard_normal((24, 6)).astype(np.float32)
    assert_allclose(found.z, wanted, rtol=1e-5, atol=1e-6)
    assert [found.names[label] for label in found.y] == [f"digit {label}" for label in Y]
    assert (found.images is not None) == bool(more)
    if found.images is not None:
        assert np.abs(found.images.astype(int) - IMAGES).max() <= 1
        assert found.trainable is not None


def test_embeddings_by_sentence_transformers_are_scored() -> None:
    found = read(files("embeddings.npy", "labels.npy"))
    assert isinstance(found, OwnEmbeddings)
    assert found.names == ("animal", "vehicle")
    assert_allclose(np.linalg.norm(found.z, axis=1), 1, rtol=1e-5)
    assert scored(found).score.recall[1] == 5 / 8


def test_embeddings_of_a_pytorch_metric_learning_tester_are_scored_unchanged() -> None:
    images = torch.from_numpy(DIGITS.images[:300] / 16).float().flatten(1)
    data = torch.utils.data.TensorDataset(images, torch.from_numpy(DIGITS.target[:300]))
    torch.manual_seed(0)
    # The library's own nearest neighbours need another library; what it embeds does not.
    counts = AccuracyCalculator(knn_func=CustomKNN(CosineSimilarity()))
    tester = testers.BaseTester(dataloader_num_workers=0, accuracy_calculator=counts)
    z, y = tester.get_all_embeddings(data, torch.nn.Linear(64, 16))
    assert y.shape == (300, 1)
    stream = io.BytesIO(), io.BytesIO()
    np.save(stream[0], z.cpu().numpy())
    np.save(stream[1], y.cpu().numpy())
    for found in (
        read([File("embeddings.npy", stream[0].getvalue()), File("labels.npy", stream[1].getvalue())]),
        read(npz(embeddings=z.cpu().numpy(), labels=y.cpu().numpy())),
    ):
        assert isinstance(found, OwnEmbeddings)
        assert found.z.shape == (300, 16)
        assert scored(found).score.recall[1] > 0.9


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_data_sets_of_scikit_learn_are_scored(name: str) -> None:
    data = getattr(datasets, f"load_{name}")()
    images = {"images": data.images} if "images" in data else {}
    found = read(npz(data=data.data, X=data.data, target=data.target, names=data.target_names, **images))
    assert isinstance(found, OwnEmbeddings)
    assert found.names == tuple(map(str, data.target_names))
    assert scored(found).score.recall[1] > 0.6
    assert (found.trainable is not None) == bool(images)
    if found.trainable:
        assert np.abs(found.trainable.images.x / 255 - data.images / 16).max() < 1 / 255
