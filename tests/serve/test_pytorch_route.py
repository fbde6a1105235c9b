"""The route that serves losses as PyTorch code."""

import asyncio

from starlette.applications import Starlette
from starlette.types import Message

from dml_viz.serve.server import pytorch_route
from tests.samples import for_each


def answer_to(path: str) -> tuple[int, str]:
    """The status and the text of the server's answer."""
    place, _, query = path.partition("?")
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": place,
        "query_string": query.encode(),
        "headers": [(b"host", b"here.test")],
        "scheme": "http",
        "server": ("here.test", 80),
        "root_path": "",
    }
    asyncio.run(Starlette(routes=[pytorch_route()])(scope, receive, send))
    return sent[0]["status"], b"".join(part.get("body", b"") for part in sent).decode()


def test_a_loss_is_served_as_pytorch_with_its_knobs() -> None:
    status, text = answer_to("/export/pytorch/fastap?bins=17")
    assert status == 200
    assert "bins: int = 17" in text
    compile(text, "snippet", "exec")


@for_each(
    ("path", "status"),
    [
        ("nothing", 404),
        ("formula", 404),
        ("formula?text=mean%28s_n%29", 404),
        ("fastap?bins=-1", 400),
        ("fastap?bins=nan", 400),
        ("fastap?bins=x", 400),
        ("../../etc", 404),
    ],
)
def test_an_impossible_loss_is_not_served(path: str, status: int) -> None:
    assert answer_to(f"/export/pytorch/{path}")[0] == status
