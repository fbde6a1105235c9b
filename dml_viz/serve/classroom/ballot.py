"""The question of a classroom with its answers and its truth, which leaves it with the reveal alone."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from dml_viz.serve.classroom import answers, questions
from dml_viz.serve.classroom.answers import Answers, Suggestion
from dml_viz.serve.classroom.asks import Question
from dml_viz.serve.classroom.codes import RECEIPT
from dml_viz.serve.classroom.needs import ClassroomNeeds
from dml_viz.serve.classroom.questions import Asked, Truth
from dml_viz.serve.classroom.states import CLOSED, REVEALED, State

LOG = logging.getLogger(__name__)
NO_TRUTH = Truth()
SAME = ("prediction", "text", "by")  # what tells one question from another
TRUTH = ("right", "says", "link")  # what is told at the reveal
KEYS, LONGEST = (*SAME, "run", *TRUTH), 8000  # of a question as a teacher puts it; characters


class Ballot:
    """What is asked in the classroom with a ``code``; ``known`` is called when the truth has been computed."""

    def __init__(self, code: str, needs: ClassroomNeeds, known: Callable[[], None]) -> None:
        self._code, self._needs, self._known = code, needs, known
        self._answers = Answers()
        self.ask: Mapping[str, Any] | None = None  # how a teacher has put it
        self._asked: Asked | None = None
        self._computing: asyncio.Future[Truth] | None = None

    @property
    def question(self) -> Question | None:
        """The question as students get it."""
        return self._asked.question if self._asked else None

    async def prepare(self, ask: Any) -> Callable[[], None]:
        """Make the question that a teacher puts with ``ask``; the function that is returned asks it.

        ValueError, which says what is wrong, for what cannot be asked.
        """
        given = {key: ask[key] for key in KEYS if key in ask} if isinstance(ask, dict) else {}
        if len(json.dumps(given, allow_nan=False, ensure_ascii=False)) > LONGEST:
            raise ValueError(f"A question is written in {LONGEST} characters at most.")
        asked = await self._needs.compute(questions.ask, given, self._needs.predictions, self._needs.job)

        def begin() -> None:
            self.ask, self._asked = given, asked
            self._compute()

        return begin

    def lacks_truth_of(self, ask: Any) -> bool:
        """Whether ``ask`` is the same question of a teacher's own, and names the right option, which is not known here."""
        known = self.ask or {}
        return (
            isinstance(ask, dict)
            and "right" in ask
            and "right" not in known
            and all(ask.get(key) == known.get(key) for key in SAME)
        )

    def end(self) -> None:
        """Ask nothing any more."""
        self.ask = self._asked = self._computing = None

    def keep(self, votes: Sequence[int]) -> None:
        """Forget the answers of all other votes."""
        self._answers.keep(votes)

    def answer(self, participant: str, vote: int, value: float, receipt: str, is_open: bool) -> tuple[bool, float, str]:
        """Count an answer: whether it is new, what it was read as, and its receipt.

        ValueError, which says why, for one that is refused: once its vote is closed, an answer counts with its receipt alone.
        """
        if self._asked is None:
            raise ValueError("No question is asked.")
        read = float(self._asked.by.read(value))
        signed = self._signed(participant, vote, read)
        if not is_open and not self._needs.signer.signed(receipt, *signed):
            raise ValueError("The vote is closed; this answer came too late.")
        return self._answers.give(vote, participant, read), read, self._needs.signer.sign(*signed)

    def counted(self, participant: str, votes: Sequence[int]) -> list[tuple[int, float, str]]:
        """The answers of a participant that are counted: vote, value and receipt."""
        values = [(vote, self._answers.of(vote).get(participant)) for vote in votes]
        return [
            (vote, value, self._needs.signer.sign(*self._signed(participant, vote, value)))
            for vote, value in values
            if value is not None
        ]

    async def truth(self) -> Truth:
        """The truth; ValueError, which says why, if it cannot be computed, or not yet."""
        if self._computing is None or (self._computing.done() and self._computing.exception()):
            self._compute()
        if self._computing is None:
            return NO_TRUTH
        try:
            return await asyncio.shield(self._computing)
        except (ValueError, RuntimeError):
            raise
        except Exception as error:
            raise ValueError("The truth of this question cannot be computed.") from error

    def counts(self, state: State) -> list[int]:
        """How many have answered in each vote."""
        return [len(self._answers.of(vote)) for vote in state.votes]

    def silent(self, state: State, people: Set[str]) -> int:
        """How many of ``people`` have not answered in the newest vote."""
        return len(people - self._answers.of(state.votes[-1]).keys()) if state.votes else len(people)

    def suggestion(self, state: State) -> Suggestion:
        """What the teacher may do next; "" where that cannot be said."""
        if state.name not in CLOSED or self._asked is None or (truth := self._computed()).value is None:
            return ""
        values = list(self._answers.of(state.votes[-1]).values())
        return answers.suggestion(values, self._asked.by, truth.value)

    def revealed(self, state: State) -> Mapping[str, Any]:
        """The votes and the truth; before the reveal the first vote alone, without the truth."""
        assert self._asked
        by, revealed = self._asked.by, state.name == REVEALED
        truth = self._computed() if revealed else NO_TRUTH
        votes = [self._answers.of(vote) for vote in (state.votes if revealed else state.votes[:1])]
        return {
            "truth": truth.value,
            "right": "" if truth.value is None else by.words(truth.value),
            "says": truth.says,
            "way": truth.way,
            "exact": getattr(by, "exact", 0),
            "tolerance": getattr(by, "tolerance", 0),
            "link": truth.link,
            "votes": [answers.tally(list(vote.values()), by, truth.value) for vote in votes],
            "switched": answers.switched(votes[0], votes[1], by, truth.value) if len(votes) == 2 else None,
        }

    def _compute(self) -> None:
        """Begin to compute the truth, so that it is there when it is revealed."""
        if self._asked:
            self._computing = asyncio.ensure_future(self._needs.compute(self._asked.truth))
            self._computing.add_done_callback(self._note)

    def _note(self, computed: "asyncio.Future[Truth]") -> None:
        error = None if computed.cancelled() else computed.exception()
        if error and not isinstance(error, ValueError):
            LOG.error("the truth of a question cannot be computed", exc_info=error)
        if error is None and computed is self._computing:
            self._known()

    def _computed(self) -> Truth:
        """The truth, if it is computed."""
        done = self._computing is not None and self._computing.done() and not self._computing.exception()
        return self._computing.result() if done and self._computing else NO_TRUTH

    def _signed(self, participant: str, vote: int, value: float) -> tuple[str, ...]:
        """What the receipt of an answer signs."""
        return RECEIPT, self._code, participant, str(vote), repr(value), self._digest()

    def _digest(self) -> str:
        """What tells the question from others that the classroom may have had in this epoch on another server."""
        asked = {key: (self.ask or {}).get(key) for key in SAME}
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
