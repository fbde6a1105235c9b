"""The messages of a classroom, as types; `dml_viz.export.contracts` writes them out for the scripts.

Every message from the server with a ``seq`` is the newest of its type and takes the place of those before it.
"""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypeAlias, TypedDict

from dml_viz.serve.classroom.asks import OwnAsk, PredictionAsk, Prepared, Question
from dml_viz.serve.classroom.wall_messages import LinkMessage, LinkSent, OfferMessage, OfferSent, SceneMessage, SceneSent

Role: TypeAlias = Literal["student", "wall", "console"]
StateName: TypeAlias = Literal["idle", "open 1", "closed 1", "open 2", "closed 2", "revealed"]
Action: TypeAlias = Literal["open", "close", "again", "show", "reveal", "next"]


class StudentHello(TypedDict):
    """The first message of a student: a random id that no one else knows, and the ticket of an earlier welcome, if any."""

    type: Literal["hello"]
    role: Literal["student"]
    id: str
    ticket: str


class TeacherHello(TypedDict):
    """The first message of a wall or a console."""

    type: Literal["hello"]
    role: Literal["wall", "console"]
    token: str


class AnswerMessage(TypedDict):
    """A student's answer to the vote that was opened in `epoch`; an answer that was counted before comes with its receipt."""

    type: Literal["answer"]
    epoch: int
    value: float
    receipt: str


class OpenMessage(TypedDict):
    """A teacher opens a question in the state of `epoch`."""

    type: Literal["open"]
    epoch: int
    ask: PredictionAsk | OwnAsk


class ActionMessage(TypedDict):
    """Another action in the state of `epoch`. What may be known at the reveal alone: the place of the `right` option of a
    question of the teacher's own, and the id of the `run` that a prediction is about.
    """

    type: Literal["close", "again", "show", "reveal", "next"]
    epoch: int
    right: NotRequired[int]
    run: NotRequired[str]


class FollowMessage(TypedDict):
    """Let students follow, or not."""

    type: Literal["follow"]
    on: bool


class RestoreMessage(TypedDict):
    """The state that a teacher's device has had last; it counts where the classroom's own is older."""

    type: Literal["restore"]
    state: "StateMessage"


class PlainMessage(TypedDict):
    """All reconnect, and are led to another replica; or the classroom ends."""

    type: Literal["move", "end"]


class Welcome(TypedDict):
    """The answer to a hello; teachers get the questions that are ready, students a ticket."""

    type: Literal["welcome"]
    server: str
    code: str
    expires: float
    ticket: str
    questions: Sequence[Prepared]


class StateMessage(TypedDict):
    """The state of a classroom. `votes` are the epochs in which the votes of its question were opened.

    The first vote is `shown` before the second. A classroom that `waits` has lost its server and not yet its teacher. Teachers
    have the legal actions, how the question was asked, and the link; the console has a suggestion.
    """

    type: Literal["state"]
    seq: int
    epoch: int
    state: StateName
    votes: Sequence[int]
    shown: bool
    waits: bool
    question: Question | None
    follow: bool
    legal: NotRequired[Sequence[Action]]
    ask: NotRequired[PredictionAsk | OwnAsk | None]
    link: NotRequired[str]
    suggestion: NotRequired[Literal["", "explain", "talk", "go on"]]


class CountMessage(TypedDict):
    """How many have answered in the vote of now, and how many who are there have not; how many students are there, and how many
    answers each vote has.
    """

    type: Literal["count"]
    seq: int
    answered: int
    silent: int
    people: int
    votes: Sequence[int]


class Vote(TypedDict):
    """The answers of a vote: counts of options, or sorted guesses with five quantiles; how many are right, close, wrong."""

    answered: int
    counts: Sequence[int]
    guesses: Sequence[float]
    quantiles: Sequence[float]
    verdicts: Sequence[int]


class Switched(TypedDict):
    """Of those who answered in both votes: how many changed their answer, how many to the right one, and how many from it."""

    both: int
    changed: int
    to_right: int
    from_right: int


class RevealMessage(TypedDict):
    """The votes and the truth, which is `right` in words, with the way of a dragged point and the page in its state.

    A vote of too few is None, and so is what they switched. A first vote that is shown early comes without the truth.
    """

    type: Literal["reveal"]
    seq: int
    epoch: int
    truth: float | None
    right: str
    says: str
    way: Sequence[float]
    exact: float
    tolerance: float
    link: str
    votes: Sequence[Vote | None]
    switched: Switched | None


class Taken(TypedDict):
    """An answer is counted, as a student is also told on entering; the receipt shows it to any server."""

    type: Literal["taken"]
    epoch: int
    value: float
    receipt: str


class Refused(TypedDict):
    """A message of type `what` was refused; `why` is a sentence. The `epoch` is that of a refused answer, else of the state."""

    type: Literal["refused"]
    what: str
    why: str
    epoch: int


class PollRequest(TypedDict):
    """A poll: hello, the server of the answer before, the newest message seen, the patience in seconds, and messages."""

    hello: StudentHello | TeacherHello
    server: str
    seen: int
    wait: float
    messages: Sequence["ClientMessage"]


class PollAnswer(TypedDict):
    """The answer to a poll."""

    server: str
    seen: int
    messages: Sequence["ServerMessage"]


ClientMessage: TypeAlias = (
    StudentHello
    | TeacherHello
    | AnswerMessage
    | OpenMessage
    | ActionMessage
    | FollowMessage
    | LinkSent
    | OfferSent
    | SceneSent
    | RestoreMessage
    | PlainMessage
)
ServerMessage: TypeAlias = (
    Welcome | StateMessage | CountMessage | RevealMessage | SceneMessage | LinkMessage | OfferMessage | Taken | Refused
)
