"""Teacher and student: an embedding of few dimensions copies the distances, or the places, of a trained embedding."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import threshold

from dml_viz.embedding.sphere import LARGEST_D2, RESOLUTION, root, squared_chords
from dml_viz.losses import Loss
from dml_viz.params import param
from dml_viz.training.methods._base import ONCE, Mark, Method, Response, StepBatch, Survey, value_and_slopes, with_term

BRIEF = 5  # lessons of a teacher that teaches no more than the first steps of a run
WIDE = 64  # dimensions of a teacher whose distances are copied


@dataclass(frozen=True)
class Teacher(Method):
    """Added to the loss, times a weight: the difference to a teacher, which is trained first with the same loss and then fixed.

    Relative: ‖D - D'‖ / N of the batch's tables of distances (Frobenius). Absolute: the mean of ‖x - x'‖.
    """

    title = "Teacher and student"
    sentence = "A net of many dimensions is trained first; the student copies its distances, or its places, besides the loss."
    reference = (
        "Yu, Yazici, Liu, van de Weijer, Cheng, Ramisa: Learning Metrics from Teachers: Compact Networks for "
        "Image Embedding, CVPR 2019, arXiv:1904.03624"
    )
    faithful = "both terms as in the official code, the relative one divided by the size of the batch; a small teacher"
    every = ONCE

    form: str = param(
        "relative",
        "what is copied: distances, or places in as many dimensions",
        choices=("relative", "absolute"),
        source="both in Yu et al. 2019; relative is its better one",
    )
    weight: float = param(1.0, "what the differences are multiplied by", r"\lambda", domain="[0, 100]", slider=(0.0, 5.0, 0.1))
    lessons: int = param(
        200,
        "steps that the teacher is trained for, before the student begins",
        label="teacher's steps",
        domain="[0, 2000]",
        slider=(0, 400, 50),
    )

    def with_little_to_train(self) -> "Teacher":
        return replace(self, lessons=min(self.lessons, BRIEF))

    def survey(self, seen: Survey, memory: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {"teacher": seen.taught(self.lessons, WIDE if self.form == "relative" else seen.z.shape[1])}

    def response(self, loss: Loss, batch: StepBatch) -> Response:
        teacher = batch.memory["teacher"][batch.images]
        value, (slope,) = value_and_slopes(lambda z: self._differences(z, teacher), batch.z)
        gradients = super().response(loss, batch).gradients
        return Response(with_term(gradients, self.weight, value, slope, batch.z))

    def _differences(self, z: Tensor, teacher: Tensor) -> Tensor:
        # Below it are rounding errors alone; the norm of these would have a slope of full length.
        smallest = LARGEST_D2 * RESOLUTION * torch.finfo(z.dtype).eps
        if self.form == "absolute":
            return root(threshold((z - teacher).square().sum(1), smallest**2, 0)).mean()
        own, copied = squared_chords(z, z), squared_chords(teacher, teacher)
        apart = torch.where((own - copied).abs().max() > smallest, root(own) - root(copied), 0)
        return root(apart.square().sum()) / len(z)

    def marks(self, batch: StepBatch, z: Tensor) -> tuple[Mark, ...]:
        teacher = batch.memory["teacher"]
        if teacher.shape != z.shape:
            return ()
        return (
            Mark("from each point to its place at the teacher", "edges", torch.stack([z, teacher], 1).numpy(), "exact"),
            Mark("a point's place at the teacher", "points", teacher.numpy(), "query"),
        )
