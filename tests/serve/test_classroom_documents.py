"""The documents of a classroom: small, the same for every code, and right at any depth of an address."""

import gzip
import re

import pytest
from starlette.requests import Request
from starlette.responses import Response

from dml_viz.assets import ASSETS
from dml_viz.serve.classroom.documents import STYLES, console, student

MOST = 100_000  # bytes, compressed


def answer(path: str) -> Response:
    """The document at ``path``."""
    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b"", "server": ("127.0.0.1", 80)}
    return (console if path.endswith("/console") else student)(Request(scope))


def test_a_students_page_with_all_that_it_loads_is_under_100_kb_compressed() -> None:
    parts = [bytes(answer("/classroom/BCDFGH").body), (ASSETS / "dist" / "js" / "classroom_student.js").read_bytes()]
    parts += [(ASSETS / "css" / f"{name}.css").read_bytes() for name in STYLES]
    assert sum(len(gzip.compress(part, 6)) for part in parts) < MOST
    script = parts[1].decode()
    assert not re.search(r"\bimport\s*[({*'\"]|\bfrom\s*[\"']", script), "the script loads others, which are not counted"


def test_the_page_is_the_same_for_every_code_and_asks_for_nothing_of_streamlits() -> None:
    one, other = (bytes(answer(f"/classroom/{code}").body) for code in ("BCDFGH", "XXXXXX"))
    assert one == other
    assert b"stream" not in one.lower()


@pytest.mark.parametrize(
    ("path", "root"), [("/classroom", ""), ("/classroom/BCDFGH", "../"), ("/classroom/BCDFGH/console", "../../")]
)
def test_what_a_document_loads_is_named_relative_to_the_root_of_the_app(path: str, root: str) -> None:
    given = answer(path)
    addresses = re.findall(r'(?:href|src)="([^"]*live-assets[^"]*)"', bytes(given.body).decode())
    assert len(addresses) == 1 + len(STYLES)
    assert all(address.startswith(f"{root}live-assets/") for address in addresses)
    assert given.headers["link"].startswith(f"<{root}live-assets/")
