"""The predictions that the page asks for."""

from dml_viz.explain.beyond_one_loss.controls import KEY
from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.explain.beyond_one_loss.text import decided
from dml_viz.room.prediction import Choices, Mark, Prediction

OPTIONS = ("It scores higher", "No difference beyond chance", "It scores lower")


def _decided(model: Model) -> int:
    effect = model.comparison.effects["map"]
    if not effect.matters:
        return 1
    plain, with_method = effect.means
    return 0 if with_method > plain else 2


def _means(model: Model) -> str:
    return decided(model, "map").replace("*", "")


PREDICTIONS: tuple[Prediction[Model], ...] = (
    Prediction(
        f"{KEY}.edges",
        "How many positives does a tree keep?",
        lambda model: (
            f"The scene has classes of {', '.join(map(str, model.class_table.sizes.tolist()))} points. How many positive pairs "
            "does a tree keep for each class, added up?"
        ),
        lambda model: Mark("Pairs", 0, 20, 0),
        lambda before, after: len(after.under_method.marks[0].at),
        lambda before, after: f"{after.under_method.marks[0].name}: a tree of n points has n − 1 edges.",
        {"method": "tree", f"{KEY}.scene": "two modes in one class"},
        hides=(f"{KEY}-method",),
    ),
    Prediction(
        f"{KEY}.trained",
        "Does it help on classes never seen?",
        lambda model: (
            f"Of {model.settings.run.steps} steps with {model.settings.loss.name}, eight runs take every positive pair and eight "
            "only those on a tree. What does the tree do to the mAP on classes that training never saw?"
        ),
        lambda model: Choices(OPTIONS),
        lambda before, after: _decided(after),
        lambda before, after: _means(after),
        {"method": "tree"},
        hides=(f"{KEY}-effect",),
    ),
)
