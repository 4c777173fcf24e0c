"""Proposals of programs: boxes that workers judged instead of drawing them, by what came of them, and their chains."""

from collections import Counter
from typing import Any

from annotation.rules.states import BoxState
from campaign.predictions.proposed_chains import proposed_chains
from campaign.predictions.scores import proposals as by_program


def proposals(project_id: int) -> dict[str, Any]:
    """Return the number of proposed boxes by state, of all programs together, and the answers that chains got."""
    total = sum(by_program(project_id).values(), Counter[str]())
    states = {state.value: total[state.value] for state in BoxState}
    return {**states, "chains": proposed_chains(project_id)} if total else states
