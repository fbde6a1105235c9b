"""The layout of labels is computed once for all batches of a structure, and never changes."""

import torch
from torch import Tensor

from dml_viz.losses import Loss, layout_of
from dml_viz.losses._pairs import BatchPairs, Pairs
from tests.batches import drawn, learnt_for
from tests.losses.test_losses import each_kind, settings

CPU = torch.device("cpu")


def test_batches_of_one_structure_share_a_layout_whatever_their_classes_are_called() -> None:
    sorted_batches = [torch.tensor(labels).repeat_interleave(3) for labels in ([0, 1, 2], [7, 2**40, -5])]
    first, second = (layout_of(y, CPU) for y in sorted_batches)
    assert first is second
    assert layout_of(torch.tensor([0, 1, 0]), CPU) is not layout_of(torch.tensor([0, 0, 1]), CPU)
    assert layout_of(torch.tensor([3, 4], dtype=torch.uint8), CPU) is layout_of(torch.tensor([9, 1]), CPU)


def test_tensors_of_labels_are_made_once() -> None:
    asked = []

    def count(y: Tensor, factor: int) -> tuple[Tensor, int]:
        asked.append(factor)
        return factor * y.new_ones(()), len(y)

    layout = layout_of(torch.arange(5) // 2, CPU)
    assert [int(layout.of(count, factor)[0]) for factor in (2, 3, 2, 3)] == [2, 3, 2, 3]
    assert asked == [2, 3]


def test_tables_of_a_layout_are_those_of_its_labels() -> None:
    z, y = drawn(12, 4, 3)
    for table in ("same", "positive", "negative", "positive_counts", "negative_counts", "positive_ones", "only_negatives"):
        assert torch.equal(getattr(BatchPairs(z, y), table), getattr(Pairs(z, y), table))


@each_kind
def test_no_loss_writes_into_a_layout(kind: type[Loss]) -> None:
    z, y = drawn(12, 4, 3)
    for loss in settings(kind):
        layout = layout_of(y, CPU)
        learnt = learnt_for(loss, (z, y))
        found = loss.gradients(z, y, layout, **learnt).z
        before = {key: [t.clone() for t in tensors(made)] for key, made in layout._made.items()}
        assert torch.equal(loss.gradients(z, y, layout, **learnt).z, found)
        loss.weights(z, y, **learnt)
        for key, made in before.items():
            assert all(torch.equal(now, then) for now, then in zip(tensors(layout._made[key]), made, strict=True)), key


def tensors(made: object) -> list[Tensor]:
    parts = made if isinstance(made, tuple) else (made,)
    return [part for part in parts if isinstance(part, Tensor)]
