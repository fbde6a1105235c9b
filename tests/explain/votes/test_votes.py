"""The votes of a class: read from their link as a console writes it, drawn with their numbers, refused where they are none."""

import base64
import json
from typing import Any

import pytest

from dml_viz.explain.votes import ROOM
from dml_viz.explain.votes.example import STUDENTS, simulated_votes
from dml_viz.explain.votes.figures.votes import votes
from dml_viz.explain.votes.model import TEXT, WRONG, Model, Settings, read_votes, write_votes
from dml_viz.plot.canvas import Display
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.source import Subject
from tests.samples import for_each
from tests.shown import opened, words

CHOICE = {
    "text": r"Which **of** \[these\]?",
    "by": {"kind": "choice", "options": ["<b>one</b>", r"$\alpha$"], "points": []},
    "truth": 1,
    "votes": [[3, 1], [1, 4]],
}
DRAG = {"text": "Where?", "by": {"kind": "drag", "point": 4}, "truth": 350.0, "votes": [[10, 340, 350, 350, 20], []]}
MARK = {
    "text": "How many?",
    "by": {"kind": "mark", "label": "Steps", "low": 0, "high": 8},
    "truth": None,
    "votes": [[1, 2, 2, 3, 9]],
}


def figure(now: dict[str, Any] | None, before: dict[str, Any] | None = None) -> dict[str, Any]:
    settings = Settings(*(read_votes(write_votes(each)) if each else None for each in (now, before)))
    return votes(Model(settings), Display()).to_plotly_json()


def test_options_are_drawn_as_shares_of_both_votes_with_the_right_one_marked() -> None:
    made = figure(CHOICE)
    assert [list(trace["y"]) for trace in made["data"]] == [[75, 25], [20, 80]]
    assert made["layout"]["xaxis"]["ticktext"] == ["&lt;b&gt;one&lt;/b&gt;", "<b>alpha ✓</b>"]
    assert made["layout"]["meta"]["alt"] == "Which of [these]? first vote: 75 %, 25 %; second vote: 20 %, 80 %. Right: alpha."


def test_guesses_lie_around_the_truth_and_a_hidden_vote_is_left_out() -> None:
    made = figure(DRAG)
    assert [trace["name"] for trace in made["data"]] == ["first vote", "truth"]
    assert list(made["data"][0]["x"]) == [20, -10, 0, 0, 30]
    assert made["data"][0]["y"][2] < made["data"][0]["y"][3], "equal guesses are piled"
    assert list(made["data"][1]["x"]) == [0, 0]
    alt = made["layout"]["meta"]["alt"]
    assert alt.endswith("5 guesses from −10 to 30. Guesses are in degrees from the truth, which is at 350 degrees.")
    assert [trace["name"] for trace in figure(MARK)["data"]] == ["vote"]
    assert figure({**MARK, "truth": 2.34567891})["layout"]["meta"]["alt"].endswith("Truth: 2.346.")
    layout = figure({**MARK, "by": {"kind": "number", "label": "triplets"}, "truth": 1234, "votes": [[10, 12, 30]]})["layout"]
    assert layout["xaxis"]["range"][0] < 10 < 1234 < layout["xaxis"]["range"][1], "a typed truth is in sight"
    assert "truth: 1234" in layout["annotations"][0]["text"]
    assert layout["meta"]["alt"].endswith("Truth: 1234.")


def test_an_earlier_class_lies_over_the_same_question_alone() -> None:
    earlier = {**CHOICE, "votes": [[2, 2]]}
    assert [trace["name"] for trace in figure(CHOICE, earlier)["data"]] == ["first vote", "second vote", "earlier class, vote"]
    other = {**earlier, "text": "Which of those?"}
    for unlike in (DRAG, other, {**earlier, "truth": 0}):
        assert len(figure(CHOICE, unlike)["data"]) == 2
    link = {"votes.of": write_votes(CHOICE), "votes.before": write_votes(other)}
    assert "The earlier class is not drawn" in words(opened("96_votes.py", link))


def test_long_options_are_named_by_letters_and_written_out_with_their_fractions() -> None:
    made = figure({**CHOICE, "by": {"kind": "choice", "options": ["one", r"half of it, $\frac{d^2}{2}$, and nothing else"]}})
    assert made["layout"]["xaxis"]["ticktext"] == ["A", "<b>B ✓</b>"]
    assert "half of it, (d^2)/(2), and nothing else" in made["layout"]["annotations"][0]["text"]


def test_a_vote_of_too_few_says_so() -> None:
    assert figure({**CHOICE, "votes": [[]]})["layout"]["meta"]["alt"].startswith("Fewer than five answered")


def test_an_example_is_called_one_in_its_figure_and_caption() -> None:
    assert (
        "30 simulated answers" in votes(Model(Settings(simulated_votes(), simulated=True)), Display()).layout.annotations[0].text
    )
    assert "simulated students" in ROOM.variations(Settings(simulated=True))[0]
    assert figure(None)["data"] == []


def test_votes_are_read_out_of_a_link() -> None:
    assert read_votes(f"https://lab.example/votes?votes.of={write_votes(CHOICE)}&votes.before=x") == read_votes(
        write_votes(CHOICE)
    )
    assert read_votes("") is None


@for_each(
    "given",
    [
        [], {}, {**CHOICE, "votes": []}, {**CHOICE, "votes": [[1, 2, 3]]}, {**CHOICE, "votes": [[1.5, 2]]},
        {**CHOICE, "truth": 2},
        {**CHOICE, "votes": [[1, -2]]}, {**CHOICE, "text": "x" * (TEXT + 1)},
        {**CHOICE, "by": {"kind": "choice", "options": ["one"]}},
        {**CHOICE, "by": {"kind": "poll", "options": ["a", "b"]}},
        {**MARK, "by": {**MARK["by"], "high": 0}},  # type: ignore[dict-item]
        {**MARK, "votes": [[1e99]]}, {**MARK, "votes": [list(range(201))]}, {**MARK, "votes": [[True]]}, {**MARK, "votes": 3},
        {**DRAG, "by": {"kind": "drag", "options": ["a", "b"]}}, {**MARK, "votes": [[None]]},
    ],
)  # fmt: skip
def test_what_is_no_class_is_refused_in_a_sentence(given: Any) -> None:
    with pytest.raises(ValueError, match=WRONG):
        read_votes(write_votes(given))


@pytest.mark.parametrize("text", ["x", "§", base64.b64encode(b"\xff").decode(), json.dumps(CHOICE)])
def test_what_is_no_text_of_a_class_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=WRONG):
        read_votes(text)
    with pytest.raises(ValueError, match="at most 20,000 characters"):
        read_votes("A" * 20_001)


def test_the_page_shows_a_question_to_the_letter() -> None:
    shown = words(opened("96_votes.py", {"votes.of": write_votes({**CHOICE, "text": r"\[a\](b) $x$?"})}))
    assert r"\[a\](b) $x$?" in shown
    assert ROOM.title == "Votes of a class"


def test_a_link_without_votes_opens_an_example_that_says_it_is_simulated() -> None:
    app = opened("96_votes.py", {})
    assert f"{STUDENTS} simulated students" in words(app)
    made, shown = simulated_votes(), words(app)
    assert [len(vote) for vote in made.votes] == [STUDENTS] * 2
    assert made.text in shown
    assert "votes.of" not in app.query_params, "an example is not in the link"
    assert not ROOM.settings(LinkReader({"votes.before": write_votes(CHOICE)}), Subject()).simulated
