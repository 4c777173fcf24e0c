"""Suggest verification questions: closed questions on whose answer trusted workers agreed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet

from pipeline.models import Assignment, Judgment, KnownQuestion, Progress, Question
from pipeline.rules.image.progress_json import from_json
from pipeline.rules.known.known_answer import is_right
from pipeline.rules.known.known_from_finished import NotSureError
from pipeline.rules.known.known_from_gold import Known
from pipeline.rules.known.stock_mix import Candidate, answer_of, choose
from pipeline.rules.tasks.task import QuestionState, Task
from pipeline.settings_versions import current_settings
from pipeline.stock.known_questions import Purpose, key_of
from pipeline.stock.promote_question import truth_of
from workers.models import TrustStatus
from workers.rules.trust import TrustModel
from workers.rules.trust_states import TrustState

AGREE = 2
"""Trusted workers who must have answered the same, while nobody answered anything else."""
LOOK_AT = 5_000
AMONG = 10
"""For each of these so many of the newest closed questions are counted."""
AT_ONCE = 200
"""Questions in memory."""
UNUSED = (Assignment.Acceptance.REFUSED, Assignment.Acceptance.WAITING)


class Suggestion(NamedTuple):
    question: Question
    truth: Any
    agreed: int
    """Trusted workers who gave the right answer."""


def suggest_known(
    project_id: int, task: Task, most: int, *, agree: int = AGREE, look_at: int = LOOK_AT
) -> list[Suggestion]:
    """Return up to `most` closed questions that `agree` or more trusted workers answered alike, and nobody otherwise.

    Leaves out questions that are in the stock already, and balances the right answers together with the stock's.
    Stores nothing: the requester adds them (`promote_question` with source "agreed"). Tasks that one judgment decides
    have few questions with two. `look_at`: closed questions with enough judgments that are looked at, newest first.
    """
    rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value)
    keys = set(rows.values_list("key", flat=True))
    asked = rows.filter(retired_at=None, purpose=Purpose.VERIFICATION)
    pairs = list(asked.values_list("truth", "image_id"))
    found: dict[int, Suggestion] = {}
    candidates = []
    for one in _agreed(project_id, task, agree, look_at):
        key = key_of(one.question.image_id, one.question.shown)
        if key in keys:
            continue
        keys.add(key)
        candidates.append(Candidate(Known(task, one.question.shown, one.truth), one.question.image_id))
        found[id(candidates[-1].known)] = one
    mix, images = Counter(answer_of(task, truth) for truth, _ in pairs), Counter(image for _, image in pairs)
    return [found[id(one.known)] for one in choose(task, candidates, most=most, mix=mix, images=images)]


def trusted_judgments(project_id: int, task: Task) -> QuerySet[Judgment]:
    """Select the judgments of workers who are trusted on the task, or who were never measured.

    The verification model trusts batches, not workers: there, workers on probation count, except for batches that
    are not used.
    """
    trusted = [TrustState.TRUSTED]
    if current_settings(project_id)[1].trust[task.value] == TrustModel.VERIFICATION:
        trusted.append(TrustState.PROBATION)
    own = TrustStatus.objects.filter(worker=OuterRef("worker"), project_id=project_id, task=task.value)
    return Judgment.objects.exclude(Exists(own.exclude(state__in=trusted))).exclude(assignment__acceptance__in=UNUSED)


def _agreed(project_id: int, task: Task, agree: int, look_at: int) -> Iterator[Suggestion]:
    rows = Question.objects.filter(project_id=project_id, task=task.value, state=QuestionState.CLOSED.value)
    # Counting the judgments of all closed questions would take long in a large project.
    rows = rows.filter(id__in=rows.order_by("-id").values("id")[: AMONG * look_at])
    rows = rows.annotate(said=Count("judgments")).filter(said__gte=agree).select_related("image").order_by("-id")
    ids = list(rows.values_list("id", flat=True)[:look_at])
    for first in range(0, len(ids), AT_ONCE):
        some = list(rows.filter(id__in=ids[first : first + AT_ONCE]).prefetch_related("judgments"))
        yield from _agreed_of(project_id, task, some, agree)


def _agreed_of(project_id: int, task: Task, questions: Sequence[Question], agree: int) -> Iterator[Suggestion]:
    images = Progress.objects.filter(image__in={question.image_id for question in questions})
    progress = {image: from_json(state) for image, state in images.values_list("image_id", "state")}
    own = trusted_judgments(project_id, task).filter(question__in=questions)
    agreed = Counter(own.values_list("question_id", flat=True))
    for question in questions:
        try:
            truth = truth_of(question, progress[question.image_id])
        except NotSureError:
            continue
        alike = all(is_right(task, truth, judgment.answer) for judgment in question.judgments.all())
        if alike and agreed[question.id] >= agree:
            yield Suggestion(question, truth, agreed[question.id])
