"""The browser's scripts, run by deno for tests that compare them with Python; what needs no Python is tested in tests/js."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dml_viz import to_javascript

ASSETS = Path(__file__).parents[1] / "assets"
SECONDS = 300
DENO = shutil.which("deno", path=Path(sys.executable).parent) or "deno"
Evaluate = Callable[..., Any]


def evaluating(folder: Path, written: Mapping[str, str] | None = None) -> Evaluate:
    """Runs the body of an async function of ``asset`` (imports a script by name) and ``given``; its result as JSON values.

    There are the scripts of ``assets/src/``, that of the losses, and those ``written`` by name, all laid into ``folder``.
    """
    shutil.copytree(ASSETS / "src", folder, dirs_exist_ok=True)
    for name, text in {"losses/losses.js": to_javascript.javascript_of_losses(), **(written or {})}.items():
        (folder / name).write_text(text)

    def evaluate(body: str, given: Any = None) -> Any:
        program = folder / "program.js"
        program.write_text(
            "const asset = (name) => import(`./${name}`);\n"
            f"const run = async (given) => {{ {body} }};\n"
            f"console.log(JSON.stringify(await run({json.dumps(given)})));"
        )
        command = [DENO, "run", "--quiet", "--no-check", "--allow-read", str(program)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return evaluate
