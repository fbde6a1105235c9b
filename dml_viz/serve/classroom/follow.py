"""What students and consoles get of the wall: the page that it shows, what the teacher's hand does there, what the page offers.

Nothing is passed on to students while a question is asked and not revealed: it could show the answer.
"""

import json
from collections.abc import Mapping
from typing import Any

from dml_viz.figure_files.spec import LINK
from dml_viz.serve.classroom.board import Board, Paced
from dml_viz.serve.classroom.members import Member, whole
from dml_viz.serve.classroom.messages import Role

SCENES, LINKS = 0.1, 0.4  # seconds from one to the next that is passed on
LARGEST, LONGEST = 2048, 12_000  # bytes of a scene, characters of a link or an offered question
KINDS = ("link", "scene")


class Following:
    """Passes on what a teacher shows: to the teacher's other devices at once, to students where they ``may`` follow."""

    def __init__(self, board: Board) -> None:
        self._board, self._may = board, False
        self._newest: dict[str, Mapping[str, Any]] = {}
        self._paced = {"scene": Paced(SCENES, self._post), "link": Paced(LINKS, self._post)}

    @property
    def link(self) -> str:
        """The page that is shown; "" for none."""
        return str(self._newest.get("link", {}).get("link", ""))

    def take(self, message: Mapping[str, Any], member: Member) -> None:
        """Pass a scene or a link on; ValueError for one that is malformed."""
        kind = message["type"]
        content = checked_link(message.get("link")) if kind == "link" else _scene(message)
        others: tuple[Role, ...] = ("console",) if member.role == "wall" else ("wall",)
        self._paced[kind].put(({"type": kind, kind: content}, others))

    def restore(self, link: Any) -> None:
        """Show ``link`` again, if it is a link."""
        if link:
            self._newest["link"] = {"type": "link", "link": checked_link(link)}

    def let(self, may: bool) -> None:
        """Let students follow or not; those who may are sent the newest."""
        if may == self._may:
            return
        self._may = may
        for kind in KINDS:
            if may and kind in self._newest:
                self._board.post(("student",), self._newest[kind])
            elif not may:
                self._board.clear(kind, "student")

    def _post(self, given: tuple[Mapping[str, Any], tuple[Role, ...]]) -> None:
        message, others = given
        self._newest[message["type"]] = message
        self._board.post((*others, "student") if self._may else others, message)


def checked_link(link: Any) -> str:
    """``link``, to a page of this app; ValueError for anything else."""
    if not isinstance(link, str) or len(link) > LONGEST or not link.startswith("/") or not LINK.fullmatch(link[1:]):
        raise ValueError(f"“{str(link)[:60]}” is no link to a page of this app; send “/fastap?fastap.bins=20”.")
    return link


def checked_offer(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the page on a wall has for the consoles; ValueError for a malformed message. Asking checks the question."""
    question = message.get("question")
    if question is not None and not (
        isinstance(question, dict)
        and isinstance(question.get("title"), str)
        and isinstance(question.get("ask"), dict)
        and len(json.dumps(question, allow_nan=False, ensure_ascii=False)) <= LONGEST
    ):
        raise ValueError(
            f"A page offers a question, with its title and how it is asked in {LONGEST} characters at most, or null."
        )
    return {"type": "offer", "question": question, "stations": whole(message, "stations")}


def _scene(message: Mapping[str, Any]) -> Mapping[str, Any]:
    scene = message.get("scene")
    if not isinstance(scene, dict) or len(json.dumps(scene, allow_nan=False)) > LARGEST:
        raise ValueError(f"A scene is an object of at most {LARGEST} bytes.")
    return scene
