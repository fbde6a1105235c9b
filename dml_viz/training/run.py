"""A run: everything that decides what a training does, as one frozen declaration."""

from dataclasses import dataclass

from dml_viz.data.augmentation import Augmentation
from dml_viz.data.datasets import DATASETS
from dml_viz.data.datasets._base import PROTOCOLS, Dataset
from dml_viz.data.datasets.icons import Icons
from dml_viz.data.samplers import SAMPLERS
from dml_viz.data.samplers._base import Sampler
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.losses import KNOWN, Loss
from dml_viz.losses.fastap import FastAP
from dml_viz.params import Declared
from dml_viz.training.device import DEVICES
from dml_viz.training.methods import METHODS
from dml_viz.training.methods._base import Method
from dml_viz.training.methods.plain import Plain
from dml_viz.training.nets import NETS
from dml_viz.training.nets._base import Net
from dml_viz.training.nets.conv import Conv
from dml_viz.training.part import Part, choice, knob, parts_of

EARLY = frozenset((1, 2, 3, 5, 8, 13, 21, 34, 55, 89))  # steps with a frame, because runs change most early
STEPS_CAP = 20_000
KEY_BITS = 5  # frames up to that many bits of their number are key frames
AT_ONCE, PIECE = 1024, 256  # images of a batch that go through a net at once; images of a chunk of a larger batch


@dataclass(frozen=True)
class Run(Declared):
    """A training run; equal runs give equal frames.

    What links, controls, races and captions know of a part is declared with it. Only a loss of views uses ``augmentation``;
    ``method`` changes a step besides its loss.
    """

    dataset: Dataset = choice(DATASETS, Icons, Part(key="data", label="images", varies=True))
    protocol: str = knob(
        "unseen classes",
        "what is scored: classes that training never saw, or held-out images of classes that it did",
        label="judged on",
        choices=PROTOCOLS,
        source="Song et al. 2016, Deep Metric Learning via Lifted Structured Feature Embedding, section 5",
    )
    net: Net = choice(NETS, Conv, Part(varies=True))
    dim: int = knob(
        64,
        "embedding dimension; above 3 the picture is a map or a plane of it",
        "d",
        Part(varies=True),
        label="embedding dimension",
        choices=(2, 3, 8, 64),
    )
    loss: Loss = choice(KNOWN, FastAP, Part(nested=True, live=True, varies=True))
    sampler: Sampler = choice(SAMPLERS, PByK, Part(label="batches", varies=True))
    augmentation: Augmentation = choice(
        {"views": Augmentation}, Augmentation, Part(label="views", live=True, suits=lambda loss: loss.views)
    )
    lr: float = knob(
        0.002,
        "learning rate of Adam",
        r"\eta",
        Part(live=True, varies=True),
        label="learning rate",
        domain="(0, 1]",
        slider=(0.00001, 0.1),
        log=True,
        source="Kingma and Ba 2015, Adam, algorithm 1",
    )
    proxy_lr: float = knob(
        100.0,
        "learning rate of what the loss itself learns, such as proxies, as a multiple of the net's",
        r"\eta_p/\eta",
        Part(
            live=True, varies=True, suits=lambda loss: bool(loss.learns), words=lambda rate: f"learnt at {rate:g}× the net's rate"
        ),
        label="learning rate of what the loss learns, ×\N{NO-BREAK SPACE}the net's",
        domain="(0, 1000]",
        slider=(1, 1000),
        log=True,
        source="Kim et al. 2020, Proxy Anchor Loss; 100 in the official code",
    )
    seed: int = knob(0, "draws the first weights and every batch", domain="[0, 2147483647]", slider=(0, 99, 1))
    steps: int = knob(
        300, "steps in all, the budget", "T", Part(live=True), domain=f"[1, {STEPS_CAP}]", slider=(100, STEPS_CAP), log=True
    )
    every: int = knob(
        0,
        "steps from frame to frame; 0 takes what suits the net, and looks closely at first",
        "",
        Part(linked=False),
        domain="[0, 1000]",
        slider=(1, 200, 1),
    )
    chunk: int = knob(
        0,
        f"images in the net at once (gradient caching): less memory, the same step. 0: all of up to {AT_ONCE:,}",
        "c",
        label="in the net at once",
        choices=(0, 16, 32, 64, 128, 256, 512),
        source="Gao et al. 2021, Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup",
    )
    device: str = knob("auto", "where the net is trained; auto takes a GPU where there is one", choices=DEVICES)
    method: Method = choice(METHODS, Plain, Part(nested=True, varies=True, rare=True))
    label_noise: float = knob(
        0.0,
        "share of the training images that are given another class's label",
        r"\rho",
        Part(varies=True, rare=True, words=lambda share: f"{100 * share:.0f} % wrong labels"),
        label="wrong labels",
        domain="[0, 0.9]",
        slider=(0.0, 0.6, 0.05),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if wrong := self.method.refuses(self.loss):
            raise ValueError(wrong)
        if self.chunk and self.method.changes_step:
            raise ValueError(
                f"chunk = {self.chunk}: {self.method.title} takes a whole batch through the net; choose chunk = 0, or no method"
            )

    @property
    def stride(self) -> int:
        """Steps from frame to frame: ``every``, or the number that suits the net."""
        return self.every or self.net.frame_every

    def images_per_pass(self, batch: int) -> int:
        """The number of images in one pass through the net, of a batch of ``batch`` images."""
        return self.chunk or (batch if batch <= AT_ONCE else PIECE)

    def shows(self, step: int) -> bool:
        """Whether the run has a frame at ``step``: a multiple of its stride, the last or, without ``every``, an early one."""
        return step % self.stride == 0 or step == self.steps or (not self.every and step in EARLY)

    def is_map_start(self, step: int) -> bool:
        """Whether the frame at ``step`` is a key frame: later neighbour maps of the run begin at its places.

        These are the early steps and multiples of the stride: all below 32, from there on each second, from 64 on each fourth,
        and so on. They do not depend on where the run was paused, nor on its budget, and a run has at most some 150.
        """
        number, rest = divmod(step, self.stride)
        return (rest == 0 and is_map_start_number(number)) or (not self.every and step in EARLY)


def is_map_start_number(number: int) -> bool:
    """Whether the frame with this number is a key frame, at whose places neighbour maps begin; see `Run.is_map_start`."""
    return number % (1 << max(0, number.bit_length() - KEY_BITS)) == 0


PARTS = parts_of(Run)
