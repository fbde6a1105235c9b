"""A folder for any static host, with the first lesson, the scenes of losses and the gallery: ``python -m dml_viz.export.demo``.

Nothing in it asks a server: it opens from a disk, too. Its pages share one script.
"""

import html
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from dml_viz.assets import ASSETS
from dml_viz.explain.gallery import GALLERY, Entry
from dml_viz.explain.gallery.entries import THEMES, picture_path
from dml_viz.export.command import draw_progress_bar
from dml_viz.export.command_host import CommandHost
from dml_viz.export.lesson_file import lesson_html, shared_script
from dml_viz.export.lesson_stations import LessonResources, svg_drawer
from dml_viz.export.take import FIRST, page_data_of_link

LESSON, SCRIPT, GALLERY_PAGE = "lesson.html", "dml-viz.js", "gallery.html"
PAGES = ("pairs", "ranked_list", "angular", "proxies", "fastap", "gradients")
POLICY = "default-src 'none'; img-src 'self' file: data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def write_demo(folder: Path, host: CommandHost, resources: LessonResources) -> list[Path]:
    """Write the demo into ``folder``, with figures drawn by ``host``; the paths of its files."""
    (folder / "gallery").mkdir(parents=True, exist_ok=True)
    written = [folder / name for name in (SCRIPT, LESSON, *(f"{page}.html" for page in PAGES), "index.html", GALLERY_PAGE)]
    written[0].write_text(shared_script(PAGES), encoding="utf-8")
    for path, link in zip(written[1:], (FIRST, *PAGES), strict=False):
        data, first = page_data_of_link(link, host, resources)
        path.write_bytes(lesson_html(data, first.write(), shared=SCRIPT))
        resources.runs.clear()
    for entry in GALLERY:
        for theme in THEMES:
            written.append(folder / "gallery" / picture_path(entry, theme).name)
            shutil.copyfile(picture_path(entry, theme), written[-1])
    written[len(PAGES) + 2].write_text(_framed("See deep metric learning", "".join(_index())), encoding="utf-8")
    written[len(PAGES) + 3].write_text(_framed("Gallery of deep metric learning", "".join(_gallery())), encoding="utf-8")
    return written


def _framed(title: str, body: str) -> str:
    return FRAME.format(title=title, policy=POLICY, style=(ASSETS / "css" / "demo.css").read_text(encoding="utf-8"), body=body)


def _index() -> Iterator[str]:
    yield "<h1>See what a loss does</h1>\n"
    yield (
        '<p class="lead">A net learns to put like things close together. Its <b>loss</b> decides which points move, and where. '
        "In every scene below you drag the points, and arrows show where the loss moves them.</p>\n"
    )
    yield f'<a class="begin" href="{LESSON}">Begin the first lesson: nine stations, twenty minutes</a>\n<ul>\n'
    for page in PAGES:
        module = import_module(f"dml_viz.explain.{page}.page")
        entry = next(each for each in GALLERY if each.page == page)
        yield _card(entry, module.PAGE.room.title, module.PAGE.claim.replace("**", ""), f"{page}.html")
    yield _card(GALLERY[0], "Gallery", f"{len(GALLERY)} figures: runs, races, surveys and every loss.", GALLERY_PAGE)
    yield "</ul>\n"


def _gallery() -> Iterator[str]:
    yield '<h1>Gallery</h1>\n<p class="lead"><a href="index.html">To all scenes and the first lesson</a></p>\n<ul>\n'
    for entry in GALLERY:
        yield _card(entry, entry.title, entry.sentence, f"{entry.page}.html" if entry.page in PAGES else "")
    yield "</ul>\n"


def _card(entry: Entry, title: str, sentence: str, link: str) -> str:
    light, dark = (f"gallery/{picture_path(entry, theme).name}" for theme in THEMES)
    name = f'<a href="{link}">{html.escape(title)}</a>' if link else html.escape(title)
    source = f'<source srcset="{dark}" media="(prefers-color-scheme: dark)">'
    return (
        f'<li><picture>{source}<img src="{light}" alt="" loading="lazy"></picture><h2>{name}</h2>'
        f"<p>{html.escape(sentence)}</p></li>\n"
    )


def main(arguments: Sequence[str]) -> int:
    """Write the demo; the exit code is 2 for a wrong call."""
    if len(arguments) > 1:
        print("python -m dml_viz.export.demo [FOLDER]", file=sys.stderr)
        return 2
    folder = Path(*arguments or ["demo"])
    with ExitStack() as stack:
        host = CommandHost(stack, progress=draw_progress_bar)
        written = write_demo(folder, host, LessonResources(svg_drawer(host)))
    print(f"{folder}: {len(written)} files, {sum(path.stat().st_size for path in written):,} bytes; open {folder / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
