"""The page that draws the machine and explains every state, compared with the code."""

from collections.abc import Iterable

import pytest

from annotation.rules.states import ChainState, ImageState
from pipeline.models import Assignment
from pipeline.rules.tasks.flow import REVIEW_TRANSITIONS, TABLES, Review
from pipeline.rules.tasks.task import QuestionState
from tests.support import state_diagram
from workers.rules.trust_states import TrustState

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
