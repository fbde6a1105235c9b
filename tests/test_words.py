"""A visitor reads plain English: words that are in `tests.words`, and sentences of at most 30 words."""

from pathlib import Path

import pytest

from tests.words import FOLDERS, NAMES, ROOT, complaints, findings, of_file


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
    assert not found, "\n".join([*found, f"see python -m tests.words {part}"])


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
