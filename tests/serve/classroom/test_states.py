"""All transitions of a classroom, legal or not, and what a device may restore."""

from itertools import product
from typing import Any, get_args

import pytest

from dml_viz.serve.classroom.messages import Action, StateName
from dml_viz.serve.classroom.states import ACTIONS, State, WrongEpochError
from tests.samples import for_each

LEGAL = {
    "idle": {"open"},
    "open 1": {"close"},
    "closed 1": {"again", "show", "reveal", "next"},
    "open 2": {"close"},
    "closed 2": {"reveal", "next"},
    "revealed": {"next"},
}
WAYS = {
    "idle": (),
    "open 1": ("open",),
    "closed 1": ("open", "close"),
    "open 2": ("open", "close", "again"),
    "closed 2": ("open", "close", "again", "close"),
    "revealed": ("open", "close", "reveal"),
}


def at(name: str) -> State:
    state = State(5)
    for action in WAYS[name]:
        state = state.after(action, state.epoch)
    assert state.name == name
    return state


def written(state: State) -> dict[str, Any]:
    return {"epoch": state.epoch, "state": state.name, "votes": list(state.votes), "shown": state.shown}


@for_each(("name", "action"), list(product(get_args(StateName), get_args(Action))))
def test_an_action_is_legal_in_its_states_alone_and_makes_a_new_epoch(name: StateName, action: Action) -> None:
    state = at(name)
    assert (action in state.legal) == (action in LEGAL[name])
    if action in LEGAL[name]:
        after = state.after(action, state.epoch)
        assert (after.epoch, after.name) == (state.epoch + 1, ACTIONS[name][action])
    else:
        with pytest.raises(ValueError, match=f"not possible while the classroom is {name}; possible: "):
            state.after(action, state.epoch)


@for_each("name", WAYS)
def test_a_device_that_has_seen_another_epoch_is_refused(name: str) -> None:
    state = at(name)
    for epoch in (state.epoch - 1, state.epoch + 1):
        with pytest.raises(WrongEpochError, match=f"it is {name} now"):
            state.after(state.legal[0], epoch)


def test_votes_are_known_by_the_epochs_in_which_they_were_opened() -> None:
    assert [at(name).votes for name in WAYS] == [(), (6,), (6,), (6, 8), (6, 8), (6,)]
    assert [at(name).open_vote_epoch for name in WAYS] == [None, 6, None, 8, None, None]
    assert [at(name).secret for name in WAYS] == [False, True, True, True, True, False]
    assert at("revealed").after("next", 8).votes == ()


def test_the_first_vote_is_shown_once_and_no_longer_than_its_question() -> None:
    shown = at("closed 1").after("show", 7)
    assert (shown.name, shown.shown, shown.votes) == ("closed 1", True, (6,))
    assert "show" not in shown.legal
    with pytest.raises(ValueError, match="not possible"):
        shown.after("show", 8)
    assert shown.after("again", 8).shown
    assert not shown.after("next", 8).shown


@for_each("name", WAYS)
def test_a_state_is_read_as_it_was_written(name: str) -> None:
    assert State.read(written(at(name))) == at(name)


@for_each(
    ("name", "change"),
    [
        ("open 1", {"state": "open 3"}), ("open 1", {"epoch": -1}), ("open 1", {"epoch": True}), ("open 1", {"epoch": 6.0}),
        ("open 1", {"epoch": 10**9}), ("open 1", {"votes": []}), ("open 1", {"votes": [6, 7]}), ("open 1", {"votes": [5]}),
        ("open 1", {"votes": [7]}), ("open 2", {"votes": [8, 6]}), ("open 2", {"votes": [8, 8]}), ("open 2", {"votes": "68"}),
        ("idle", {"votes": [3]}), ("idle", {"shown": True}), ("idle", {"shown": 0}), ("idle", {"state": None}),
        ("revealed", {"votes": [6, 7, 8]}), ("closed 1", {"votes": [None]}), ("idle", {"epoch": None}),
    ],
)  # fmt: skip
def test_what_is_no_state_is_refused(name: str, change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"[Aa] classroom|vote that is open"):
        State.read({**written(at(name)), **change})
