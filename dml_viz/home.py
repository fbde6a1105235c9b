"""The folder of ``app.py``, ``pages`` and ``assets``: the root of a clone, or the copy of them that a wheel brings."""

from pathlib import Path

_IN_WHEEL = Path(__file__).parent / "site"  # assets/build/wheel.py maps them there
IN_CLONE = not _IN_WHEEL.exists()
HOME = Path(__file__).parents[1] if IN_CLONE else _IN_WHEEL
APP = HOME / "app.py"
