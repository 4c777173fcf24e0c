"""Writes docs/state_machine.md: the six tasks as one machine, from the tables by which chains move, and every state.

Run `python -m tests.support.state_diagram` to write it again.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from enum import Enum

import django

from annotation.rules.states import ChainState, ImageState
from pipeline.protocol.tasks.flow import REVIEW_TRANSITIONS, SETTLED, TABLES, TASK_OF_STATE, ReviewStep
from pipeline.protocol.tasks.task import QuestionState
from tests.support.declared import descriptions, section
from workers.rules.trust_states import TrustState

SECTION = section("state_machine.md", "machine and states", "state_diagram")
LEGEND = (
    "In a state with a task in brackets, a question of this task is open. Each arrow names the verdict of the task's "
    "rule. *Cycling* means that too many drawings in a row led to no accepted box.\n"
)


def steps() -> Iterator[tuple[ChainState, str, ChainState]]:
    """Yield every step of a chain: the state, the verdict in words, and the state that follows.

    Left out: the step to review that an expert can make from any state. Its arrows would hide the others.
    """
    for table in (*TABLES.values(), REVIEW_TRANSITIONS):
        for (state, verdict), following in table.items():
            if verdict is not ReviewStep.NEEDED:
                yield state, str(verdict), following


def diagram() -> str:
    """Return the machine in Mermaid's language; verdicts that lead to the same state share an arrow."""
    arrows: dict[tuple[ChainState, ChainState], list[str]] = defaultdict(list)
    for state, verdict, following in steps():
        arrows[state, following].append(verdict)
    lines = ["stateDiagram-v2", f"    [*] --> {_id(ChainState.LINKING)}"]
    lines += [f"    {_id(state)}: {_name(state)}" for state in ChainState]
    lines += [f"    {_id(old)} --> {_id(new)}: {' / '.join(verdicts)}" for (old, new), verdicts in arrows.items()]
    lines += [f"    {_id(state)} --> [*]" for state in ChainState if state in SETTLED]
    lines += ["    note right of review: from any state, as an expert may review any chain"]
    return "".join(f"{line}\n" for line in lines)


def _id(state: ChainState) -> str:
    return state.replace("-", "_")


def _name(state: ChainState) -> str:
    return f"{state} ({TASK_OF_STATE[state].label})" if state in TASK_OF_STATE else str(state)


def states() -> dict[str, type[Enum]]:
    """Return the states that the page explains, by what is in them."""
    from pipeline.models import Assignment

    return {
        "image": ImageState,
        "chain": ChainState,
        "question": QuestionState,
        "assignment": Assignment.State,
        "trust": TrustState,
    }


def explained() -> Iterator[tuple[str, str, str]]:
    """Yield every state with what is in it and the docstring of its member."""
    for thing, members in states().items():
        for name, text in descriptions(members):
            yield thing, str(members[name].value), text


def page() -> str:
    """Return the page with the diagram and the table of states."""
    rows = "".join(f"| {' | '.join(row)} |\n" for row in explained())
    table = f"## States\n\n| of | state | meaning |\n| --- | --- | --- |\n{rows}"
    return SECTION.filled(f"```mermaid\n{diagram()}```\n\n{LEGEND}\n{table}")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    SECTION.page.write_text(page())
