"""The rules, their tests, and the page that walks through both in the order of the paper.
The page that draws the machine and explains every state, compared with the code.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pipeline.protocol.tasks.flow import REVIEW_TRANSITIONS, TABLES, ReviewStep
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from tests.support import state_diagram
from tests.support.places import ROOT, is_plain

APPS = {file.parent.name for file in ROOT.glob("*/__init__.py")} - {"tests", "migrations"}
SECTION = re.compile(r"\[(?:beyond )?paper ([^\]]+)\]")
DECLARED = {"pipeline.settings.of_belief", "pipeline.settings.of_work"}
"""Groups of settings, which tests read through `Settings`."""


def files_of(place: Path) -> list[Path]:
    """Return every file of plain Python in the apps of this folder, without the files that make packages."""
    files = (file for app in APPS for file in (place / app).rglob("*.py"))
    return sorted(file for file in files if file.name != "__init__.py" and is_plain(file))


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


RULES = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in files_of(ROOT)}
TESTS = files_of(ROOT / "tests")


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


def imported(file: Path) -> set[str]:
    """Return the dotted names of the modules, and of what is taken from them, that the file imports."""
    nodes = [node for node in ast.walk(tree_of(file)) if isinstance(node, ast.ImportFrom) and node.module]
    return {f"{node.module}{name}" for node in nodes for name in ("", *(f".{alias.name}" for alias in node.names))}


def section_of(file: Path) -> str:
    """Return the section that the first docstring line names; empty: it names none."""
    found = SECTION.search((ast.get_docstring(tree_of(file)) or "").split("\n", 1)[0])
    return found.group(1) if found else ""


def test_rules_are_found_at_any_depth() -> None:
    deep = {"workers.rules.signals.signal", "belief.links.partitions"}
    assert set(RULES) >= {"annotation.rules.box", "pipeline.protocol.tasks.box_quality", *deep}
    assert "tests/workers/rules/test_signals.py" in map(name_of, TESTS)


def test_every_rule_names_its_section_first() -> None:
    nameless = [name_of(file) for file in RULES.values() if not section_of(file)]
    assert nameless == [], "begin the docstring with 'Name [paper SECTION]: one sentence.'"


def test_every_rule_has_a_test_in_a_rules_folder_that_imports_it() -> None:
    assert sorted(set(RULES).difference(DECLARED, *map(imported, TESTS))) == [], "to be written"


def test_every_test_in_a_rules_folder_tests_a_rule() -> None:
    elsewhere = [name_of(test) for test in TESTS if not imported(test).intersection(RULES)]
    assert elsewhere == [], "a test of something else than rules belongs elsewhere"


WALK = (ROOT / "docs/protocol.md").read_text()
BOXES, REVIEW = ["3.2.1", "3.2.2", "3.2.3", "3.2.4"], ["3.3.1", "3.3.2", "3.3.3"]
SECTIONS = ["3.1", "3.1.1", "3.1.2", "3.2", *BOXES, "3.3", *REVIEW, "3.4"]


class Row(NamedTuple):
    """One rule of the walk: the heading above it, the names of its functions and of its tests, with their files."""

    heading: str
    code: list[tuple[str, Path]]
    test: list[tuple[str, Path]]


def walk() -> Iterator[Row]:
    for part in WALK.split("\n## ")[1:]:
        for line in part.splitlines():
            if line.startswith("| ") and not line.startswith(("| Rule ", "| ---")):
                links = (re.findall(r"\[`?([^\]`]+)`?\]\(\.\./([^)]+)\)", cell) for cell in line.split(" | ")[1:])
                code, tests = ([(text, ROOT / place) for text, place in cell] for cell in links)
                yield Row(part.split("\n")[0], code, tests)


def names_in(body: Iterable[ast.stmt], prefix: str = "") -> Iterator[str]:
    """Yield the functions, classes, methods and constants that are declared here."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield prefix + node.name
        if isinstance(node, ast.ClassDef):
            yield from names_in(node.body, f"{node.name}.")
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        yield from (prefix + target.id for target in targets if isinstance(target, ast.Name))


def named_from(start: str, file: Path) -> list[str]:
    """Return the names that begin with these words, of which the walk gives the first alone where a name is long."""
    return [name for name in names_in(tree_of(file).body) if f"{name}_".startswith(f"{start}_")]


def test_the_walk_goes_through_the_sections_in_their_order_by_files_that_name_them() -> None:
    headings = [line for line in WALK.splitlines() if line.startswith("## 3")]
    assert [number for line in headings for number in re.findall(r"\b3(?:\.\d)+", line)] == SECTIONS
    for number in SECTIONS:
        rows = [row for row in walk() if number in row.heading.replace(",", "").split()]
        named = {one for row in rows for _, file in row.code for one in section_of(file).split(", ")}
        assert number in named, f"no file of its rows names {number}"


def test_every_row_of_the_walk_names_code_and_a_test_that_exist() -> None:
    wrong = []
    for row in walk():
        of_code = [(text.removeprefix(f"{file.stem}."), file) for text, file in row.code]
        of_tests = [(re.sub(r"\W+", "_", f"test {text}"), file) for text, file in row.test]
        assert of_code and of_tests, row
        wrong += [(name, file) for name, file in of_code if name not in names_in(tree_of(file).body)]
        wrong += [(start, file) for start, file in of_tests if len(named_from(start, file)) != 1]
    assert wrong == [], "docs/protocol.md names what is not in the file"


def test_every_file_of_the_protocol_and_every_task_with_its_screen_is_in_the_walk() -> None:
    met = {file for row in walk() for _, file in row.code}
    assert [name for name, file in RULES.items() if "pipeline.protocol" in name and file not in met] == []
    assert [task for task in PROTOCOL_TASKS if not (ROOT / f"frontend/src/tasks/{task.value}.tsx").exists()] == []


def test_the_drawing_needs_no_more_than_twelve_files_and_what_goes_beyond_the_paper_stands_apart() -> None:
    drawn = re.findall(r"\[\"(\d+) (\S+?\.py)", WALK)
    assert [int(number) for number, _ in drawn] == list(range(1, len(drawn) + 1)) and len(drawn) <= 12
    assert [place for _, place in drawn if not (ROOT / place).exists()] == []
    assert "belief" not in WALK.split("## Beyond the paper")[0]


def test_the_page_of_the_machine_is_written_from_the_tables() -> None:
    page = state_diagram.SECTION.page.read_text()
    assert page == state_diagram.page(), "run: .venv/bin/python -m tests.support.state_diagram"


def test_the_diagram_has_every_step_of_every_table() -> None:
    known = {(old, new): str(verdict) for table in TABLES.values() for (old, verdict), new in table.items()}
    known |= {(old, new): str(v) for (old, v), new in REVIEW_TRANSITIONS.items() if v is not ReviewStep.NEEDED}
    lines = state_diagram.diagram().splitlines()
    for (old, new), verdict in known.items():
        arrow = f"    {old.replace('-', '_')} --> {new.replace('-', '_')}: "
        assert [line for line in lines if line.startswith(arrow) and verdict in line], f"no arrow for {verdict}"


def test_every_state_is_explained_with_a_sentence() -> None:
    explained = list(state_diagram.explained())
    of_states = [(thing, str(state.value)) for thing, members in state_diagram.states().items() for state in members]
    assert [(thing, state) for thing, state, _ in explained] == of_states
    assert all(len(meaning.split()) > 3 and meaning.endswith(".") for _, _, meaning in explained)
