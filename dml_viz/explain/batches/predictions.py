"""The predictions that the page on batches asks for."""

from dml_viz.explain.batches.model import Model
from dml_viz.room.prediction import Choices, Prediction

OF = ("Proxy-NCA", "FastAP", "Triplet")


def _cosines(model: Model) -> list[float]:
    return [model.split_of(title).parts for title in OF]


PREDICTIONS: tuple[Prediction[Model], ...] = (
    Prediction(
        "batches.split",
        "Eight pieces: which loss keeps its gradient?",
        lambda model: (
            "The batch is split into eight pieces, as on eight machines that do not gather each other's embeddings, and their "
            "gradients are averaged. For which loss is the mean still the gradient of the whole batch?"
        ),
        lambda model: Choices(OF),
        lambda before, after: max(range(len(OF)), key=lambda k: _cosines(after)[k]),
        lambda before, after: (
            "; ".join(f"{title} {cosine:.3f}" for title, cosine in zip(OF, _cosines(after), strict=True))
            + ". A loss that is a mean over single samples loses nothing."
        ),
        {"batches.parts": 2},
        {"batches.parts": 8},
        hides=("batches-split",),
    ),
)
