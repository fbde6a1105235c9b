"""The Firefox that is on this machine, driven by Playwright over WebDriver BiDi.

Run as a program it is that Firefox for Playwright: it starts the browser, a path with arguments, and passes messages on in both
directions. Playwright asks for the colours of the page by a command that Firefox ESR does not know; it gets an empty answer.
"""

import asyncio
import json
import re
import sys
from pathlib import Path

import websockets
from playwright.sync_api import Browser, Playwright
from websockets.asyncio.server import ServerConnection

from tests.programs import FIREFOX

UNKNOWN = ("emulation.setMediaFeaturesOverride",)
LISTENS = "WebDriver BiDi listening on "
ROOT = Path(__file__).parents[1]


def launch(playwright: Playwright, folder: Path) -> Browser:
    """A headless Firefox; ``folder`` gets the script that starts it. Without a Firefox the test is skipped.

    Playwright's own is taken only where the system has none.
    """
    own = playwright.firefox.executable_path
    if FIREFOX.find() is None and Path(own).exists():
        return playwright.firefox.launch()
    script = folder / "firefox"
    program = f'"{sys.executable}" -m {__spec__.name} "{FIREFOX.path()}"'
    script.write_text(f'#!/bin/sh\nexport PYTHONPATH="{ROOT}"\nexec {program} "$@"\n')
    script.chmod(0o755)
    return playwright.firefox.launch(channel="moz-firefox", executable_path=script)


async def relay(command: list[str]) -> None:
    """Start Firefox by ``command``, and pass messages between it and Playwright until it ends."""
    browser = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert browser.stderr
    address = ""
    while not address:
        line = (await browser.stderr.readline()).decode()
        found = re.search(rf"{LISTENS}(ws://\S+)", line)
        address = found[1] if found else ""

    async def serve(client: ServerConnection) -> None:
        assert client.request
        async with websockets.connect(address + client.request.path, max_size=None, origin=None) as server:

            async def forth() -> None:
                async for message in client:
                    question = json.loads(message)
                    if question.get("method") in UNKNOWN:
                        await client.send(json.dumps({"type": "success", "id": question["id"], "result": {}}))
                    else:
                        await server.send(message)

            async def back() -> None:
                async for message in server:
                    await client.send(message)

            both = [asyncio.create_task(forth()), asyncio.create_task(back())]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)

    async with websockets.serve(serve, "127.0.0.1", 0, max_size=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        print(f"{LISTENS}ws://127.0.0.1:{port}", file=sys.stderr, flush=True)
        while await browser.stderr.read(1 << 16):
            pass


if __name__ == "__main__":
    asyncio.run(relay(sys.argv[1:]))
