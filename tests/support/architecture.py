"""Writes the apps and the rooms into docs/architecture.md, from the docstrings of their packages.

Run `python -m tests.support.architecture` to write them again.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.support.declared import first_line, section
from tests.support.places import ROOT

SECTION = section("architecture.md", "apps and rooms", "architecture")
APPS_WITH_ROOMS = ("pipeline", "platforms", "labelling", "projects")
OF_DJANGO = {"migrations", "management", "templatetags"}


def apps() -> list[str]:
    """Return the layers of the apps, an app to the left of the apps that it may import."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers: list[str] = next(one["layers"] for one in contracts if one["name"] == "apps import one way")
    return layers


def rooms(app: Path) -> Iterator[str]:
    """Yield the packages of an app; the packages of the protocol count one by one."""
    for path in sorted(app.iterdir()):
        if (path / "__init__.py").exists() and path.name not in OF_DJANGO:
            inner = [
                below
                for below in sorted(path.iterdir())
                if path.name == "protocol" and (below / "__init__.py").exists()
            ]
            yield from (below.relative_to(app).as_posix() for below in inner or [path])


def text() -> str:
    """Return the section: the order of imports, a line for each app, and a line for each room."""
    names = [re.findall(r"\w+", layer) for layer in apps()]
    order = " → ".join(" | ".join(f"`{name}`" for name in layer) for layer in names)
    lines = [order, "", *(_line(ROOT, name) for layer in names for name in layer)]
    for app in APPS_WITH_ROOMS:
        lines += ["", f"## Rooms of `{app}`", "", *(_line(ROOT / app, room) for room in rooms(ROOT / app))]
    return "".join(f"{line}\n" for line in lines)


def _line(folder: Path, name: str) -> str:
    return f"- `{name}`: {first_line(folder / name)}"


if __name__ == "__main__":
    SECTION.page.write_text(SECTION.filled(text()))
