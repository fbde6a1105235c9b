#!/usr/bin/env python3
"""The Firefox that is on this machine, driven by Playwright over WebDriver BiDi.

Run as a program it is that Firefox for Playwright: it starts the browser with the arguments given, and passes messages on in
both directions. Playwright asks for the colours of the page by a command that Firefox ESR does not know; it gets an empty answer.
"""

import asyncio
import json
import re
import shutil
import sys
from pathlib import Path

import websockets
from playwright.sync_api import Browser, Playwright
from websockets.asyncio.server import ServerConnection

NAMES = ("firefox-esr", "firefox")
HOW_TO_GET_ONE = "no Firefox was found; install one (Debian: apt-get install firefox-esr) and run again"
UNKNOWN = ("emulation.setMediaFeaturesOverride",)
LISTENS = "WebDriver BiDi listening on "


def executable() -> str | None:
    """The path of a Firefox, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch(playwright: Playwright, folder: Path) -> Browser | None:
    """A headless Firefox, or None; ``folder`` gets the script that starts it."""
    if executable() is None:
        return None
    script = folder / "firefox"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" "$@"\n')
    script.chmod(0o755)
    return playwright.firefox.launch(channel="moz-firefox", executable_path=script)


async def relay(arguments: list[str]) -> None:
    """Start Firefox, and pass messages between it and Playwright until it ends."""
    browser = await asyncio.create_subprocess_exec(str(executable()), *arguments, stderr=asyncio.subprocess.PIPE)
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
