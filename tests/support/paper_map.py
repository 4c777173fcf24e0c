"""Writes docs/paper_map.md: which file holds which section of the paper, and which tests import that file.

A file says so itself, in the first line of its docstring: `Name [paper SECTION]: one sentence.`; or `beyond paper`,
where the paper says nothing of it and the section is where one would look.
Run `python -m tests.support.paper_map` to write the page anew.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/paper_map.md"
APPS = ("annotation", "workers", "pipeline", "platforms", "reports", "exchange", "simulation", "gallery", "scenes")
SECTION = re.compile(r"\[(?:beyond )?paper ([^\]]+)\]")
HEAD = """# The paper, section by section

Which file holds which part of section 3 of Plummer et al., "Flickr30k Entities" (IJCV 2017), and which tests import it.
Written by `python -m tests.support.paper_map` from the first docstring line of each file; a test compares.

| section | file | tests |
| --- | --- | --- |
"""


class Entry(NamedTuple):
    """One file that holds a part of the paper."""

    section: str
    file: str
    tests: tuple[str, ...]


def section_of(file: Path) -> str | None:
    """The section that the first docstring line names."""
    docstring = ast.get_docstring(ast.parse(file.read_text())) or ""
    found = SECTION.search(docstring.split("\n", 1)[0])
    return found.group(1) if found else None


def imported(file: Path) -> set[str]:
    """Dotted names of everything the file imports, modules and what is taken from them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def rule_files() -> list[Path]:
    """Every file in a rules folder."""
    return sorted(file for app in APPS for file in (ROOT / app / "rules").glob("*.py") if file.name != "__init__.py")


def entries() -> list[Entry]:
    """Every file with a section, by section and name."""
    tests = {file: imported(file) for file in sorted((ROOT / "tests").rglob("test_*.py"))}
    found = []
    for file in sorted(file for app in APPS for file in (ROOT / app).rglob("*.py")):
        section = section_of(file)
        if section:
            module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            users = tuple(test.relative_to(ROOT).as_posix() for test, names in tests.items() if module in names)
            found.append(Entry(section, file.relative_to(ROOT).as_posix(), users))
    return sorted(found)


def page() -> str:
    """The whole page."""
    rows = (f"| {one.section} | `{one.file}` | {', '.join(f'`{test}`' for test in one.tests)} |" for one in entries())
    return HEAD + "".join(f"{row}\n" for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page())
