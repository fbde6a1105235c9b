"""A learnt sampler: classes whose triplets with an anchor class were active are drawn with it more often."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.sphere import squared_chords
from dml_viz.losses import Loss
from dml_viz.params import param
from dml_viz.training.methods._base import ONCE, Mark, Method, Response, StepBatch, Survey, class_mean_directions, sample_classes

REMEMBERED = 0.95  # share of the mean reward that stays from step to step


@dataclass(frozen=True)
class LearntSampler(Method):
    """Learn which classes share a batch; no pair within a batch is chosen. The first class is drawn uniformly, the others by a
    softmax over the first class's row of preferences.

    The reward of another class is the share of its triplets with the first class that are active. REINFORCE raises it: for each
    class drawn, preferences grow by rate · (reward - mean reward) · (the class's indicator - the shares).
    """

    title = "Learnt sampler"
    sentence = "Which classes share a batch is learnt: pairs of classes whose triplets were active are drawn more often."
    reference = (
        "Duan, Chen, Lu, Zhou: Deep Embedding Learning with Discriminative Sampling Policy, CVPR 2019, "
        "doi:10.1109/CVPR.2019.00510"
    )
    faithful = "inspired by the abstract, all that is known here; a table of preferences in place of a sampler net"
    every = ONCE

    speed: float = param(2.0, "how far a reward moves the preferences", r"\rho", domain="[0, 100]", slider=(0.0, 10.0, 0.5))
    margin: float = param(
        0.2,
        "margin of the triplets that are counted",
        "m",
        domain="[0, 4] squared distance",
        slider=(0.0, 1.0, 0.05),
        source="Schroff et al. 2015",
    )

    def survey(self, seen: Survey, memory: Mapping[str, Tensor]) -> dict[str, Tensor]:
        classes = int(seen.y.max()) + 1
        return {"policy": seen.z.new_zeros(classes, classes), "reward": seen.z.new_zeros(())}

    def draw(self, sample: Tensor, y: Tensor, memory: Mapping[str, Tensor], generator: torch.Generator, done: float) -> Tensor:
        policy, classes = memory["policy"], len(y[sample].unique())
        first = int(torch.randint(len(policy), (1,), generator=generator))
        # The classes with the largest preferences plus Gumbel noise are a draw without replacement, by the softmax's shares.
        noise = -torch.empty(len(policy)).exponential_(generator=generator).log()
        keys = policy[first].float() + noise
        keys[first] = torch.inf
        return sample_classes(keys.topk(classes).indices.tolist(), y, len(sample) // classes, generator)

    def response(self, loss: Loss, batch: StepBatch) -> Response:
        policy, mean = batch.memory["policy"], batch.memory["reward"]
        first = batch.y[0]
        rewards = self.active_triplet_shares(batch.z, batch.y)
        shares = policy[first].clone()
        shares[first] = -torch.inf
        shares = shares.softmax(0)
        row, total = policy[first].clone(), mean * 0
        for label, reward in rewards.items():
            row -= self.speed * (reward - mean) * shares
            row[label] += self.speed * (reward - mean)
            total = total + reward
        after = policy.clone()
        after[first] = row
        average = total / max(len(rewards), 1)
        gradients = super().response(loss, batch).gradients
        return Response(gradients, memory={"policy": after, "reward": REMEMBERED * mean + (1 - REMEMBERED) * average})

    def active_triplet_shares(self, z: Tensor, y: Tensor) -> dict[int, Tensor]:
        """The share of active triplets by class of the negative; anchor and positive are of the first row's class."""
        anchors = z[y == y[0]]
        to_anchors = squared_chords(anchors, anchors)
        pairs = ~torch.eye(len(anchors), dtype=torch.bool, device=z.device)
        rewards = {}
        for label in y.unique().tolist():
            if label != y[0]:
                to_other = squared_chords(anchors, z[y == label])
                active = (to_anchors[:, :, None] - to_other[:, None] + self.margin > 0) & pairs[:, :, None]
                rewards[label] = active.sum().to(z.dtype) / (pairs.sum() * to_other.shape[1]).clamp(min=1)
        return rewards

    def marks(self, batch: StepBatch, z: Tensor) -> tuple[Mark, ...]:
        means = class_mean_directions(batch.z, batch.y, int(batch.y.max()) + 1)
        first = int(batch.y[0])
        others = [label for label in batch.y.unique().tolist() if label != first]
        ends = torch.stack([torch.stack([means[first], means[label]]) for label in others]) if others else z[:0, None]
        return (
            Mark("classes drawn together", "edges", ends.numpy(), "negative"),
            Mark("drawn for this batch", "rings", batch.z.numpy()),
        )
