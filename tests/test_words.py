"""Visitors read plain English: no word that `tests.words` bans, and sentences of at most 30 words."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.room.terms import TERMS
from tests.samples import for_each
from tests.shown import opened
from tests.words import FIELD, FOLDERS, ROOT, complaints, findings, of_file, unexplained


def _where(path: Path) -> str:
    """The part of the house, or the room, that a file belongs to."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[: 3 if parts[1] == "explain" else 2])


PARTS = sorted({_where(path) for folder in FOLDERS for kind in ("py", "js") for path in (ROOT / folder).rglob(f"*.{kind}")})


# What pages say is checked where they are opened, in tests/explain/test_pages.py.
@for_each("part", PARTS)
def test_a_visitor_reads_plain_english(part: str) -> None:
    found = list(findings(part))
    assert not found, "\n".join([*found, f"see python -m tests.words {part}"])


CARDS = {name: {"card": name} for name in ("triplet", "soft_triple", "smooth_ap")}
STATES = [("70_reference.py", link) for link in CARDS.values()] + [("97_papers.py", {}), ("80_train.py", {"loss": "triplet"})]


@pytest.mark.parametrize(("page", "link"), STATES)
def test_a_term_is_explained_where_a_page_first_uses_it(page: str, link: dict[str, str]) -> None:
    assert list(unexplained(opened(page, link))) == []


def test_a_page_with_a_term_that_it_does_not_explain_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.py"
    page.write_text(
        "import streamlit as st\nfrom dml_viz.app import glossary\n"
        "st.caption('Margin')\nglossary.say('The anchor has a margin.')\nst.caption('A margin. Logits, say.')\n"
    )
    assert [fault.split()[0] for fault in unexplained(AppTest.from_file(str(page)).run())] == ["“logit”"]


def test_every_term_of_the_field_is_in_the_glossary() -> None:
    assert set(FIELD.values()) == {term.partition("|")[0] for term in TERMS}


@for_each(
    ("text", "complains"),
    [
        ("A learnt star for every class.", ["star"]),
        ("**Look for** who meets whom: the [hinge](x) lets go.", ["meets", "lets go"]),
        ("Written as a `star` or $\\star$, starting at a standard step, a stand-alone file.", []),
        ("One. " * 40, []),
        ("a " * 31 + "$b + c + d$.", ["32 words"]),
        ("| " + "a " * 20 + " | " + "b " * 20 + "|", []),
    ],
)
def test_the_check_finds_banned_words_and_long_sentences(text: str, complains: list[str]) -> None:
    found = complaints(text)
    assert len(found) == len(complains)
    assert all(word in fault for word, fault in zip(complains, found, strict=True))


def test_every_literal_of_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('"""Not this one."""\nsay(f"two {words} here", "a" "nd more")\nkey = "a.key"\n')
    (tmp_path / "b.js").write_text('const a = `two ${words} here`; // "no comment here"\nsay("and more");\n')
    assert [list(of_file(tmp_path / name)) for name in ("a.py", "b.js")] == [
        [(2, "two 0 here"), (2, "and more")],
        [(1, "two 0 here"), (2, "and more")],
    ]
