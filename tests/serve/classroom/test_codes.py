"""Codes, tokens and receipts: short to type, impossible to forge, good on every replica."""

from pathlib import Path

import pytest

from dml_viz.engine.store import FolderStore, Store
from dml_viz.serve.classroom import codes
from dml_viz.serve.classroom.codes import ALPHABET, KEY, STUDENT, TEACHER, Signer, new_code, read_code
from tests.samples import for_each


def signer(store: Store | None = None, clock: float = 1000.0) -> Signer:
    shared = store or Store()
    return Signer(lambda new: shared.first(KEY, new), lambda: clock)


def test_a_code_has_six_of_twenty_letters_without_vowels_and_look_alikes() -> None:
    assert len(ALPHABET) == len(set(ALPHABET)) == 20
    assert not set(ALPHABET) & set("AEIOUY01")
    made = {new_code() for _ in range(200)}
    assert len(made) == 200
    assert all(read_code(code) == code for code in made)


@for_each(
    ("text", "code"),
    [("bcd-fgh", "BCDFGH"), (" BCD FGH\n", "BCDFGH"), ("BCDFG", ""), ("BCDFGHJ", ""), ("BCDFGA", ""), ("", ""), ("ſſſſſſ", "")],
)
def test_a_code_is_read_as_people_type_it(text: str, code: str) -> None:
    assert read_code(text) == code


def test_a_token_is_good_for_its_code_its_role_and_its_time_on_every_replica(tmp_path: Path) -> None:
    one, two = (signer(FolderStore(tmp_path / "store")) for _ in range(2))
    given = one.invite()
    assert two.expires(TEACHER, given.code, given.token) == given.expires == 1000 + codes.LASTS
    assert not two.expires(TEACHER, "BCDFGH", given.token)
    assert not two.expires(STUDENT, given.code, given.token)
    assert not signer(FolderStore(tmp_path / "store"), given.expires).expires(TEACHER, given.code, given.token)
    assert not signer().expires(TEACHER, given.code, given.token), "another secret"


@for_each("token", ["", ".", "9999999999.", "9999999999.AAAA", "x.y", "²²²²²²²²²².A", "1" * 5000, "\ud800", "-1.A"])
def test_a_token_that_is_made_up_is_no_token(token: str) -> None:
    assert signer().expires(TEACHER, "BCDFGH", token) == 0


def test_the_secret_of_a_store_is_that_of_the_server_that_came_first_and_comes_back_if_it_is_dropped(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    assert store.first("key", b"one") == store.first("key", b"two") == FolderStore(tmp_path / "store").first("key", b"three")
    assert {each.name for each in (tmp_path / "store").iterdir()} == {"dml-viz-store.txt", store._path("key").name}
    memory = Store()
    assert memory.first("key", b"one") == memory.first("key", b"two") == b"one"
    store._path("key").unlink()
    assert store.first("key", b"one") == b"one"


def test_a_secret_that_can_be_guessed_starts_no_server() -> None:
    codes.check("")
    codes.check("x" * 16)
    with pytest.raises(ValueError, match="write 16 or more"):
        codes.check("secret")
