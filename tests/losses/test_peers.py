"""Losses that are measured against another library are the same there."""

import pytest
import torch

from benchmarks.peers import BEST_KNOWN, PEERS
from dml_viz.embedding.sphere import normalise
from dml_viz.losses import LOSSES
from tests.batches import Batch, drawn
from tests.samples import for_each

CLASSES, SAMPLES, DIM = 6, 6, 5


def batch() -> Batch:
    """As many classes as samples of each, side by side: the only batches that the library's Smooth-AP is right for."""
    return drawn(CLASSES * SAMPLES, DIM, 1)[0], torch.arange(CLASSES).repeat_interleave(SAMPLES)


@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence:UserWarning")  # the library's histogram loss
@for_each("name", PEERS)
def test_a_peer_has_our_value(name: str) -> None:
    z, y = batch()
    ours, theirs = PEERS[name].ours, PEERS[name].theirs(CLASSES, DIM)
    learnt = {}
    for parameter, tensor in theirs.named_parameters():
        rows = tensor.detach().double()
        learnt["proxies"] = normalise(rows if parameter.endswith("proxies") else rows.T)
    assert set(learnt) == set(ours.learns)
    assert float(ours.value(z, y, **learnt)) == pytest.approx(float(theirs(z, y).detach()), rel=1e-4)


def test_peers_are_named_after_our_losses() -> None:
    assert {name.split(",")[0] for name in PEERS} <= set(LOSSES)
    assert all(isinstance(peer.ours, LOSSES[name.split(",")[0]]) for name, peer in PEERS.items())
    assert len(set(BEST_KNOWN) & set(PEERS)) == 14
