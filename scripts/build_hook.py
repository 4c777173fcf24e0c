"""Builds the front end into a wheel or a source distribution: a step of `python -m build`."""

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class FrontendHook(BuildHookInterface):  # type: ignore[misc]  # hatchling is installed while a wheel is built alone
    """Runs scripts/frontend.sh in a checkout of Git. A source distribution brings the built front end along."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if (root / ".git").exists() or not (root / "frontend" / "dist").is_dir():
            subprocess.run(["scripts/frontend.sh", "build"], cwd=root, check=True)
