"""Disagreement: judgments that are not the outcome of their question."""

from functools import reduce
from itertools import permutations
from operator import or_
from typing import Any

from django.db.models import Q

from pipeline.protocol.tasks.answers import CHOICES
from pipeline.protocol.tasks.box_requirement import RequirementAnswer, RequirementVerdict
from pipeline.protocol.tasks.coreference_link import PARTS
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer as Link
from pipeline.protocol.tasks.survey import CaptionVerdict
from pipeline.protocol.tasks.task import QuestionState, Task


def disagrees() -> Q:
    """Return what is true of judgments that are not the outcome of their closed question.

    Drawn boxes and sweeps have no such outcome.
    """
    choices = (task for task in CHOICES if task is not Task.BOX_REQUIREMENT)
    pairs = [(task, end, answer) for task in choices for end in CHOICES[task] for answer in CHOICES[task]]
    wrong: list[tuple[Task, Any, Any]] = [(task, end, answer) for task, end, answer in pairs if end != answer]
    wrong += [
        (Task.BOX_REQUIREMENT, RequirementVerdict.BOX.value, answer.value)
        for answer in RequirementAnswer
        if answer is not RequirementAnswer.BOX
    ]
    wrong += [(Task.BOX_REQUIREMENT, RequirementVerdict.NO_BOX.value, RequirementAnswer.BOX.value)]
    for part in sorted(PARTS):  # for chains it says "different"
        wrong += [(Task.COREFERENCE_LINK, Link.SAME.value, part), (Task.COREFERENCE_LINK, part, Link.SAME.value)]
    found = [Q(question__task=task.value, question__outcome=end, answer=answer) for task, end, answer in wrong]
    check = {"question__task": Task.CAPTION_CHECK.value}
    for end, other in permutations(verdict.value for verdict in CaptionVerdict):
        found.append(Q(**check, question__outcome=end, answer__verdict=other))
    return Q(question__state=QuestionState.CLOSED.value) & reduce(or_, found)
