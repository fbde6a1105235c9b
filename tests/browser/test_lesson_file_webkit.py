"""A scene and the first lesson in one file, opened from the disk in WebKit."""

import json
from contextlib import ExitStack
from pathlib import Path

from dml_viz.export.command_host import CommandHost
from dml_viz.export.lesson_stations import LessonResources
from dml_viz.export.take import lesson_file_of_link
from tests import webkit

LINE, POINT = ".dml-line-of", ".dml-scene-points [data-handle]"
BOX = f"document.querySelector('{POINT}').getBoundingClientRect()"


def test_webkit_opens_a_file_drags_a_point_and_reveals_an_answer(tmp_path: Path) -> None:
    with webkit.tab() as page, ExitStack() as stack:
        host = CommandHost(stack)
        for name in ("fastap", "first"):
            (tmp_path / f"{name}.html").write_bytes(lesson_file_of_link(name, host, LessonResources()))
        page.open(tmp_path / "fastap.html")
        page.wait(f"document.querySelector('{LINE}')?.textContent && document.querySelector('{POINT}')")
        line = page.evaluate(f"document.querySelector('{LINE}').textContent")
        x, y = page.evaluate(f"(({{ x, y, width }}) => [x + width / 2, y + width / 2])({BOX})")
        page.drag((x, y), (x + 60, y + 40))
        page.wait(f"document.querySelector('{LINE}').textContent !== {json.dumps(line)}")
        page.open(tmp_path / "first.html", "#2")
        page.wait("document.querySelector('.dml-prediction input')")
        page.evaluate("document.querySelector('.dml-prediction input').click()")
        for button in ("Lock", "Reveal"):
            page.evaluate(f"[...document.querySelectorAll('button')].find((one) => one.textContent === '{button}').click()")
        page.wait("document.querySelector('.dml-verdict').textContent")
