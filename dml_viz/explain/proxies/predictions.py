"""The predictions that the Proxies page asks for."""

from dml_viz.analysis import response_to
from dml_viz.explain.proxies.model import Model
from dml_viz.losses.proxy_anchor import ProxyAnchor
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.room.carried import SCENE, STRAY, carries
from dml_viz.room.prediction import Choices, Mark, Prediction

KEY = "proxies"
LATER = (f"{KEY}-twin", f"{KEY}-picture", f"{KEY}-flow")
BOTH = (ProxyNCA(), ProxyAnchor())


def _moved(model: Model) -> list[int]:
    """The number of points that each of the two losses moves."""
    return [response_to(model.embeddings, loss).active_points[0] for loss in BOTH]


def _shares(model: Model) -> list[float]:
    """The share of the stray point in the summed arrow lengths of each loss."""
    lengths = [response_to(model.embeddings, loss).tangent_lengths for loss in BOTH]
    return [float(response[STRAY] / response.sum()) for response in lengths]


PREDICTIONS: tuple[Prediction[Model], ...] = (
    Prediction(
        f"{KEY}.moved",
        "How many points does Proxy-Anchor move?",
        lambda model: (
            f"Point {STRAY} lies among another class. How many of the {len(model.y)} points does Proxy-Anchor move? Count an "
            "arrow if it is at least 1/1000 of the longest."
        ),
        lambda model: Mark("Points that move", 0, len(model.y), 1),
        lambda before, after: _moved(before)[1],
        lambda before, after: f"{_moved(before)[1]} of {len(before.y)}. Proxy-NCA moves {_moved(before)[0]} of {len(before.y)}.",
        {f"{KEY}.scene": SCENE},
        hides=LATER,
        bare=True,
    ),
    Prediction(
        f"{KEY}.stray",
        "Which loss looks at the hard point?",
        f"Point {STRAY} lies among another class. Which loss gives it the larger share of all its arrows?",
        Choices(tuple(loss.name for loss in BOTH)),
        lambda before, after: int(_shares(before)[1] > _shares(before)[0]),
        lambda before, after: (
            ", ".join(f"{loss.name} {share:.1%}" for loss, share in zip(BOTH, _shares(before), strict=True))
            + f" of the lengths of all arrows; an equal share would be {1 / len(before.y):.1%}."
        ),
        {f"{KEY}.scene": SCENE},
        hides=LATER,
        bare=True,
    ),
    carries(KEY, lambda model: BOTH[0], (KEY, *LATER)),
)
