"""The page that leads from the paper to the code, compared with the code."""

from pathlib import Path

import pytest

from tests.support import paper_map

SECTIONS = ("3.1", "3.1.1", "3.1.2", "3.2.1", "3.2.2", "3.2.3", "3.2.4", "3.3.1", "3.3.2", "3.4")


@pytest.mark.parametrize("file", paper_map.rule_files(), ids=lambda file: f"{file.parent.parent.name}/{file.stem}")
def test_every_rule_names_its_section_first(file: Path) -> None:
    assert paper_map.section_of(file), f"{file}: begin the docstring with 'Name [paper SECTION]: one sentence.'"


def test_every_rule_has_a_test_that_imports_it() -> None:
    untested = [entry.file for entry in paper_map.entries() if "/rules/" in entry.file and not entry.tests]
    assert untested == []


def test_every_test_in_a_rules_folder_tests_a_rule() -> None:
    tested = {test for entry in paper_map.entries() for test in entry.tests}
    tests = {
        file.relative_to(paper_map.ROOT).as_posix() for file in (paper_map.ROOT / "tests").glob("*/rules/test_*.py")
    }
    assert tests - tested == set()


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_of_the_protocol_has_a_file(section: str) -> None:
    named = {part.strip() for entry in paper_map.entries() for part in entry.section.split(",")}
    assert section in named


def test_the_page_says_what_the_files_say() -> None:
    assert paper_map.PAGE.read_text() == paper_map.page(), "run: .venv/bin/python -m tests.support.paper_map"
