"""Suggest verification questions: closed questions on whose answer trusted workers agreed."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from pipeline.errors import PipelineError
from pipeline.gold_questions.known_questions import Purpose, Source, add_known, key_of
from pipeline.known.known_answer import is_right_answer
from pipeline.known.known_from_gold import GoldQuestion, NotSureError, check_phrases, settled_truth
from pipeline.known.question_mix import Candidate, answer_name, choose, kind_of, kinds_of
from pipeline.models import Assignment, Judgment, KnownQuestion, Progress, Question
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.answers import candidates_in
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, QuestionState, Task
from pipeline.settings.of_work import TrustSettings
from workers.models import TrustStatus
from workers.rules.trust import TrustModel
from workers.rules.trust_states import TrustState


class CannotPromoteError(PipelineError):
    """This question cannot become a verification question."""


def promote_question(
    *,
    question_id: int,
    truth: Any = None,
    purpose: KnownQuestion.Purpose = Purpose.VERIFICATION,
    explanation: str = "",
    actor: str = "",
    source: KnownQuestion.Source = Source.EXPERT,
) -> KnownQuestion:
    """Add a closed question to the stock, with what it showed, and return the new verification question.

    `truth`: the right answer as in `known_answer`; None: what the question was decided to be. Workers who answered the
    question are never asked it again. A suggestion (source "agreed") that was retired is asked again. Raises
    CannotPromoteError if the question is open, shows phrases that have changed since, has no certain answer or is in
    the stock already, and BadAnswerError if the truth does not fit.
    """
    question = Question.objects.select_related("image").get(id=question_id)
    if question.state != QuestionState.CLOSED.value:
        raise CannotPromoteError(
            "This question is still asked: only a closed question can become a verification question."
        )
    found = _is_known(question)
    if found is not None and found.retired_at and found.source == source == Source.AGREED:
        found.retired_at, found.added_by = None, actor
        found.save(update_fields=["retired_at", "added_by"])
        return found
    if found is not None:
        was = f"retired on {found.retired_at:%Y-%m-%d}" if found.retired_at else found.get_purpose_display()
        raise CannotPromoteError(f"This question is in the stock already ({was}).")
    known = GoldQuestion(Task(question.task), question.shown, _truth(question, truth))
    of: dict[str, Any] = {"project_id": question.project_id, "image_id": question.image_id}
    add_known(known=[known], source=source, added_by=actor, purpose=purpose, explanation=explanation, **of)
    made = _is_known(question)
    assert made is not None
    return made


def _truth(question: Question, truth: Any) -> Any:
    try:
        if truth is None:
            return truth_of(question)
        check_phrases(progress_of(question), question.shown)
    except NotSureError as error:
        raise CannotPromoteError(f"{error}") from error
    return truth


def _is_known(question: Question) -> KnownQuestion | None:
    key = key_of(question.image_id, question.shown)
    return KnownQuestion.objects.filter(project=question.project_id, task=question.task, key=key).first()


def truth_of(question: Question, progress: ImageProgress | None = None) -> Any:
    """Return what a closed question was decided to be. Raises NotSureError if that is not certain."""
    return settled_truth(progress or progress_of(question), Task(question.task), question.shown, question.outcome)


def progress_of(question: Question) -> ImageProgress:
    """Read the progress of the question's image."""
    return from_json(Progress.objects.get(image=question.image_id).state)


AGREE = 2
"""Trusted workers who must have answered the same, while nobody answered anything else."""
LOOK_AT = 5_000
AMONG = 10
"""The newest closed questions that are counted for each suggestion."""
IMAGES_PER_BATCH = 50
"""Images in memory."""
UNUSED = (Assignment.Acceptance.REFUSED, Assignment.Acceptance.WAITING)


class AgreedQuestion(NamedTuple):
    question: Question
    truth: Any
    agreed: int
    """Trusted workers who gave the right answer."""


def suggest_known(
    project_id: int, agree: Mapping[Task, int], most: int, *, look_at: int = LOOK_AT
) -> dict[Task, list[AgreedQuestion]]:
    """Return up to `most` closed questions of each task that enough trusted workers answered alike, nobody otherwise.

    `agree`: for each task, how many are enough. `look_at`: closed questions with so many judgments that are looked at,
    newest first. One statement for each task, and seven for all.

    Leaves out questions that are in the stock already, and balances the right answers together with the stock's.
    Stores nothing: the requester adds them (`promote_question` with source "agreed"). Tasks that one judgment decides
    have few questions with two.
    """
    stock: dict[str, list[KnownQuestion]] = defaultdict(list)
    rows = KnownQuestion.objects.filter(project_id=project_id, task__in=agree)
    for row in rows.only("task", "key", "truth", "image_id", "retired_at", "purpose"):
        stock[row.task].append(row)
    agreed = _agreed(project_id, agree, look_at)
    return {task: _chosen(task, agreed[task], stock[task.value], most) for task in agree}


