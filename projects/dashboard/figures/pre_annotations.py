"""Pre-annotations: boxes of programs that workers judged instead of drawing, by their outcome, and their chains."""

from collections import Counter, defaultdict
from typing import Any

from django.db.models import Count

from annotation.models import Box, Chain
from annotation.rules.states import BoxState, ChainState
from pipeline.models import Judgment
from projects.dashboard.pre_annotations_saved import SIZES, TASKS
from projects.predictions.scores import pre_annotations_by_program as by_program

ENDED = (ChainState.COMPLETE.value, ChainState.NON_VISUAL.value)
TRIED, DRAWN = "tried", "drawn"


def pre_annotations(project_id: int) -> dict[str, Any]:
    """Return the number of proposed boxes by state, of all programs together, and the answers that chains got."""
    total = sum(by_program(project_id).values(), Counter[str]())
    states = {state.value: total[state.value] for state in BoxState}
    return {**states, "chains": pre_annotated_chains(project_id)} if total else states


def pre_annotated_chains(project_id: int) -> dict[str, list[list[Any]]]:
    """Return [number of chains, answers by task] for each size, of chains that went through the box tasks.

    Under TRIED those for which a box was proposed, under DRAWN the others.
    """
    asked = {"question__project": project_id, "question__task__in": [task.value for task in TASKS]}
    rows = (
        Judgment.objects.filter(**asked).order_by().values_list("question__image", "question__chain", "question__task")
    )
    answers: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for image, chain, task, number in rows.annotate(Count("id")).iterator():
        answers[image, chain][task] += number
    boxes = Box.objects.filter(image__project=project_id).order_by()
    pre_annotated = set(boxes.filter(pre_annotated=True).values_list("image", "chain"))
    kept = boxes.filter(state=BoxState.ACCEPTED.value).values_list("image", "chain").annotate(Count("id"))
    sizes = {(image, chain): number for image, chain, number in kept.iterator()}
    found: dict[str, list[list[Any]]] = {kind: [[0, [0] * len(TASKS)] for _ in range(SIZES)] for kind in (TRIED, DRAWN)}
    ended = Chain.objects.filter(image__project=project_id, state__in=ENDED).order_by()
    for key in ended.values_list("image", "name").iterator():
        if key in answers:
            row = found[TRIED if key in pre_annotated else DRAWN][min(sizes.get(key, 0), SIZES - 1)]
            row[0] += 1
            row[1] = [sum_ + answers[key][task.value] for sum_, task in zip(row[1], TASKS, strict=True)]
    return found
