"""The package as it is published: ``python -m tests.package FOLDER`` builds the sdist, and the wheel from it, and checks both."""

import os
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[1]
LARGEST = 12_000_000  # bytes of a wheel


def sdist_of(root: Path, folder: Path) -> Path:
    """The sdist of the sources in ``root``, built into ``folder``."""
    return Path(next(SdistBuilder(str(root)).build(directory=str(folder), versions=["standard"])))


def wheel_of(root: Path, folder: Path) -> Path:
    """The wheel of the sources in ``root``, built into ``folder``."""
    return Path(next(WheelBuilder(str(root)).build(directory=str(folder), versions=["standard"])))


def unpacked(sdist: Path, folder: Path) -> Path:
    """The folder of the sources in ``sdist``, unpacked into ``folder``."""
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11 has it from 3.11.4 on
        archive.extractall(folder)
    return folder / sdist.name.removesuffix(".tar.gz")


def main(arguments: Sequence[str]) -> int:
    """Build both into a folder; 1 where the sdist builds another wheel than the clone, or one that is too large."""
    (folder,) = map(Path, arguments)
    with tempfile.TemporaryDirectory() as other:
        sdist, wheel = sdist_of(ROOT, folder), wheel_of(ROOT, folder)
        again = wheel_of(unpacked(sdist, Path(other)), Path(other))
        if again.read_bytes() != wheel.read_bytes() or wheel.stat().st_size > LARGEST:
            print(f"{sdist} builds another wheel than these files, or one of more than {LARGEST} bytes.", file=sys.stderr)
            return 1
    for built in (sdist, wheel):
        print(f"{os.path.relpath(built)}  {built.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
