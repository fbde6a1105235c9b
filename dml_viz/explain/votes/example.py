"""An example of votes: simulated students say where the triplet loss carries a point, twice, and the truth is computed."""

import random

from dml_viz.embedding.embeddings import EmbeddingsModel
from dml_viz.embedding.scene import preset
from dml_viz.explain.votes.model import ClassroomVotes, read_votes, write_votes
from dml_viz.losses.triplet import Triplet
from dml_viz.room.carried import SCENE, STRAY, carries
from dml_viz.room.guesses import guess
from dml_viz.room.prediction import Prediction
from dml_viz.threads import once

STUDENTS = 30


@once
def simulated_votes() -> ClassroomVotes:
    """The votes of `STUDENTS` simulated students, two of each, on a question of the page of gradients."""
    model, dice = EmbeddingsModel(preset(SCENE).subject(), None), random.Random(0)
    prediction: Prediction[EmbeddingsModel[None]] = carries("votes", lambda _: Triplet(), ())
    asked = prediction.ask(model)
    by = {"kind": "drag", "points": asked.points, "point": STRAY}
    first = [guess(by, dice) for _ in range(STUDENTS)]
    votes = [[round(each) for each in vote] for vote in (first, [guess(by, dice, each) for each in first])]
    truth = prediction.computed(asked.by, model, model).truth
    made = read_votes(write_votes({"text": asked.question, "by": by, "truth": truth, "votes": votes}))
    assert made
    return made
