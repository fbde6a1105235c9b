"""The documents of a classroom: small, the same for every code, and right at any depth of an address."""

import gzip
import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dml_viz.assets import ASSETS
from dml_viz.serve.classroom.documents import STYLES, routes

MOST = 100_000  # bytes, compressed


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(Starlette(routes=routes()))


def test_a_students_page_with_all_that_it_loads_is_under_100_kb_compressed(client: TestClient) -> None:
    parts = [client.get("/classroom/BCDFGH").content, (ASSETS / "dist" / "js" / "classroom_student.js").read_bytes()]
    parts += [(ASSETS / "css" / f"{name}.css").read_bytes() for name in STYLES]
    assert sum(len(gzip.compress(part, 6)) for part in parts) < MOST
    script = parts[1].decode()
    assert not re.search(r"\bimport\s*[({*'\"]|\bfrom\s*[\"']", script), "the script loads others, which are not counted"


def test_the_page_is_the_same_for_every_code_and_asks_for_nothing_of_streamlits(client: TestClient) -> None:
    one, other = (client.get(f"/classroom/{code}").text for code in ("BCDFGH", "XXXXXX"))
    assert one == other
    assert "stream" not in one.lower()


@pytest.mark.parametrize(
    ("path", "root"), [("/classroom", ""), ("/classroom/BCDFGH", "../"), ("/classroom/BCDFGH/console", "../../")]
)
def test_what_a_document_loads_is_named_relative_to_the_root_of_the_app(client: TestClient, path: str, root: str) -> None:
    answer = client.get(path)
    addresses = re.findall(r'(?:href|src)="([^"]*live-assets[^"]*)"', answer.text)
    assert len(addresses) == 1 + len(STYLES)
    assert all(address.startswith(f"{root}live-assets/") for address in addresses)
    assert answer.headers["link"].startswith(f"<{root}live-assets/")
