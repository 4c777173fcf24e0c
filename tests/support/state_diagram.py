"""Draws the six tasks as one machine into docs/state_machine.md, from the tables by which chains move.

Run `python -m tests.support.state_diagram` to draw it again.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from annotation.rules.states import ChainState
from pipeline.protocol.tasks.flow import REVIEW_TRANSITIONS, SETTLED, TABLES, TASK_OF_STATE, ReviewStep

PAGE = Path(__file__).resolve().parents[2] / "docs/state_machine.md"
BEGIN, END = "<!-- drawn by tests.support.state_diagram -->\n", "<!-- end of the drawing -->\n"


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


def with_diagram(page: str) -> str:
    """Return the page with the diagram between its two marks."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}```mermaid\n{diagram()}```\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(with_diagram(PAGE.read_text()))
