"""A classroom without sockets: who may do what, what is counted, what is shown when, and what a restored one knows."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from dml_viz.engine.store import Store
from dml_viz.room.prediction import Choices, Drag, Mark
from dml_viz.serve.classroom import answers
from dml_viz.serve.classroom.answers import FEWEST, Answers, suggestion, switched, tally
from dml_viz.serve.classroom.follow import SCENES
from dml_viz.serve.classroom.questions import Number, Truth, ask
from tests.samples import for_each
from tests.serve.classroom.lessons import CHOICE, Lesson, predictions

ALL_PREDICTIONS = sorted(predictions())
ON_A_RUN = "train.unseen"


def lesson(play: Callable[[Lesson], Awaitable[None]], store: Store | None = None) -> None:
    async def played() -> None:
        await play(Lesson(store))

    asyncio.run(played())


def valid_answer(by: dict[str, Any], number: int) -> float:
    if by["kind"] in ("choice", "panel"):
        return number % len(by["options"])
    return by["low"] + number % 3 * by["step"] if by["kind"] == "mark" else 37.0 * number


def numbers_in(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:\.\d+)?", text))


@pytest.mark.parametrize("name", ALL_PREDICTIONS)
def test_nothing_is_known_of_a_truth_or_of_answers_before_the_reveal(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    async def play(lesson: Lesson) -> None:
        students = [lesson.student(number) for number in range(6)]
        assert await lesson.teach("open", ask={"prediction": name}) is None
        question = lesson.newest("student", "state")["question"]
        for number, student in enumerate(students):
            reply = await lesson.answer(student, valid_answer(question["by"], number))
            assert set(reply) == {"type", "epoch", "value", "receipt"}
        await lesson.hear()
        await lesson.teach("close")
        await lesson.hear()
        before = [json.loads(text) for role in ("student", "wall") for text in lesson.heard[role]]
        assert {message["type"] for message in before} <= {"state", "count"}
        for message in before:
            if message["type"] == "count":
                assert set(message) == {"type", "seq", "answered", "silent", "people", "votes"}
            else:
                assert set(message) <= {
                    *("type", "seq", "epoch", "state", "votes", "shown", "waits", "question", "follow"),
                    *("legal", "ask", "link"),
                }
                assert set(message["question"] or {}) <= {"name", "title", "page", "text", "allows", "by"}
                assert message.get("ask") in (None, {"prediction": name})
        assert not any(student.id in text for texts in lesson.heard.values() for text in texts)
        for text in lesson.heard["console"]:
            assert set(json.loads(text)) <= {
                *before[0],
                *before[-1],
                "legal",
                "ask",
                "link",
                "suggestion",
                "answered",
                "people",
                "silent",
            }
        refused = await lesson.teach("reveal")
        if name == ON_A_RUN:
            assert refused
            assert "your own run" in refused["why"]
            return
        assert refused is None
        await lesson.hear()
        revealed = lesson.newest("student", "reveal")
        assert revealed == lesson.newest("wall", "reveal")
        assert revealed["truth"] is not None
        assert revealed["says"]
        assert revealed["link"].startswith(f"/{question['page']}")
        assert revealed["votes"][0]["answered"] == sum(revealed["votes"][0]["verdicts"]) == 6
        # What the question itself does not say, nobody could read before: the sentence with the numbers of the truth.
        told = json.dumps(before)
        assert revealed["says"] not in told
        if question["by"]["kind"] == "drag":
            assert not {f"{angle:.3f}" for angle in revealed["way"][1:]} & {f"{float(each):.3f}" for each in numbers_in(told)}

    lesson(play)
    heard = capfd.readouterr()
    assert not heard.out + heard.err


def test_a_whole_question_with_two_votes() -> None:
    async def play(lesson: Lesson) -> None:
        students = [lesson.student(number) for number in range(7)]
        await lesson.teach("open", ask=CHOICE)
        for number, student in enumerate(students):
            await lesson.answer(student, number % 3)
        await lesson.teach("close")
        await lesson.teach("again")
        for student in students[:6]:
            await lesson.answer(student, 1)
        await lesson.teach("close")
        await lesson.teach("reveal", right=1)
        await lesson.hear()
        revealed = lesson.newest("student", "reveal")
        assert [vote["counts"] for vote in revealed["votes"]] == [[3, 2, 2], [0, 6, 0]]
        assert revealed["switched"] == {"both": 6, "changed": 4, "to_right": 4, "from_right": 0}
        assert (revealed["truth"], revealed["right"]) == (1, "“two”")
        assert lesson.newest("wall", "count")["votes"] == [7, 6]
        await lesson.teach("next")
        assert not lesson.newest("student", "reveal"), "who comes late does not get the truth of the question before"

    lesson(play)


def test_a_student_answers_once_in_the_open_vote_and_does_nothing_else() -> None:
    async def play(lesson: Lesson) -> None:
        one, two = lesson.student(1), lesson.student(2)
        assert (await lesson.answer(one, 0))["why"] == "That question is over."
        await lesson.teach("open", ask=CHOICE)
        vote = lesson.room.state.epoch
        first = await lesson.answer(one, 2)
        assert first["type"] == "taken"
        assert (await lesson.answer(one, 2))["receipt"] == first["receipt"], "an answer sent again is counted once"
        assert "cannot be changed" in (await lesson.answer(one, 1))["why"]
        assert lesson.room.counted(one) == [first]
        assert lesson.room.counted(two) == []
        for value in (3, -1, 0.5, True, None, "1", 1e999, [1]):
            refused = await lesson.answer(two, value)  # type: ignore[arg-type]
            assert (refused["type"], refused["epoch"]) == ("refused", vote)
        for kind in (
            "open",
            "close",
            "again",
            "show",
            "reveal",
            "next",
            "follow",
            "scene",
            "link",
            "restore",
            "move",
            "end",
            "hello",
        ):
            message = {"type": kind, "epoch": vote, "ask": CHOICE, "on": True, "link": "/fastap", "state": {}}
            reply = await lesson.room.take(one, message)
            assert reply == {
                "type": "refused",
                "what": kind,
                "why": "A student answers; all else is the teacher's.",
                "epoch": vote,
            }
        assert (await lesson.room.take(two, {"type": "answer", "id": one.id, "epoch": vote, "value": 0}))["type"] == "taken"  # type: ignore[index]
        assert lesson.room._ballot._answers.of(vote) == {one.id: 2, two.id: 0}, "an answer is of who sends it"
        await lesson.teach("close")
        late = await lesson.answer(lesson.student(3), 1, vote)
        assert late["why"] == "The vote is closed; this answer came too late."
        assert (await lesson.answer(lesson.student(3), 1, vote, first["receipt"]))["type"] == "refused", (
            "a receipt is of one student"
        )
        assert (await lesson.answer(one, 1, vote, first["receipt"]))["type"] == "refused", "and of one value"
        await lesson.teach("again")
        assert (await lesson.answer(two, 1, vote))["type"] == "refused", "the first vote stays closed"

    lesson(play)


@pytest.mark.parametrize("then", [(), ("close",), ("close", "again"), ("close", "again", "close"), ("close", "reveal")])
def test_a_restored_classroom_counts_the_same_answers_once_in_every_state(then: tuple[str, ...]) -> None:
    store = Store()
    held: dict[int, list[dict[str, Any]]] = {}
    state: dict[str, Any] = {}

    async def before(lesson: Lesson) -> None:
        nonlocal state
        students = [lesson.student(number) for number in range(6)]
        await lesson.teach("open", ask={"prediction": "fastap.bins"})
        for action in (None, *then):
            if action:
                assert await lesson.teach(action) is None
            if lesson.room.state.open_vote_epoch:
                for number, student in enumerate(students):
                    held.setdefault(number, []).append(dict(await lesson.answer(student, number % 3)))
        await lesson.hear()
        state = lesson.newest("wall", "state")

    async def after(lesson: Lesson) -> None:
        assert lesson.newest("student", "state")["waits"]
        assert await lesson.teach("restore", state=state) is None
        assert {**lesson.newest("wall", "state"), "seq": 0} == {**state, "seq": 0}
        for _ in range(10):  # reconnections
            for number, mine in held.items():
                for each in mine:
                    reply = await lesson.answer(lesson.student(number), each["value"], each["epoch"], each["receipt"])
                    assert reply == each
        await lesson.hear()
        votes = len(state["votes"])
        assert lesson.newest("wall", "count")["votes"] == [6] * votes
        count = lesson.newest("wall", "count")
        assert (count["people"], count["silent"]) == (6, 0 if votes else 6)
        assert (await lesson.answer(lesson.student(9), 0, state["votes"][0]))["type"] == ("taken" if not then else "refused")
        if then[-1:] == ("reveal",):
            assert lesson.newest("student", "reveal")["votes"][0]["counts"] == [2, 2, 2]
            assert lesson.newest("student", "reveal")["truth"] == 2

    lesson(before, store)
    lesson(after, store)


def test_the_newer_of_two_devices_restores_and_receipts_of_another_question_do_not_count() -> None:
    store = Store()
    taken: dict[str, Any] = {}

    async def before(lesson: Lesson) -> None:
        await lesson.teach("open", ask=CHOICE)
        taken.update(await lesson.answer(lesson.student(1), 1))

    async def after(lesson: Lesson) -> None:
        old = {"epoch": 1, "state": "open 1", "votes": [1], "shown": False, "ask": {**CHOICE, "text": "Another?"}}
        await lesson.teach("restore", state=old)
        await lesson.teach("close")
        assert (await lesson.answer(lesson.student(1), 1, 1, taken["receipt"]))["type"] == "refused"
        new = {"epoch": 9, "state": "closed 1", "votes": [8], "shown": False, "ask": CHOICE, "follow": True, "link": "/fastap"}
        assert await lesson.teach("restore", state=new) is None
        assert await lesson.teach("restore", state=old) is None
        assert (lesson.room.state.epoch, lesson.newest("wall", "state")["link"]) == (9, "/fastap")
        assert (await lesson.teach("restore", state={**new, "epoch": 10, "ask": {"prediction": "none"}}))["what"] == "restore"  # type: ignore[index]
        assert (await lesson.teach("restore", state=None))["what"] == "restore"  # type: ignore[index]

    lesson(before, store)
    lesson(after, store)


def test_bars_are_hidden_while_fewer_than_five_have_answered() -> None:
    async def play(lesson: Lesson) -> None:
        students = [lesson.student(number) for number in range(FEWEST)]
        await lesson.teach("open", ask=CHOICE)
        for student in students[1:]:
            await lesson.answer(student, 0)
        await lesson.teach("close")
        await lesson.teach("show")
        await lesson.teach("again")
        for student in students:
            await lesson.answer(student, 0)
        await lesson.teach("close")
        await lesson.teach("reveal")
        revealed = lesson.newest("student", "reveal")
        assert revealed["votes"][0] is None
        assert revealed["votes"][1]["counts"] == [5, 0, 0]
        assert revealed["switched"] is None
        assert revealed["truth"] is None

    lesson(play)


def test_the_first_vote_is_shown_early_without_the_truth_where_the_teacher_wants_it() -> None:
    async def play(lesson: Lesson) -> None:
        await lesson.teach("open", ask={"prediction": "fastap.bins"})
        for number in range(6):
            await lesson.answer(lesson.student(number), 0)
        await lesson.teach("close")
        assert not lesson.newest("student", "reveal")
        await lesson.teach("show")
        early = lesson.newest("student", "reveal")
        assert (early["votes"][0]["counts"], early["votes"][0]["verdicts"], early["truth"], early["says"]) == (
            [6, 0, 0],
            [],
            None,
            "",
        )

    lesson(play)


def test_students_follow_where_they_may_and_see_nothing_new_while_a_question_is_asked() -> None:
    async def play(lesson: Lesson) -> None:
        scene = {"page": "fastap", "settings": {"fastap.at": "a10b20"}, "step": None, "pointer": [1, 2]}
        await lesson.teach("scene", scene=scene)
        assert not lesson.newest("student", "scene"), "off by default"
        assert lesson.newest("console", "scene")["scene"] == scene
        await lesson.teach("follow", on=True)
        assert lesson.newest("student", "scene")["scene"] == scene
        await lesson.teach("open", ask=CHOICE)
        await lesson.hear()
        lesson.heard["student"].clear()
        await lesson.teach("link", link="/fastap?fastap.bins=20")
        await lesson.teach("scene", scene={**scene, "step": 3})
        while lesson.newest("console", "scene")["scene"]["step"] != 3:  # passed on a tenth of a second after the first
            await lesson.hear()
        await lesson.hear()
        assert not any('"link"' in text or '"scene"' in text for text in lesson.heard["student"])
        assert not lesson.newest("student", "scene"), "nor does who comes now"
        await lesson.teach("close")
        await lesson.teach("reveal")
        assert lesson.newest("student", "link")["link"] == "/fastap?fastap.bins=20"
        assert lesson.newest("student", "scene")["scene"]["step"] == 3
        await lesson.teach("follow", on=False)
        assert not lesson.newest("student", "link")
        for link in ("https://a.b/", "//a.b", "fastap", "/a\\b", "/a b?c", "/" + "x" * 13_000, None, "javascript:1"):
            assert (await lesson.teach("link", link=link))["what"] == "link"  # type: ignore[index]
        assert (await lesson.teach("scene", scene={"settings": "x" * 2048}))["what"] == "scene"  # type: ignore[index]

    lesson(play)


def test_what_the_page_on_the_wall_offers_reaches_consoles_alone() -> None:
    async def play(lesson: Lesson) -> None:
        question = {"title": "Which?", "ask": CHOICE, "right": 1}
        await lesson.teach("offer", question=question, stations=3)
        await lesson.hear()
        assert lesson.newest("console", "offer")["question"] == question
        assert lesson.newest("console", "offer")["stations"] == 3
        for role in ("student", "wall"):
            assert not lesson.newest(role, "offer"), "the right choice is in it"
        await lesson.teach("offer", question=None, stations=0)
        assert lesson.newest("console", "offer")["question"] is None
        for wrong in ({"title": 1, "ask": CHOICE}, {"title": "x"}, "Which?", {"title": "x" * 13_000, "ask": CHOICE}):
            assert (await lesson.teach("offer", question=wrong, stations=1))["what"] == "offer"  # type: ignore[index]
        assert (await lesson.teach("offer", question=None, stations=-1))["what"] == "offer"  # type: ignore[index]

    lesson(play)


def test_of_many_scenes_the_newest_are_passed_on_ten_times_a_second() -> None:
    async def play(lesson: Lesson) -> None:
        await lesson.teach("follow", on=True)
        seen, began = set(), time.monotonic()
        for step in range(100):
            await lesson.teach("scene", scene={"step": step})
            seen.add(lesson.newest("student", "scene")["scene"]["step"])
            await asyncio.sleep(0.002)
        most = 2 + (time.monotonic() - began) / SCENES
        await asyncio.sleep(1.5 * SCENES)
        assert len(seen) <= most
        assert lesson.newest("student", "scene")["scene"]["step"] == 99

    lesson(play)


def test_the_longest_question_of_any_script_can_be_asked() -> None:
    async def play(lesson: Lesson) -> None:
        options = [f"{letter * 999}{number}" for number, letter in enumerate("абвгд")]
        ask = {"text": "ж" * 1000, "by": {"kind": "choice", "options": options}, "right": 0, "says": "я" * 1000}
        assert await lesson.teach("open", ask=ask) is None
        assert lesson.newest("student", "state")["question"]["by"]["options"] == options

    lesson(play)


@for_each(
    ("ask", "reason"),
    [
        ({"prediction": "fastap.nothing"}, "There is no prediction 'fastap.nothing'"),
        ({"prediction": ["fastap.bins"]}, "There is no prediction"),
        ({}, "The question has 0 characters"),
        ({"text": "x" * 1001, "by": CHOICE["by"]}, "write 1 to 1000"),
        ({"text": "Which?"}, "by choice, by a mark on a scale, or by a number"),
        ({"text": "Which?", "by": {"kind": "drag"}}, "by choice, by a mark on a scale, or by a number"),
        ({"text": "Which?", "by": {"kind": "choice", "options": ["one"]}}, "give 2 to 5 different ones"),
        ({"text": "Which?", "by": {"kind": "choice", "options": ["one", ""]}}, "The option has 0 characters"),
        ({"text": "Which?", "by": {"kind": "mark", "low": 3, "high": 3, "step": 1}}, "not from 3 to 3 by 1"),
        ({"text": "Which?", "by": {"kind": "mark", "low": 0, "high": 1e99, "step": 1}}, "not from 0 to 1e\\+99 by 1"),
        ({"text": "Which?", "by": {"kind": "mark", "low": 0, "high": 1, "step": 0.3}}, "do not reach 1: the last ends at 0.9"),
        ({"text": "Which?", "by": {"kind": "number", "label": "x" * 99}}, "write 0 to 60"),
        ({"text": "Which?", "by": {"kind": "number", "more": "x" * 9000}}, "8000 characters at most"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_in_a_sentence(ask: dict[str, Any], reason: str) -> None:
    async def play(lesson: Lesson) -> None:
        refused = await lesson.teach("open", ask=ask)
        assert refused
        assert re.search(reason, refused["why"])
        assert lesson.room.state.name == "idle"

    lesson(play)


def test_what_a_lesson_says_of_its_answer_is_seen_at_the_reveal_and_not_on_the_wall_before() -> None:
    async def play(lesson: Lesson) -> None:
        by = {"kind": "choice", "options": ["23", "24"]}
        await lesson.teach("open", ask={"text": "How many?", "by": by, "right": 1, "says": "It is 24.", "link": "/fastap?x=1"})
        assert "says" not in lesson.newest("wall", "state")["ask"]
        await lesson.teach("close")
        await lesson.teach("reveal")
        revealed = lesson.newest("student", "reveal")
        assert (revealed["says"], revealed["link"]) == ("It is 24.", "/fastap?x=1")

    lesson(play)


def test_a_teachers_text_is_shown_to_the_letter() -> None:
    async def play(lesson: Lesson) -> None:
        by = {"kind": "choice", "options": ["<b>one</b>", "$x$"]}
        await lesson.teach("open", ask={"text": "[a](javascript:b)\n<script>", "by": by})
        question = lesson.newest("student", "state")["question"]
        assert question["text"] == r"\[a\](javascript\:b) \<script\>"
        assert question["by"]["options"] == [r"\<b\>one\</b\>", "$x$"]

    lesson(play)


def test_a_lessons_question_has_its_answer_and_the_state_that_shows_it_at_the_reveal() -> None:
    given = {
        "text": "2*3?",
        "by": {"kind": "choice", "options": ["5", "6"]},
        "right": 1,
        "says": "It is 2*3.",
        "link": "/fastap?x=1",
    }
    asked = ask(given, {}, lambda _: None)
    assert asked.question["text"] == r"2\*3?"
    assert asked.truth() == Truth(1.0, r"It is 2\*3.", link="/fastap?x=1")
    assert ask({**given, "right": None}, {}, lambda _: None).truth().says
    with pytest.raises(ValueError, match="is no link to a page of this app"):
        ask({**given, "link": "https://elsewhere.org"}, {}, lambda _: None)


@pytest.mark.parametrize(("unit", "words"), [("dims", "3\u00a0dims"), ("%", "3%"), ("", "3")])
def test_a_unit_that_is_a_word_stands_apart_from_its_number(unit: str, words: str) -> None:
    by = {"kind": "mark", "label": "n", "low": 0, "high": 9, "step": 1, "unit": unit}
    assert ask({"text": "How many?", "by": by}, {}, lambda _: None).by.words(3) == words


def test_a_typed_number_keeps_all_of_its_digits() -> None:
    assert [Number("n").words(value) for value in (1234567, 60000.25, 0.1)] == ["1234567", "60000.25", "0.1"]


@pytest.mark.parametrize(
    ("by", "values", "truth", "expected"),
    [
        (Choices(("a", "b")), [0, 0, 1, 1, 1], 1.0, ([2, 3], [], 0, [3, 0, 2])),
        (Mark("n", 0, 10, 2, 1), [1, 2, 3.4, 9, 9], 3.0, ([], [1, 2, 3, 9, 9], 5, [1, 2, 2])),
        (Drag(0), [359.7, 1, 11, 90, 200], 0.0, ([], [0, 1, 11, 90, 200], 0, [2, 1, 2])),
        (Number("n"), [1, 2, 3, 4, 123456789.25], None, ([], [1, 2, 3, 4, 123456789.25], 5, [])),
    ],
)
def test_a_tally_says_how_many_and_where_but_not_who(by: Any, values: list[float], truth: float | None, expected: Any) -> None:
    made = tally(values, by, truth)
    assert made
    assert (made["counts"], made["guesses"], len(made["quantiles"]), made["verdicts"]) == expected
    assert tally(values[1:], by, truth) is None


def test_who_switched_is_counted_of_those_who_answered_twice() -> None:
    first = {str(who): value for who, value in enumerate([10, 20, 30, 40, 50, 60])}
    second = {str(who): value for who, value in enumerate([12, 90, 92, 40, 50])}
    assert switched(first, second, Drag(0), 92.0) == {"both": 5, "changed": 2, "to_right": 2, "from_right": 0}
    assert switched(first, {**second, "5": 60}, Number("n"), None) == {"both": 6, "changed": 3, "to_right": 0, "from_right": 0}
    assert switched(first, {"0": 1}, Drag(0), 92.0) is None


@pytest.mark.parametrize(("right", "says"), [(2, "explain"), (3, "talk"), (7, "talk"), (8, "go on")])
def test_the_console_suggests_what_to_do(right: int, says: str) -> None:
    values = [1.0] * right + [0.0] * (10 - right)
    assert suggestion(values, Choices(("a", "b")), 1.0) == says
    assert suggestion(values[:4], Choices(("a", "b")), 1.0) == suggestion(values, Choices(("a", "b")), None) == ""


def test_the_console_alone_is_suggested_something() -> None:
    async def play(lesson: Lesson) -> None:
        await lesson.teach("open", ask={"prediction": "fastap.bins"})
        for number in range(6):
            await lesson.answer(lesson.student(number), 2)
        assert lesson.newest("console", "state")["suggestion"] == ""
        await lesson.teach("close")
        assert lesson.newest("console", "state")["suggestion"] == "go on"
        assert "suggestion" not in lesson.newest("wall", "state")

    lesson(play)


def test_answers_of_a_vote_that_is_over_are_forgotten() -> None:
    given = Answers()
    assert given.give(1, "a", 0)
    assert not given.give(1, "a", 0)
    given.give(2, "a", 1)
    given.keep([2])
    assert (given.of(1), given.of(2)) == (answers.NOBODY, {"a": 1})
