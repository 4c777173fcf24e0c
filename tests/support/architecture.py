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
OF_DJANGO = {"migrations", "management", "templatetags"}
ROOMS_OF_PAGES = {
    "api": "Requests to the server and their types, from its schema.",
    "canvas": "A picture with boxes: draw, move, zoom, undo.",
    "keyboard": "Keys: the commands of a page, one listener, labels of keys.",
    "labelling": "The worker's page: drafts, retries, taking an answer back, time, other tabs; `views` draws it.",
    "projects": "Requesters' pages: dashboard, review, gold, settings, charts.",
    "tasks": "The question and the buttons of each task, and its instructions.",
    "ui": "Dialogs, icons and the main button.",
    "words": "Translations.",
}
"""The folders of frontend/src."""


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
    for app in (*(name for layer in names for name in layer), "evaluation"):
        lines += _table(app, [_line(ROOT / app, room) for room in rooms(ROOT / app)])
    pages = sorted(path.name for path in (ROOT / "frontend" / "src").iterdir() if path.is_dir())
    lines += _table("frontend/src", [f"- `{room}`: {ROOMS_OF_PAGES[room]}" for room in pages])
    return "".join(f"{line}\n" for line in lines)


def _table(app: str, lines: list[str]) -> list[str]:
    return ["", f"## Rooms of `{app}`", "", *lines] if lines else []


def _line(folder: Path, name: str) -> str:
    return f"- `{name}`: {first_line(folder / name)}"


if __name__ == "__main__":
    SECTION.page.write_text(SECTION.filled(text()))
