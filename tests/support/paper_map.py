"""Writes docs/paper_map.md: the file that holds each section of the paper, its test, and the worker's screen.

A file names its section in the first line of its docstring: `Name [paper SECTION]: one sentence.` A file that goes
beyond the paper says `[beyond paper SECTION]`, with the section where a reader would look for it.
Run `python -m tests.support.paper_map` to write the page again.
"""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support.places import ROOT, is_plain

PAGE = ROOT / "docs/paper_map.md"
APPS = sorted(
    file.parent.name for file in ROOT.glob("*/__init__.py") if file.parent.name not in ("tests", "migrations")
)
SECTION = re.compile(r"\[(beyond )?paper ([^\]]+)\]")
HEAD = """# The paper, section by section

The file that holds each part of Plummer et al., "Flickr30k Entities" (IJCV 2017), section 3 (annotation) and 4
(evaluation), with its test and the worker's screen. "Wang" leads to Wang and Gaizauskas, "Generating Image
Descriptions with Gold Standard Visual Inputs" (ENLG 2015) with its errata, "Yao" to Yao et al., "Oracle performance
for visual captioning", and "Shekhar" to Shekhar et al., "FOIL it!" (ACL 2017), by the headlines of its slides. Written
by `python -m tests.support.paper_map` from the first docstring line of each file.

| section | file | test | screen |
| --- | --- | --- | --- |
"""
BEYOND = """
## Beyond the paper

Files that the paper says nothing about, by the section where one would look for them.

| section | file | test |
| --- | --- | --- |
"""


class Entry(NamedTuple):
    """One file that names a section."""

    section: str
    file: Path
    is_beyond: bool

    @property
    def test(self) -> Path | None:
        """The test of the same name, else the nearest one that uses the file most, else that of the folder's name.

        A test lies in the same folder under `tests` as the file, or above it; that of plain Python with others.
        """
        module, place = module_of(self.file), ROOT / "tests" / self.file.relative_to(ROOT).parent
        named = place / f"test_{self.file.name}"
        of_folder = [place / f"test_{place.name}.py", place.parent / f"test_{place.name}.py"]
        users: list[Path] = []
        for folder in (place, *place.parents[: len(place.relative_to(ROOT).parts) - 2]):
            users = users or sorted(folder.glob("test_*.py"), key=lambda test: -uses(test)[module])[:1]
            users = [test for test in users if uses(test)[module]]
        if not users and is_plain(self.file):
            users = sorted(rule_tests(), key=lambda test: -uses(test)[module])[:1]
            users = [test for test in users if uses(test)[module]]
        return next((test for test in (named, *users, *of_folder) if test.exists()), None)

    @property
    def screen(self) -> Path:
        """The screen of the same name."""
        return ROOT / "frontend/src/screens" / f"{self.file.stem}.tsx"


def entry_of(file: Path) -> Entry | None:
    """Return the entry of a file whose first docstring line names a section."""
    docstring = ast.get_docstring(ast.parse(file.read_text())) or ""
    found = SECTION.search(docstring.split("\n", 1)[0])
    return Entry(found.group(2), file, bool(found.group(1))) if found else None


def module_of(file: Path) -> str:
    """Return the dotted name under which the file is imported."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


@cache
def imported(file: Path) -> set[str]:
    """Return the dotted names of everything that the file imports: modules, and what is taken from them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@cache
def uses(test: Path) -> Counter[str]:
    """Return how often the file uses each module from which it imports."""
    tree = ast.parse(test.read_text())
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    taken = [(node.module, alias) for node in nodes for alias in node.names]
    origins = {alias.asname or alias.name: (module, f"{module}.{alias.name}") for module, alias in taken}
    found = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in origins]
    return Counter(str(module) for name in found for module in origins[name])


@cache
def files_of(apps: Path) -> tuple[Path, ...]:
    """Return every source file of the apps in this folder, without the files that make packages."""
    files = (file for app in APPS for file in (apps / app).rglob("*.py"))
    return tuple(sorted(file for file in files if file.name != "__init__.py" and "migrations" not in file.parts))


def rule_files() -> list[Path]:
    """Return every file of plain Python."""
    return [file for file in files_of(ROOT) if is_plain(file)]


def rule_tests() -> list[Path]:
    """Return every test of plain Python."""
    return [file for file in files_of(ROOT / "tests") if is_plain(file)]


@cache
def entries() -> tuple[Entry, ...]:
    """Return every file that names a section, by section and name."""
    return tuple(sorted(entry for file in files_of(ROOT) if (entry := entry_of(file))))


def page() -> str:
    """Return the whole page."""
    found = entries()
    rows = [_row(one, one.test, one.screen) for one in found if not one.is_beyond]
    return HEAD + "".join(rows) + BEYOND + "".join(_row(one, one.test) for one in found if one.is_beyond)


def _row(entry: Entry, *linked: Path | None) -> str:
    return f"| {entry.section} | {' | '.join(_cell(file) for file in (entry.file, *linked))} |\n"


def _cell(file: Path | None) -> str:
    return f"`{file.relative_to(ROOT).as_posix()}`" if file and file.exists() else ""


if __name__ == "__main__":
    PAGE.write_text(page())
