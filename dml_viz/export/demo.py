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

from dml_viz.explain.gallery import GALLERY, Entry
from dml_viz.explain.gallery.entries import THEMES, picture
from dml_viz.export.command import draw_progress_bar
from dml_viz.export.lesson_file import lesson_html, shared_script
from dml_viz.export.lesson_stations import Files, drawn_by
from dml_viz.export.take import FIRST, content_of
from dml_viz.export.workshop import Workshop

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
STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1f2328, #e8eaed); --quiet: light-dark(#57606a, #a3abb5);
  --line: light-dark(#d0d7de, #3a4149); --paper: light-dark(#fff, #0e1117); --blue: light-dark(#0063a3, #6db8f2); }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 70rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
h2 { margin: 0 0 0.25rem; font-size: 1.1rem; line-height: 1.3; }
p { margin: 0.25rem 0 0; color: var(--quiet); }
.lead { margin: 0.5rem 0 1rem; font-size: 1.2rem; color: var(--ink); }
.begin { display: inline-block; margin: 0 0 1.5rem; padding: 0.6rem 1.2rem; border-radius: 0.5rem; background: #0063a3;
  color: #fff; font-weight: 600; text-decoration: none; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: 1rem; margin: 0; padding: 0;
  list-style: none; }
li { border: 1px solid var(--line); border-radius: 0.5rem; padding: 0.75rem; }
li img { display: block; width: 100%; height: 12rem; margin-bottom: 0.5rem; object-fit: contain; }
a { color: var(--blue); }
a:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
"""


def write_demo(folder: Path, workshop: Workshop, files: Files) -> list[Path]:
    """Write the demo into ``folder``, with the figures that ``files`` draw; the paths of its files."""
    (folder / "gallery").mkdir(parents=True, exist_ok=True)
    written = [folder / name for name in (SCRIPT, LESSON, *(f"{page}.html" for page in PAGES), "index.html", GALLERY_PAGE)]
    written[0].write_text(shared_script(PAGES), encoding="utf-8")
    for path, link in zip(written[1:], (FIRST, *PAGES), strict=False):
        data, first = content_of(link, workshop, files)
        path.write_bytes(lesson_html(data, first.write(), shared=SCRIPT))
        files.runs.clear()
    for entry in GALLERY:
        for theme in THEMES:
            written.append(folder / "gallery" / picture(entry, theme).name)
            shutil.copyfile(picture(entry, theme), written[-1])
    written[len(PAGES) + 2].write_text(_framed("See deep metric learning", "".join(_index())), encoding="utf-8")
    written[len(PAGES) + 3].write_text(_framed("Gallery of deep metric learning", "".join(_gallery())), encoding="utf-8")
    return written


def _framed(title: str, body: str) -> str:
    return FRAME.format(title=title, policy=POLICY, style=STYLE, body=body)


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
    light, dark = (f"gallery/{picture(entry, theme).name}" for theme in THEMES)
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
        workshop = Workshop(stack, progress=draw_progress_bar)
        written = write_demo(folder, workshop, Files(drawn_by(workshop)))
    print(f"{folder}: {len(written)} files, {sum(path.stat().st_size for path in written):,} bytes; open {folder / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
