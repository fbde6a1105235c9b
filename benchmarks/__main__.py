"""Run every measurement, or those named: ``python -m benchmarks [name ...]``."""

import os
import subprocess
import sys
from pathlib import Path

from dml_viz.engine.process import KEEP_MEMORY
from dml_viz.threads import ONE_THREAD

FOLDER = Path(__file__).parent


def measurements() -> list[str]:
    """The names of the files of this folder that are programs."""
    files = sorted(FOLDER.glob("[a-z]*.py"))
    return [path.stem for path in files if 'if __name__ == "__main__":' in path.read_text(encoding="utf-8")]


def main(names: list[str]) -> int:
    """Run each measurement in its own process, so that none affects another's memory; return how many failed."""
    unknown = [name for name in names if name not in measurements()]
    if unknown:
        print(f"no measurement is called {', '.join(unknown)}; there are {', '.join(measurements())}", file=sys.stderr)
        return 2
    failed = []
    environment = {**os.environ, **ONE_THREAD, **KEEP_MEMORY}  # the environment of a worker
    for name in names or measurements():
        command = [sys.executable, "-m", f"benchmarks.{name}"]
        print(f"\n== {name} (python -m benchmarks.{name})", flush=True)
        if subprocess.run(command, cwd=FOLDER.parent, env=environment).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
