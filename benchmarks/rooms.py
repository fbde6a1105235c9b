"""Whether rooms in the browser say what they say in Python, on many scenes with every loss (``-m benchmarks.rooms [scenes]``)."""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from dml_viz.room.in_browser import javascript_of_rooms
from tests.javascript import evaluating
from tests.room_cases import KEYS, NUMBERS, RUN, alike, links, rooms, said

SCENES = 100
AT_ONCE = 200  # cases in one run of the scripts


def main(count: int) -> int:
    """Compare, print how many cases differ in numbers and in sentences, and name the first; return how many differ."""
    differ = 0
    for key in KEYS:
        began, (room,) = time.perf_counter(), rooms(key)
        evaluate = evaluating(Path(tempfile.mkdtemp()), {"rooms/rooms.js": javascript_of_rooms([room])})
        cases = list(links(room, count, every_loss=True))
        found: list[dict[str, Any]] = []
        for first in range(0, len(cases), AT_ONCE):
            found += evaluate(RUN, [["said", key, link, None, NUMBERS[key]] for link in cases[first : first + AT_ONCE]])
        wrong = {"numbers": 0, "sentences": 0}
        for link, browser in zip(cases, found, strict=True):
            python = json.loads(json.dumps(said(room, link)))
            kinds = {"numbers": ["numbers"], "sentences": [name for name in python if name != "numbers"]}
            for kind, names in kinds.items():
                parts = [name for name in names if not alike(python.get(name), browser.get(name))]
                wrong[kind] += bool(parts)
                for name in parts[: wrong[kind] < 4]:
                    print(f"{key}: {name} at {link}\n  {python[name]}\n  {browser.get(name, browser.get('error'))}"[:1500])
        differ += sum(wrong.values())
        print(f"{key}: {len(cases)} cases, numbers differ in {wrong['numbers']}, sentences in {wrong['sentences']}", end="")
        print(f" ({time.perf_counter() - began:.0f} s)", flush=True)
    return differ


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]) if len(sys.argv) > 1 else SCENES)))
