"""The files of a page for a class that opens it at once: uvloop against asyncio's own loop (``python -m benchmarks.opening``).

On Streamlit's sockets asyncio leaves Nagle's algorithm on: an answer in two parts waits for an acknowledgement,
40 ms on Linux. uvloop turns it off. Every visitor asks for all files that the page names, over six connections as browsers
do. Both apps run side by side and are asked in turn, round after round, after one that is not counted; times are medians.

Before that, the requests and compressed sizes of the first page in Chromium, at a first and a second visit: all, and our files.
Addresses of other versions of the app that run already (``python -m benchmarks.opening http://...``) are counted beside it.
"""

import asyncio
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from playwright.sync_api import Browser

from tests import chromium
from tests.served import served

CONNECTIONS = 6  # of one browser to one server
VISITORS = (1, 30)
ROUNDS = 5
OURS = re.compile(r"/(live-assets|recorded)/|/losses\.js")
LONGEST_WAIT = 60_000  # ms
UVLOOP, ASYNCIO = "uvloop", "asyncio"


def weighed(browser: Browser, url: str) -> list[tuple[int, int, float]]:
    """For the first and a second visit: all requests, those for our files, and their sizes (kB)."""
    page = browser.new_context().new_page()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    asked: dict[str, str] = {}
    weights: dict[str, float] = {}

    def cached(event: dict[str, Any]) -> None:
        asked.pop(event["requestId"], None)

    def answered(event: dict[str, Any]) -> None:
        if event["response"].get("fromDiskCache"):
            cached(event)

    session.on("Network.requestWillBeSent", lambda event: asked.update({event["requestId"]: event["request"]["url"]}))
    session.on("Network.requestServedFromCache", cached)
    session.on("Network.responseReceived", answered)
    session.on("Network.loadingFinished", lambda event: weights.update({event["requestId"]: event["encodedDataLength"]}))
    visits = []
    for again in (False, True):
        asked.clear()
        weights.clear()
        if again:
            page.reload()
        else:
            page.goto(url)
        page.locator(".dml-live[data-drawn]").wait_for(timeout=LONGEST_WAIT)
        page.locator(".dml-embedding .dml-disc-picture path[d*=M]").first.wait_for(timeout=LONGEST_WAIT)
        page.wait_for_load_state("networkidle")
        own = [key for key, address in asked.items() if OURS.search(address)]
        visits.append((len(asked), len(own), sum(weights.get(key, 0) for key in own) / 1000))
    page.context.close()
    return visits


@contextmanager
def without_uvloop(folder: Path) -> Iterator[None]:
    """Let processes that begin within the block find no uvloop."""
    (folder / "uvloop.py").write_text("raise ImportError\n")
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def named(url: str) -> list[str]:
    """The addresses of the files that a page makes the browser load at once."""
    with urlopen(url) as answer:
        return re.findall(r"<([^>]+)>", answer.headers["Link"])


async def got(url: str, files: list[str]) -> None:
    """Ask for ``files`` one after the other on one connection."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    for file in files:
        writer.write(f"GET {file} HTTP/1.1\r\nHost: {address.netloc}\r\nAccept-Encoding: gzip\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        if not head.startswith("http/1.1 200"):
            raise RuntimeError(f"{file}: {head.splitlines()[0]}")
        (length,) = re.findall(r"content-length: (\d+)", head)
        await reader.readexactly(int(length))
    writer.close()
    await writer.wait_closed()


async def opened(url: str, files: list[str], visitors: int) -> float:
    """The seconds until every visitor has all ``files``."""
    begun = time.perf_counter()
    await asyncio.gather(*(got(url, files[k::CONNECTIONS]) for k in range(CONNECTIONS) for _ in range(visitors)))
    return time.perf_counter() - begun


def main() -> None:
    """Print the size of the first page, and the time of its files, for one visitor and for a class."""
    with chromium.beside_the_app() as (browser, own):
        for address in (own, *sys.argv[1:]):
            for visit, (requests, count, weight) in zip(("first visit", "again"), weighed(browser, address), strict=True):
                print(f"{address} {visit:>11}: {requests} requests, {count} of ours, {weight:.0f} kB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served(folder / "uvloop.txt") as ours, without_uvloop(folder), served(folder / "asyncio.txt") as theirs:
            files = named(ours)
            print(f"{len(files)} files of a page, {CONNECTIONS} connections for each visitor")
            print(f"{'visitors':>8}{UVLOOP:>12}{ASYNCIO:>12}{'ratio':>8}")
            for visitors in VISITORS:
                took: dict[str, list[float]] = {ours: [], theirs: []}
                for _ in range(ROUNDS + 1):
                    for url, seconds in took.items():
                        seconds.append(asyncio.run(opened(url, files, visitors)))
                fast, slow = (statistics.median(seconds[1:]) for seconds in took.values())
                print(f"{visitors:8}{fast:10.2f} s{slow:10.2f} s{slow / fast:8.1f}", flush=True)


if __name__ == "__main__":
    main()
