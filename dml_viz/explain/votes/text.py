"""The words of the page with the votes of a class."""

from dml_viz.explain.votes.model import Model

CLAIM = "A question asked **twice**, with talk between, shows what the talk did: compare the first vote with the second."
MOVED = "how many moved to the truth, and whether they came from one wrong answer or from all."
CHOSEN = "how many are at the truth, and whether the others agree on one wrong answer."
MISLEADS = (
    "a class is a small sample, and a tab that is opened anew may vote again. Two classes that differ by a few answers need not "
    "differ at all. A vote of fewer than five is not shown."
)
OTHER_QUESTION = (
    "**The earlier class is not drawn:** it was asked another question, or the same with another truth, as of another run."
)
EXAMPLE = (
    "**An example:** {students} simulated students, who know nothing: they drop the point near any of the points, and one time "
    "in three a student guesses again after talking. For yours, press *Open as a figure* on a console, or paste its link above."
)
HOW = (
    "The console of a classroom opens this page after a reveal: *Share* has it in every page. All votes are in the link, without "
    "names, and nowhere else."
)


def look_for(model: Model) -> str:
    """What to look for in the votes; nothing where none are shown."""
    if model.question is None or not model.rows:
        return ""
    twice = all(model.question.votes) and len(model.question.votes) > 1
    if model.question.truth is None:
        return f"{'how many changed their minds, and ' if twice else ''}where the answers gather."
    return MOVED if twice else CHOSEN