def _chosen(task: Task, agreed: list[AgreedQuestion], known: list[KnownQuestion], most: int) -> list[AgreedQuestion]:
    """Choose among a task's questions without those of the stock, so that right answers stay mixed."""
    keys = {question.key for question in known}
    found: dict[int, AgreedQuestion] = {}
    candidates = []
    for suggestion in agreed:
        key = key_of(suggestion.question.image_id, suggestion.question.shown)
        if key in keys:
            continue
        keys.add(key)
        candidates.append(
            Candidate(GoldQuestion(task, suggestion.question.shown, suggestion.truth), suggestion.question.image_id)
        )
        found[id(candidates[-1].known)] = suggestion
    asked = [question for question in known if question.retired_at is None and question.purpose == Purpose.VERIFICATION]
    mix, images = (
        Counter(answer_name(task, question.truth) for question in asked),
        Counter(question.image_id for question in asked),
    )
    chosen: list[Candidate] = []
    for kind in kinds_of(task):
        some = [candidate for candidate in candidates if kind_of(task, candidate.known.truth) is kind]
        chosen += choose(kind, some, most=most - len(chosen), mix=mix, images=images)
    return [found[id(candidate.known)] for candidate in chosen]


def trusted_judgments(project_id: int, settings: TrustSettings, about: str) -> QuerySet[Judgment]:
    """Select the judgments of workers who are trusted on the task, or who were never measured.

    `about`: whether the judgments are of a "question" or of a "known" one, whose task it is. The verification model
    trusts batches, not workers: there, workers on probation count, except for batches that are not used.
    """
    batches = [task.value for task in PROTOCOL_TASKS if settings.trust[task.value] == TrustModel.VERIFICATION]
    own = TrustStatus.objects.filter(worker=OuterRef("worker"), project_id=project_id, task=OuterRef(f"{about}__task"))
    lost = own.exclude(state=TrustState.TRUSTED).exclude(state=TrustState.PROBATION, task__in=batches)
    return Judgment.objects.exclude(Exists(lost)).exclude(assignment__acceptance__in=UNUSED)


def _agreed(project_id: int, agree: Mapping[Task, int], look_at: int) -> dict[Task, list[AgreedQuestion]]:
    """Return each task's questions that trusted workers answered right, and nobody wrong; the newest first."""
    need = {
        question_id: agree[task] for task in agree for question_id in _closed(project_id, task, agree[task], look_at)
    }
    own = trusted_judgments(project_id, current_settings(project_id)[1], "question")
    trusted = Counter(own.filter(question__in=need).values_list("question_id", flat=True))
    ids = [question_id for question_id, least in need.items() if trusted[question_id] >= least]
    answers: dict[int, list[Any]] = defaultdict(list)
    for question_id, answer in (
        Judgment.objects.filter(question__in=ids).order_by("id").values_list("question_id", "answer")
    ):
        answers[question_id].append(answer)
    found: dict[Task, list[AgreedQuestion]] = {task: [] for task in agree}
    for question, truth in _settled(ids):
        task = Task(question.task)
        candidates = len(candidates_in(task, question.shown))
        if all(is_right_answer(task, truth, answer, candidates=candidates) for answer in answers[question.pk]):
            found[task].append(AgreedQuestion(question, truth, trusted[question.pk]))
    return {task: sorted(some, key=lambda one: -one.question.pk) for task, some in found.items()}


def _closed(project_id: int, task: Task, agree: int, look_at: int) -> list[int]:
    """Return the newest closed questions that have as many judgments."""
    rows = Question.objects.filter(project_id=project_id, task=task.value, state=QuestionState.CLOSED.value)
    rows = rows.order_by("-id")
    # Counting the judgments of all closed questions would take long in a large project. The newest are walked through
    # until enough are found.
    oldest = rows.values("id")[AMONG * look_at - 1 : AMONG * look_at]
    said = Judgment.objects.filter(question=OuterRef("pk")).order_by().values("question").annotate(said=Count("id"))
    rows = rows.filter(id__gte=Coalesce(Subquery(oldest), 0)).alias(said=Subquery(said.values("said")))
    return list(rows.filter(said__gte=agree).values_list("id", flat=True)[:look_at])


def _settled(ids: Collection[int]) -> Iterator[tuple[Question, Any]]:
    """Yield these questions, image by image, each with its right answer; without those whose answer is in doubt."""
    by_image: dict[int, list[Question]] = defaultdict(list)
    for question in Question.objects.filter(id__in=ids).select_related("image"):
        by_image[question.image_id].append(question)
    states = Progress.objects.filter(image__in=by_image).values_list("image_id", "state")
    for image, state in states.iterator(chunk_size=IMAGES_PER_BATCH):
        progress = from_json(state)
        for question in by_image[image]:
            try:
                yield question, truth_of(question, progress)
            except NotSureError:
                continue
