"""The rules, their tests, and the page that leads from the paper to both.
The page that draws the machine and explains every state, compared with the code.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest

from annotation.rules.states import ChainState, ImageState
from pipeline.models import Assignment
from pipeline.protocol.tasks.flow import REVIEW_TRANSITIONS, TABLES, Review
from pipeline.protocol.tasks.task import QuestionState
from tests.support import paper_map, state_diagram
from tests.support.places import ROOT, is_plain
from workers.rules.trust_states import TrustState

SECTIONS = ("3.1", "3.1.1", "3.1.2", "3.2.1", "3.2.2", "3.2.3", "3.2.4", "3.3.1", "3.3.2", "3.4")
RULES = {paper_map.module_of(file) for file in paper_map.rule_files()}
TASKS = ("coreference_link", "chain_verification", "box_requirement", "box_drawing", "box_quality", "box_coverage")


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def test_rules_are_found_at_any_depth() -> None:
    found = {name_of(file) for file in paper_map.rule_files()}
    deep = {"workers/rules/signals/signal.py", "belief/links/partitions.py"}
    assert found >= {"annotation/rules/box.py", "pipeline/protocol/tasks/box_quality.py", *deep}
    assert {"tests/workers/rules/test_signals.py"} <= {name_of(file) for file in paper_map.rule_tests()}


def test_every_rule_names_its_section_first() -> None:
    nameless = [name_of(file) for file in paper_map.rule_files() if not paper_map.entry_of(file)]
    assert nameless == [], "begin the docstring with 'Name [paper SECTION]: one sentence.'"


def test_every_rule_has_a_test_in_a_rules_folder_that_imports_it() -> None:
    tests = {file: paper_map.Entry("", file, False).test for file in paper_map.rule_files()}
    untested = [name_of(file) for file, test in tests.items() if test is None or not is_plain(test)]
    assert untested == [], "to be written"


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
        file, of_file, screen = row.split(" | ")[1:]
        assert (file, screen) == (f"`pipeline/protocol/tasks/{task}.py`", f"`frontend/src/screens/{task}.tsx` |")
        assert of_file.startswith("`tests/pipeline/protocol/test_")


def test_what_goes_beyond_the_paper_stands_apart() -> None:
    paper, beyond = paper_map.page().split("## Beyond the paper")
    assert "`pipeline/protocol/links/consensus.py`" in paper
    assert "`belief/links/partitions.py`" in beyond
    assert "belief/" not in paper


def test_the_page_says_what_the_files_say() -> None:
    assert paper_map.PAGE.read_text() == paper_map.page(), "run: .venv/bin/python -m tests.support.paper_map"


STATES: dict[str, Iterable[str]] = {
    "image": ImageState,
    "chain": ChainState,
    "question": QuestionState,
    "assignment": Assignment.State.values,
    "trust": TrustState,
}


def rows() -> list[list[str]]:
    """The rows of the table of states: of what, the state, and its meaning."""
    lines = state_diagram.PAGE.read_text().split("## States")[1].splitlines()
    return [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][2:]


def test_the_diagram_is_drawn_from_the_tables() -> None:
    page = state_diagram.PAGE.read_text()
    assert page == state_diagram.with_diagram(page), "run: .venv/bin/python -m tests.support.state_diagram"


def test_the_diagram_has_every_step_of_every_table() -> None:
    known = {(old, new): str(verdict) for table in TABLES.values() for (old, verdict), new in table.items()}
    known |= {(old, new): str(v) for (old, v), new in REVIEW_TRANSITIONS.items() if v is not Review.NEEDED}
    lines = state_diagram.diagram().splitlines()
    for (old, new), verdict in known.items():
        arrow = f"    {old.replace('-', '_')} --> {new.replace('-', '_')}: "
        assert [line for line in lines if line.startswith(arrow) and verdict in line], f"no arrow for {verdict}"


@pytest.mark.parametrize("thing", STATES)
def test_every_state_is_explained_once_with_a_sentence(thing: str) -> None:
    found = [(state, meaning) for of, state, meaning in rows() if of == thing]
    assert sorted(state for state, _ in found) == sorted(map(str, STATES[thing]))
    assert all(len(meaning.split()) > 3 and meaning.endswith(".") for _, meaning in found)


def test_the_table_explains_nothing_else() -> None:
    assert {of for of, _, _ in rows()} == set(STATES)
