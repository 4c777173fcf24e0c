"""The rules, their tests, and the page that leads from the paper to both."""

from pathlib import Path

import pytest

from tests.support import paper_map

SECTIONS = ("3.1", "3.1.1", "3.1.2", "3.2.1", "3.2.2", "3.2.3", "3.2.4", "3.3.1", "3.3.2", "3.4")
RULES = {paper_map.module_of(file) for file in paper_map.rule_files()}
TASKS = ("coreference_link", "chain_verification", "box_requirement", "box_drawing", "box_quality", "box_coverage")


def name_of(file: Path) -> str:
    return file.relative_to(paper_map.ROOT).as_posix()


def test_rules_are_found_at_any_depth() -> None:
    found = {name_of(file) for file in paper_map.rule_files()}
    deep = {"workers/rules/signals/signal.py", "pipeline/rules/linking/adaptive/posterior.py"}
    assert found >= {"annotation/rules/box.py", "pipeline/rules/tasks/box_quality.py", *deep}
    assert {"tests/workers/rules/signals/test_signal.py"} <= {name_of(file) for file in paper_map.rule_tests()}


def test_every_rule_names_its_section_first() -> None:
    nameless = [name_of(file) for file in paper_map.rule_files() if not paper_map.entry_of(file)]
    assert nameless == [], "begin the docstring with 'Name [paper SECTION]: one sentence.'"


def test_every_rule_has_a_test_of_its_name_that_imports_it() -> None:
    tests = {file: paper_map.Entry("", file, False).test for file in paper_map.rule_files()}
    assert [name_of(test) for test in tests.values() if not test.exists()] == [], "to be written"
    of_others = [
        name_of(test) for file, test in tests.items() if paper_map.module_of(file) not in paper_map.imported(test)
    ]
    assert of_others == []


def test_every_test_in_a_rules_folder_tests_a_rule() -> None:
    elsewhere = [name_of(test) for test in paper_map.rule_tests() if not RULES & paper_map.imported(test)]
    assert elsewhere == [], "a test of something else than rules belongs elsewhere"


@pytest.mark.slow
def test_every_section_of_the_protocol_has_a_file() -> None:
    named = {part.strip() for one in paper_map.entries() if not one.is_beyond for part in one.section.split(",")}
    assert named >= set(SECTIONS)


def test_every_task_leads_to_its_rule_its_test_and_its_screen() -> None:
    lines = paper_map.page().splitlines()
    for task in TASKS:
        (row,) = [line for line in lines if f"/tasks/{task}.py`" in line]
        cells = [f"`pipeline/rules/tasks/{task}.py`", f"`tests/pipeline/rules/tasks/test_{task}.py`"]
        assert row.split(" | ")[1:] == [*cells, f"`frontend/src/screens/{task}.tsx` |"]


def test_what_goes_beyond_the_paper_stands_apart() -> None:
    paper, beyond = paper_map.page().split("## Beyond the paper")
    assert "`pipeline/rules/linking/consensus.py`" in paper
    assert "`pipeline/rules/linking/adaptive/posterior.py`" in beyond
    assert "adaptive/" not in paper


def test_the_page_says_what_the_files_say() -> None:
    assert paper_map.PAGE.read_text() == paper_map.page(), "run: .venv/bin/python -m tests.support.paper_map"
