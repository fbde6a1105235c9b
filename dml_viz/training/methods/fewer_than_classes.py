"""Fewer proxies than classes: classes share proxies, and are matched anew in every batch to those near them."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from dml_viz.embedding.sphere import normalise, squared_chords
from dml_viz.losses import Gradients, Loss
from dml_viz.params import param
from dml_viz.training.methods._base import Mark, Method, Response, StepBatch, class_mean_directions, value_and_slopes


@dataclass(frozen=True)
class FewProxies(Method):
    """Replaces the loss by the mean of -log softmax(-σ² ‖x - p‖²), over all proxies, at the proxy of each row's class.

    Dynamic assignment minimises the sum of squared distances from the means of the classes' rows in the batch to their proxies,
    with at most an even share of the classes, rounded up, for each proxy. Static: proxy number c mod M for class c.
    """

    title = "Fewer proxies than classes"
    sentence = "Classes share proxies: each batch matches its classes evenly to proxies near them, and pulls each to its own."
    reference = (
        "Movshovitz-Attias, Toshev, Leung, Ioffe, Singh: No Fuss Distance Metric Learning using Proxies, ICCV 2017, "
        "arXiv:1703.07464"
    )
    faithful = (
        "dynamic assignment by classes and evenly, so that a class may not have the proxy nearest to it. In the paper each point "
        "takes the nearest, and one may have all. The proxy itself is in the denominator; the run's own loss has no effect"
    )
    rate = 10.0
    in_links = "few_proxies"

    share: float = param(
        0.5,
        "number of proxies divided by the number of classes",
        label="proxies per class",
        domain="(0, 1]",
        slider=(0.1, 1.0, 0.1),
        source="0.5 is the least that the paper's figure recommends",
    )
    assignment: str = param(
        "dynamic", "which proxy a class has", choices=("dynamic", "static"), source="both in Movshovitz-Attias et al. 2017"
    )
    scale: float = param(
        3.0,
        "length of rows and proxies; squared, it multiplies squared distances",
        r"\sigma",
        domain="(0, 100]",
        slider=(1.0, 8.0, 0.5),
        source="3 for CUB and Cars in dichotomies/proxy-nca",
    )

    @property
    def replaces_loss(self) -> bool:
        return True

    def initial_tensors(self, classes: int, width: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        return {"proxies": torch.randn(max(2, round(self.share * classes)), dim, generator=generator) / dim**0.5}

    def proxy_of_each_row(self, z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
        """The number (N,) of the proxy of each row's class."""
        if self.assignment == "static":
            return y % len(proxies)
        from scipy.optimize import linear_sum_assignment  # takes longer to import than all that most workers need

        labels, class_of_row = y.unique(return_inverse=True)
        apart = squared_chords(class_mean_directions(z, class_of_row, len(labels)), normalise(proxies))
        copies = -(-len(labels) // len(proxies))  # without this bound all classes of an untrained net have one proxy
        _, columns = linear_sum_assignment(apart.repeat(1, copies).double().cpu().numpy())
        return (torch.from_numpy(columns) % len(proxies)).to(y.device)[class_of_row]

    def response(self, loss: Loss, batch: StepBatch) -> Response:
        proxies = batch.parameters["proxies"]
        owned = self.proxy_of_each_row(batch.z, batch.y, proxies)
        value, (of_rows, of_proxies) = value_and_slopes(
            lambda z, p: cross_entropy(-(self.scale**2) * squared_chords(z, normalise(p)), owned), batch.z, proxies
        )
        tangent = of_rows - (of_rows * batch.z).sum(1, keepdim=True) * batch.z
        learnt = {name: torch.zeros_like(rows) for name, rows in batch.learnt.items()}
        return Response(Gradients(value, tangent, learnt), {"proxies": of_proxies})

    def marks(self, batch: StepBatch, z: Tensor) -> tuple[Mark, ...]:
        proxies = normalise(batch.parameters["proxies"])
        ends = torch.stack([batch.z, proxies[self.proxy_of_each_row(batch.z, batch.y, batch.parameters["proxies"])]], 1)
        return (
            Mark("from a point to the proxy of its class", "edges", ends.numpy(), "exact"),
            Mark(f"{len(proxies)} proxies", "points", proxies.numpy(), "query"),
        )
