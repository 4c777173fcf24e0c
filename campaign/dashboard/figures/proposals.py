"""Proposals of programs: how many boxes workers judged instead of drawing them, by what came of them."""

from collections import Counter
from typing import Any

from annotation.rules.states import BoxState
from campaign.predictions.scores import proposals as by_program


def proposals(project_id: int) -> dict[str, Any]:
    """Return the number of proposed boxes by state, of all programs together."""
    total = sum(by_program(project_id).values(), Counter[str]())
    return {state.value: total[state.value] for state in BoxState}
