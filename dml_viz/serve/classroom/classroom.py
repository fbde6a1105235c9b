"""One classroom, without sockets: its state, its members, and what it does with their messages."""

import asyncio
from collections.abc import Mapping
from typing import Any

from dml_viz.serve.classroom.ballot import TRUTH, Ballot
from dml_viz.serve.classroom.board import Board, Paced
from dml_viz.serve.classroom.follow import Following, checked_offer
from dml_viz.serve.classroom.members import GONE, MOVED, Member, Members, TurnedAwayError, number, whole
from dml_viz.serve.classroom.messages import Role, Taken
from dml_viz.serve.classroom.needs import ClassroomNeeds
from dml_viz.serve.classroom.states import CLOSED, IDLE, REVEALED, State

COUNTING = 0.2  # seconds from one count to the next
RETURNING = 5.0  # seconds after the first teacher's device has come in which another may restore the state
ALL: tuple[Role, ...] = ("student", "wall", "console")
TEACHERS: tuple[Role, ...] = ("wall", "console")
MOVING = "The classroom moves to another server."
ENDED = "The teacher has ended this classroom."


class Classroom:
    """The classroom with a ``code``. It waits until a teacher has restored its state, acted, or stayed `RETURNING` seconds."""

    def __init__(self, code: str, needs: ClassroomNeeds) -> None:
        self.code, self.state = code, State()
        self.taught = False  # whether a teacher has been there
        self.ended: TurnedAwayError | None = None  # why it is over
        self.closed = False  # whether its teacher has ended it, for good
        self.members = Members(needs.clock)
        self.board = Board(self.members.tell)
        self.active = needs.clock()  # when somebody last did something
        self._clock, self._waits, self._follows = needs.clock, True, False
        self._people: set[str] | None = None  # who were counted last
        self._ballot, self._following = Ballot(code, needs, self._hear_truth), Following(self.board)
        self._counts, self._reveals = Paced(COUNTING, self._post_count), Paced(COUNTING, self._post_reveal)
        self._post_state()

    async def take(self, member: Member, message: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Act on a message of a member, and return the reply, if there is one; what is not allowed is refused in a sentence."""
        kind = str(message.get("type"))[:20]
        try:
            if member.teaches:
                self.active = self._clock()
                await self._teach(member, kind, message)
                return None
            if kind != "answer":
                raise ValueError("A student answers; all else is the teacher's.")
            return self._answer(member, message)
        except (ValueError, RuntimeError) as error:  # a RuntimeError where too many computations wait
            epoch = message.get("epoch") if kind == "answer" else self.state.epoch
            return {"type": "refused", "what": kind, "why": str(error), "epoch": epoch if type(epoch) is int else 0}

    def came(self, member: Member) -> None:
        """Count the students anew after a member has come; the first teacher ends the wait, a little later."""
        self.taught |= member.teaches
        if member.teaches and self._waits:
            asyncio.get_running_loop().call_later(RETURNING, self._begin)
        self.count_people()

    def counted(self, member: Member) -> list[Taken]:
        """The answers of a student that are counted, as the student is told on entering: another tab may have given them."""
        return [_taken(*each) for each in self._ballot.counted(member.id, self.state.votes)]

    def count_people(self) -> None:
        """Post how many are there, if somebody has come or gone."""
        if (people := self.members.people()) != self._people:
            self._people = people
            self._counts.put(None)

    def end(self, code: int, why: str) -> None:
        """Make all members leave, for good."""
        self.ended, self.active = TurnedAwayError(code, why), self._clock()
        self.members.disconnect_all(code, why)

    def _begin(self) -> None:
        if self._waits:
            self._waits = False
            self._post_state()

    def _answer(self, member: Member, message: Mapping[str, Any]) -> Mapping[str, Any]:
        vote, receipt = whole(message, "epoch"), str(message.get("receipt", ""))
        if vote not in self.state.votes:
            raise ValueError("That question is over.")
        is_open = vote == self.state.open_vote_epoch
        new, value, receipt = self._ballot.answer(member.id, vote, number(message, "value"), receipt, is_open)
        if new:
            self.active = self._clock()
            self._counts.put(None)
            self._hear_truth()  # what is suggested and revealed depends on the answers, too
            if self.state.shown:
                self._reveals.put(None)
        return _taken(vote, value, receipt)

    async def _teach(self, member: Member, kind: str, message: Mapping[str, Any]) -> None:
        if kind in ("open", "close", "again", "show", "reveal", "next"):
            await self._act(kind, message)
        elif kind == "follow":
            self._follows = message.get("on") is True
            self._post_state()
        elif kind in ("scene", "link"):
            self._following.take(message, member)
        elif kind == "offer":
            self.board.post(("console",), checked_offer(message))
        elif kind == "restore":
            await self._restore(message)
        elif kind in ("move", "end"):
            self.closed = kind == "end"
            self.end(*((MOVED, MOVING) if kind == "move" else (GONE, ENDED)))
        else:
            raise ValueError(f"“{kind}” is no message of a teacher's.")

    async def _act(self, action: str, message: Mapping[str, Any]) -> None:
        epoch = whole(message, "epoch")
        self.state.after(action, epoch)  # refused before anything is computed
        later = {key: message[key] for key in ("right", "run") if key in message and action == "reveal"}
        if action == "open" or later:
            begin = await self._ballot.prepare({**(self._ballot.ask or {}), **later} if later else message.get("ask"))
            self.state.after(action, epoch)
            begin()
        if action == "reveal":
            await self._ballot.truth()
        self._set(self.state.after(action, epoch))

    async def _restore(self, message: Mapping[str, Any]) -> None:
        """Take the state over that a device has had on a server which is gone, if it is newer."""
        given = message.get("state")
        if not isinstance(given, dict):
            raise ValueError("A device restores the state that it has had last.")
        state, before = State.read(given), self.state.epoch
        if state.epoch < before or (
            state.epoch == before and not self._waits and not self._ballot.lacks_truth_of(given.get("ask"))
        ):
            return
        begin = await self._ballot.prepare(given.get("ask")) if state.name != IDLE else self._ballot.end
        if before == self.state.epoch:
            begin()
            self._follows = given.get("follow") is True
            self._following.restore(given.get("link"))
            self._set(state)

    def _set(self, state: State) -> None:
        self.state, self._waits = state, False
        self._ballot.keep(state.votes)
        if state.name == IDLE:
            self._ballot.end()
        self._reveals.cancel()
        self.board.clear("reveal")
        self._post_state()
        self._counts.put(None)
        if self._shows:
            self._post_reveal(None)

    @property
    def _shows(self) -> bool:
        """Whether answers are shown: all that are revealed, or the first vote."""
        return self.state.name == REVEALED or self.state.shown

    def _hear_truth(self) -> None:
        if self.state.name in CLOSED:
            self.board.post(("console",), self._of_console())
        if self.state.name == REVEALED:
            self._reveals.put(None)

    def _post_state(self) -> None:
        self.board.post(("student",), self._of_students())
        self.board.post(("wall",), self._of_wall())
        self.board.post(("console",), self._of_console())
        self._following.let(self._follows and not self.state.secret)

    def _of_students(self) -> dict[str, Any]:
        state = self.state
        return {
            "type": "state",
            "epoch": state.epoch,
            "state": state.name,
            "votes": state.votes,
            "shown": state.shown,
            "waits": self._waits,
            "question": None if state.name == IDLE else self._ballot.question,
            "follow": self._follows,
        }

    def _of_wall(self) -> dict[str, Any]:
        """What a wall gets, which students may look at: nothing of the truth."""
        ask = None if self._ballot.ask is None else {key: part for key, part in self._ballot.ask.items() if key not in TRUTH}
        return {**self._of_students(), "legal": self.state.legal, "ask": ask, "link": self._following.link}

    def _of_console(self) -> dict[str, Any]:
        return {**self._of_wall(), "ask": self._ballot.ask, "suggestion": self._ballot.suggestion(self.state)}

    def _post_count(self, _: None) -> None:
        votes, people = self._ballot.counts(self.state), self.members.people()
        silent = self._ballot.silent(self.state, people)
        count = {"answered": votes[-1] if votes else 0, "silent": silent, "people": len(people), "votes": votes}
        self.board.post(TEACHERS, {"type": "count", **count})

    def _post_reveal(self, _: None) -> None:
        if self._shows:
            self.board.post(ALL, {"type": "reveal", "epoch": self.state.epoch, **self._ballot.revealed(self.state)})


def _taken(vote: int, value: float, receipt: str) -> Taken:
    return {"type": "taken", "epoch": vote, "value": value, "receipt": receipt}
