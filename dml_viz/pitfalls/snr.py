"""A pitfall of SNR: the second number of its paper is read as R@2, and probably is another metric."""

from dml_viz.pitfalls._base import Numbers, pitfall
from dml_viz.pitfalls._published import CARS, CUB


@pitfall(
    "SNR's second column",
    claim="A survey's tables give SNR's method, DSML, an R@2 beside its R@1.",
    text="The second number is probably of another metric. On CUB it is {own_cub:.1f} points above R@1, where the other papers "
    "gain {least_cub:.1f} to {most_cub:.1f}. On Cars it is {own_cars:.1f} points above an R@1 of {first_cars:.1f}, the lowest of "
    "all, where most could be gained. It is best left out.",
    misleads="The numbers are the survey's. The paper's own table may say more.",
)
def second_column() -> Numbers:
    """Gains from R@1 to the next column in SNR's paper and in the others."""
    gains = {name: recall.second - recall.first for name, recall in CUB.items()}
    cub, cars = gains.pop("DSML"), CARS["DSML"]
    numbers = {"own_cub": cub, "least_cub": min(gains.values()), "most_cub": max(gains.values())}
    return {**numbers, "own_cars": cars.second - cars.first, "first_cars": cars.first}
