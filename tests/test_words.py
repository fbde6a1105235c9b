"""A visitor reads plain English: words that are in `tests.words`, and sentences of at most 30 words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.words import FOLDERS, NAMES, ROOT, complaints, findings, of_file

# What is not clean yet. Whoever cleans a folder or a page takes it out; nothing is put in.
NOT_YET = (
    "dml_viz/app",
    "assets/src",
    "dml_viz/data",
    "dml_viz/embedding",
    "dml_viz/engine",
    "dml_viz/explain/fastap",
    "dml_viz/explain/gallery",
    "dml_viz/explain/reference",
    "dml_viz/export",
    "dml_viz/losses",
    "dml_viz/to_javascript",
    "pages/10_start.py",
    "pages/20_train.py",
    "pages/82_race.py",
    "10_start.py",
    "20_train.py",
    "82_race.py",
    "90_reference.py",
    "95_gallery.py",
)  # fmt: skip


def _where(path: Path) -> str:
    """The part of the house, or the room, that a file belongs to."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[: 3 if parts[1] == "explain" else 2])


PARTS = sorted(
    {_where(path) for folder in FOLDERS for kind in ("py", "js") for path in (ROOT / folder).rglob(f"*.{kind}")}
)


@pytest.mark.parametrize("part", [*PARTS, *NAMES])
def test_a_visitor_reads_plain_english(part: str) -> None:
    found = list(findings(part))
    if part in NOT_YET:
        pytest.xfail(f"{len(found)} findings, see python -m tests.words {part}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
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
        [(2, "two 0 here"), (2, "and more")], [(1, "two 0 here"), (2, "and more")],
    ]  # fmt: skip
