"""A run of 300 steps as a film of 1280 x 720, as the command line makes it (``python -m benchmarks.film [TIMES]``).

The run is trained and Python and Chrome are started anew each time. Then the last picture of the film is compared with the PNG
of its step.
"""

import base64
import io
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from dml_viz.assets import ASSETS
from dml_viz.export.command_host import CommandHost
from dml_viz.export.remake import remade_files
from dml_viz.figure_files.formats import read_spec
from tests import chromium
from tests.figures_at_sizes import far_off
from tests.programs import CHROMIUM

SOURCE = ASSETS / "gallery" / "training.svg"
FORMATS = ("webm", "mp4")
SECONDS, BYTES, OFF = 30.0, 5_000_000, 0.01  # at most
# As in assets/src/export/movie.js.
LOOK = {"width": 1280 / 96, "height": 7.5, "points": 18.0, "palette": "light", "letters": "outlines"}
LAST = """async (url) => {
  const film = Object.assign(document.createElement("video"), { src: url, muted: true });
  await new Promise((resolve, reject) => Object.assign(film, { onloadeddata: resolve, onerror: reject }));
  const last = new Promise((resolve) => {
    const look = (_, { mediaTime }) => mediaTime > film.duration / 2 ? resolve() : film.requestVideoFrameCallback(look);
    film.requestVideoFrameCallback(look);
  });
  film.currentTime = film.duration;
  await last; // "seeked" may come before the picture can be read
  const { videoWidth: width, videoHeight: height } = film;
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d").drawImage(film, 0, 0);
  return canvas.toDataURL().split(",")[1];
}"""


def film(form: str, folder: Path) -> tuple[float, Path]:
    """Make the film; return its seconds and its path."""
    begun = time.perf_counter()
    call = [sys.executable, "-m", "dml_viz", "export", str(SOURCE), "-o", str(folder), "--format", form, "--force"]
    subprocess.run(call, check=True, capture_output=True)
    return time.perf_counter() - begun, folder / f"train-curves.{form}"


def main(times: int) -> None:
    """Print a row for each format."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        spec = replace(read_spec(SOURCE), write_up=LOOK)
        ((_, png, _),) = remade_files(spec, ["png"], CommandHost(stack), scale=1)
        browser = chromium.launch(stack.enter_context(sync_playwright()))
        if browser is None:
            sys.exit(CHROMIUM.advice)
        page = browser.new_page()
        for form in FORMATS:
            took, (path, *_) = zip(*(film(form, folder) for _ in range(times)), strict=True)
            body = path.read_bytes()
            url = f"data:video/{form};base64,{base64.b64encode(body).decode()}"
            last, wanted = (
                Image.open(io.BytesIO(each)).convert("RGB") for each in (base64.b64decode(page.evaluate(LAST, url)), png)
            )
            off, mean = (
                far_off(wanted, last),
                float(np.abs(np.subtract(*(np.asarray(each, float) for each in (last, wanted)))).mean()),
            )
            met = min(took) < SECONDS and len(body) < BYTES and off < OFF and last.size == wanted.size
            each = ", ".join(f"{one:.1f}" for one in took)
            print(
                f"{form}: {each} s, {len(body) / 1e6:.2f} MB, {last.width} x {last.height}; last picture: {off:.2%} of pixels "
                f"well off, {mean:.2f} of 255 on average; {'met' if met else 'MISSED'} (load {os.getloadavg()[0]:.1f})"
            )
        browser.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
