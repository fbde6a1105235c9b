"""The versions that must agree for runs to be equal bit for bit: Python, the libraries that compute, and our own sources."""

import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

from dml_viz import __version__
from dml_viz.threads import once

LIBRARIES = ("torch", "numpy", "scipy", "scikit-learn")
TRAINS = ("data", "embedding", "engine", "losses", "training", "params.py", "registry.py")


@once
def versions() -> Mapping[str, str]:
    """The versions by name: this product's with a digest of the sources that train, torch's without its build."""
    package, digest = Path(__file__).parents[1], hashlib.sha256()
    for part in TRAINS:
        for path in sorted((package / part).rglob("*.py")) or [package / part]:
            digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    ours = f"{__version__} ({digest.hexdigest()[:12]})"
    libraries = {name: version(name).split("+")[0] for name in LIBRARIES}
    return MappingProxyType({"dml-viz": ours, "Python": ".".join(platform.python_version_tuple()[:2]), **libraries})
