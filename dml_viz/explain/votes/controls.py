"""The controls of the page: the votes of a class, which its link has, and those of an earlier class to lay over them."""

from dml_viz.explain.votes.example import simulated_votes
from dml_viz.explain.votes.model import Settings, read_votes
from dml_viz.params import Param
from dml_viz.room.ask import Ask
from dml_viz.room.source import Subject

KEY = "votes"
OF = Param("of", "", "", "the votes of a class, as a console opens them after a reveal", label="Your class", reads=read_votes)
EARLIER = "the link to the votes of an earlier class on the same question, which are drawn with the first"
BEFORE = Param("before", "", "", EARLIER, label="An earlier class", reads=read_votes)


def ask_for_settings(ask: Ask, subject: Subject) -> Settings:
    """Draw the controls of the page and return its settings, those of an example where the link has no votes."""
    with ask.bar():
        now, before = (str(ask.control(knob, f"{KEY}.{knob.name}")) for knob in (OF, BEFORE))
    if not (now or before):
        return Settings(simulated_votes(), simulated=True)
    return Settings(read_votes(now), read_votes(before))
