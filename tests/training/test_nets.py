import pytest
import torch

from dml_viz.training.nets import NETS
from dml_viz.training.nets._base import Net
from dml_viz.training.nets.conv import Conv
from dml_viz.training.nets.mlp import MLP
from tests.corners import corners
from tests.samples import for_each


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@for_each("side", [8, 28])
@for_each("dim", [2, 3, 8, 64])
@for_each("name", NETS)
def test_every_net_gives_unit_rows(name: str, dim: int, side: int) -> None:
    net = NETS[name]().build(side, dim, seeded())
    z = net(torch.rand(5, 1, side, side, generator=seeded(1)))
    assert z.shape == (5, dim)
    assert torch.allclose(z.norm(dim=1), torch.ones(5), atol=1e-6)


@pytest.mark.parametrize("name", NETS)
def test_every_corner_of_the_sliders_is_a_net(name: str) -> None:
    for corner in corners(NETS[name]):
        assert NETS[name](**corner).build(8, 2, seeded())(torch.rand(2, 1, 8, 8)).isfinite().all()


@pytest.mark.parametrize("name", NETS)
def test_equal_seeds_draw_equal_weights_and_leave_the_global_generator_alone(name: str) -> None:
    before = torch.get_rng_state()
    one, same, other = (NETS[name]().build(8, 2, seeded(seed)) for seed in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    weights = [torch.nn.utils.parameters_to_vector(net.parameters()) for net in (one, same, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_normalisation_is_in_the_graph_so_the_gradient_is_tangent() -> None:
    net = MLP(8, 1).build(8, 3, seeded())
    before = net[:-1](torch.rand(4, 1, 8, 8)).detach().requires_grad_()
    net[-1](before).sum().backward()
    assert before.grad is not None
    assert torch.allclose((before.grad * before).sum(1), torch.zeros(4), atol=1e-6)


def test_depth_counts_layers_and_pooling_takes_means_over_the_image() -> None:
    linear = [layer for layer in MLP(16, 3).layers(8, 2).values() if isinstance(layer, torch.nn.Linear)]
    assert [layer.out_features for layer in linear] == [16, 16, 16, 2]
    nets = {pooling: Conv(4, 2, pooling).build(8, 3, seeded()) for pooling in ("none", "mean", "second order")}
    x = torch.rand(5, 1, 8, 8, generator=seeded(1))
    places, means, products = (net[:-2](x) for net in nets.values())
    places = places.view(5, 8, 4)
    assert torch.allclose(means, places.mean(2), atol=1e-6)
    literal = sum(torch.einsum("nc,nd->ncd", place, place) for place in places.unbind(2)) / 4
    assert torch.allclose(products, literal.flatten(1), atol=1e-6)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("net", "knobs"),
    [(MLP, {"width": 513}), (MLP, {"width": 0}), (MLP, {"depth": 5}), (MLP, {"depth": 1.5}), (Conv, {"width": 129})],
)
def test_a_net_beyond_its_cap_is_refused_by_name(net: type[Net], knobs: dict[str, float]) -> None:
    (name,) = knobs
    with pytest.raises(ValueError, match=f"{net.__name__}: {name} = .* is not allowed; choose a whole number in"):
        net(**knobs)
