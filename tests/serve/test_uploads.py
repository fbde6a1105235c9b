"""A session uploads only where its page asks for a file, a few files at a time, and the server stores a bounded amount."""

from dml_viz.serve.uploads import MOST_FILES, MOST_STORED, MOST_UNREAD, SHARE, UNREAD, Uploads


def test_a_session_uploads_while_its_page_asks() -> None:
    uploads = Uploads()
    assert "asks for no file" in uploads.begin("a", "1")
    uploads.allow_session("a", "visitor")
    assert uploads.begin("a", "1") == ""
    assert not uploads.forget_session("a"), "no figure shows its files"
    assert "asks for no file" in uploads.begin("a", "1")


def test_files_that_are_not_read_are_few() -> None:
    uploads = Uploads()
    uploads.allow_session("a", "visitor")
    assert [uploads.begin("a", str(file), 1) for file in range(MOST_FILES)] == [""] * MOST_FILES
    assert uploads.begin("a", "0", 1) == "", "the same file again takes its own place"
    assert "on the way already" in uploads.begin("a", "more", 1)
    uploads.end("a", "0")
    uploads.end("a", "never begun")
    assert uploads.begin("a", "more", 1) == ""


def test_all_sessions_together_have_so_much_on_the_way_and_stored() -> None:
    uploads = Uploads()
    for session in "abcde":
        uploads.allow_session(session, f"visitor {session}")
    for session in "abcd":
        assert uploads.begin(session, "1", MOST_UNREAD // SHARE) == ""
        assert uploads.store(session, "file", MOST_STORED // SHARE) == ""
        assert uploads.store(session, "file", MOST_STORED // SHARE) == "", "in place of the first"
    assert "The server receives as many" in uploads.begin("e", "1", 1)
    uploads.end("a", "1")
    assert uploads.begin("e", "1", 1) == ""
    assert "another visitor has left" in uploads.store("e", "file", 1)
    assert uploads.forget_session("a")
    assert uploads.store("e", "file", 1) == ""


def test_a_visitor_has_a_share_in_all_tabs_together() -> None:
    uploads = Uploads()
    for tab, visitor in (("a", "greedy"), ("b", "greedy"), ("c", "other")):
        uploads.allow_session(tab, visitor)
    assert uploads.begin("a", "1", MOST_UNREAD // SHARE) == ""
    assert "one visitor may send" in uploads.begin("b", "1", 1)
    assert uploads.begin("c", "1", MOST_UNREAD // SHARE) == ""
    assert uploads.store("a", "file", MOST_STORED // SHARE) == ""
    assert "one visitor may have" in uploads.store("b", "file", 1)
    assert uploads.store("c", "file", MOST_STORED // SHARE) == ""
    assert uploads.forget_session("a")
    assert uploads.store("b", "file", 1) == ""


def test_files_that_no_page_has_read_within_a_minute_are_deleted_and_make_room() -> None:
    now, deleted = 0.0, list[tuple[str, str]]()

    def seen(at: float) -> list[tuple[str, str]]:
        nonlocal now
        now = at
        deleted.clear()
        uploads.tidy(lambda session, file: deleted.append((session, file)))
        return deleted

    uploads = Uploads(lambda: now)
    uploads.allow_session("a", "visitor")
    uploads.allow_session("b", "another")
    for session, file in (("a", "1"), ("a", "2"), ("b", "read")):
        uploads.begin(session, file, MOST_UNREAD // SHARE // 2)
        uploads.note_arrival(session, file)
    uploads.end("b", "read")
    assert "one visitor may send" in uploads.begin("a", "3", 1)
    assert seen(UNREAD - 1) == []
    assert seen(UNREAD) == [("a", "1"), ("a", "2")]
    assert uploads.begin("a", "3", 1) == ""
    assert seen(5 * UNREAD) == [], "it is on the way still"
    uploads.note_arrival("a", "3")
    uploads.begin("a", "4", 1)
    assert seen(7 * UNREAD) == [], "a page reads the files of a folder together"
    uploads.end("a", "4")
    assert seen(7 * UNREAD) == [("a", "3")]
    uploads.note_arrival("gone", "1")
    uploads.forget_session("a")
    assert seen(9 * UNREAD) == []
