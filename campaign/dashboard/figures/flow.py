"""Moves of chains along the arrows of the machine, how questions ended, and what merging joined."""

from typing import Any

from django.db.models import Count, F

from annotation.models import Box, Chain, MergedBox
from annotation.rules.states import BoxState, ImageState
from pipeline.models import Question, Transition
from pipeline.rules.tasks import chain_verification
from pipeline.rules.tasks.task import QuestionState, Task


def flow(project_id: int) -> dict[str, Any]:
    """Return the moves by states, the outcomes of questions by task, and counts before and after merging."""
    moves = Transition.objects.filter(project=project_id, machine="chain").exclude(old="").exclude(old=F("new"))
    arrows = moves.order_by().values_list("old", "new").annotate(Count("id"))
    closed = Question.objects.filter(project_id=project_id, state=QuestionState.CLOSED.value)
    outcomes = closed.order_by().values_list("task", "outcome").annotate(Count("id"))
    verified = {outcome: number for task, outcome, number in outcomes if task == Task.CHAIN_VERIFICATION.value}
    return {
        "arrows": [[old, new, number] for old, new, number in arrows],
        "kept": verified.get(chain_verification.Answer.TRUE.value, 0),
        "broken": verified.get(chain_verification.Answer.FALSE.value, 0),
        **_merging(project_id),
    }


def _merging(project_id: int) -> dict[str, int]:
    merged = {"image__project": project_id, "image__state": ImageState.MERGED.value}
    chains = Chain.objects.filter(**merged)
    return {
        "chains": chains.count(),
        "chains_joined": chains.filter(merged_into__isnull=False).count(),
        "boxes": Box.objects.filter(**merged, state=BoxState.ACCEPTED.value).count(),
        "boxes_left": MergedBox.objects.filter(image__project=project_id).count(),
    }
