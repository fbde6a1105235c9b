"""The step of hatchling that maps the app into a wheel: what lies beside the package in a clone is dml_viz/site in a wheel."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SITE = "dml_viz/site"
FOR_BUILDERS = ("build", "screenshots")  # folders of the assets that no app loads


class Wheel(BuildHookInterface[Any]):
    """Adds the launcher, its configuration, the pages and the assets to a wheel; an editable one has them in the clone."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to add, each with its path in the wheel."""
        if version == "editable":
            return
        root = Path(self.root)
        assets = (each for each in (root / "assets").iterdir() if each.name not in FOR_BUILDERS)
        parts = (root / "app.py", root / ".streamlit" / "config.toml", root / "pages", *assets)
        build_data["force_include"] |= {str(each): f"{SITE}/{each.relative_to(root).as_posix()}" for each in sorted(parts)}
