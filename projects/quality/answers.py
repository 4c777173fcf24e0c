"""Questions and answers in words and rows: as pages name them, and as estimates and detectors of bad work take them."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import reduce
from itertools import permutations
from operator import or_
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from annotation.models import Caption
from pipeline.models import Assignment, Judgment, KnownQuestion, Question
from pipeline.protocol.tasks.answers import CHOICES, candidates_in
from pipeline.protocol.tasks.box_requirement import RequirementAnswer, RequirementVerdict
from pipeline.protocol.tasks.coreference_link import PARTS, in_chains
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer as Link
from pipeline.protocol.tasks.survey import CaptionVerdict, caption_verdict
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.settings.table_3 import work_of
from workers.models import Worker
from workers.rules.signals.copied_boxes import BoxInImage

NEWEST = 50_000
"""The number of judgments of a task that are read, newest first: time and memory stay bounded, and workers change."""
BOX, NONE_MISSING = "a box", "none missing"
REQUIREMENT = {1: "a box can be drawn", 2: "a scene or place", 3: "no box can be drawn"}
PLACES = (
    *("id", "worker", "question", "known", "answer", "known__truth", "right", "seconds"),
    *("worker__kind", "assignment", "assignment__created_at", "created_at"),
)


class AnswerOfTask(NamedTuple):
    """One judgment."""

    id: int
    worker: int
    item: int
    """The question's id, or minus the id of a verification question."""
    word: str
    """The answer in words; for a drawn box only that it is a box, and for a part of a link "different"."""
    known: str | None
    """The right answer, in words, to a verification question."""
    right: bool | None
    """Whether a verification question was answered right."""
    seconds: float | None
    simulated: bool
    """Whether a simulated worker answered, for whom the service's clock stands still."""
    assignment: int
    began: datetime
    """The time when the assignment was given out."""
    ended: datetime
    work: float = 1.0
    """In questions of the task, as in `work_of`: a sweep takes longer than a pair."""


def answered(project_id: int, task: Task, *, programs: bool = True, newest: int = NEWEST) -> Iterator[AnswerOfTask]:
    """Yield the newest judgments of the task, latest first, without those of qualification tests.

    Voided judgments are included: they too show how the worker answers. Without `programs`, only people's answers.
    """
    shapes = ("question__shown", "known__shown") if task is Task.COREFERENCE_LINK else ()
    rows = _judgments(project_id, task, programs=programs).values_list(*PLACES, *shapes)
    for id, worker, question, known, answer, truth, right, seconds, kind, *more in rows[:newest].iterator():
        item, truth = (question, None) if known is None else (-known, word(truth))
        (assignment, began, ended), shown = more[:3], [view for view in more[3:] if view]
        yield AnswerOfTask(
            *(id, worker, item, word(in_chains(answer)), truth, right, seconds, kind == Worker.Kind.VIRTUAL),
            *(assignment, began, ended, float(work_of(task, shown)) or 1.0),
        )


def drawn(project_id: int, *, newest: int = NEWEST) -> Iterator[tuple[int, BoxInImage]]:
    """Yield the boxes among the newest drawing judgments of people, each with its item (see `AnswerOfTask`)."""
    rows = _judgments(project_id, Task.BOX_DRAWING, programs=False)
    of_image = {name: Coalesce(f"question__image{path}", f"known__image{path}") for name, path in IMAGE.items()}
    places = rows.values_list("id", "worker", "question", "known", "answer", *of_image.values())
    for id, worker, question, known, answer, image, width, height in places[:newest].iterator():
        if "box" in answer:
            item = question if known is None else -known
            yield item, BoxInImage(id, worker, image, tuple(answer["box"]), (width, height))


IMAGE = {"image": "", "width": "__width", "height": "__height"}


def answer_words(task: Task) -> list[str]:
    """Return the possible answers to a question of the task, in words. Not for box drawing."""
    if task is Task.CAPTION_CHECK:
        return [verdict.value for verdict in CaptionVerdict]
    return [word(truth) for truth in CHOICES[task]]


def word(answer: Any) -> str:
    """Put an answer, or the truth of a verification question, into words; of a caption check, its verdict.

    Of a sweep, the numbers of the mentions.
    """
    if isinstance(answer, dict) and "verdict" in answer:
        return caption_verdict(answer).value
    if isinstance(answer, dict) and "same" in answer:
        return f"the same: {', '.join(map(str, answer['same']))}" if answer["same"] else "none the same"
    if isinstance(answer, dict):
        return BOX if "box" in answer else NONE_MISSING
    if isinstance(answer, list):
        return BOX if answer else NONE_MISSING
    return REQUIREMENT.get(answer, str(answer))


def _judgments(project_id: int, task: Task, *, programs: bool) -> QuerySet[Judgment]:
    place = {"project": project_id, "task": task.value, "kind": Assignment.Kind.WORK}
    rows = Judgment.objects.filter(**{f"assignment__{name}": value for name, value in place.items()})
    return (rows if programs else rows.exclude(worker__kind=Worker.Kind.PROGRAM)).order_by("-id")


Asked = Question | KnownQuestion
Said = dict[tuple[int, int], list[str]]
"""The words of captions, by image id and number."""
NONE_OF_THEM = "none of them"
"""The answer to a sweep in which nothing means the same."""


def captions_of(questions: Iterable[Asked]) -> Said:
    """Return the captions of these questions' images, in one statement."""
    images = {question.image_id for question in questions}
    rows = Caption.objects.filter(image_id__in=images).order_by()
    return {(image, number): words for image, number, words in rows.values_list("image_id", "number", "words")}


def phrases_of(question: Asked, captions: Said | None = None) -> list[str]:
    """Return the phrases that the question shows, in its order; of a survey, its caption or atom.

    `captions`: from `captions_of`, for many questions.
    """
    if "survey" in question.shown:
        asked = question.shown["survey"]
        return [asked["caption"] if "caption" in asked else asked["atom"]]
    captions = captions_of([question]) if captions is None else captions
    found = []
    for _, caption, start, end in question.shown.get("mentions", []):
        words = captions.get((question.image_id, caption), [])[start:end]
        found += [" ".join(words)] if words else []
    return found


def answer_to(question: Asked, answer: Any, captions: Said | None = None) -> str:
    """Return an answer to the question in words; to a sweep, the phrases that mean the same."""
    candidates = candidates_in(Task(question.task), question.shown)
    if not candidates:
        return word(answer)
    phrases = zip(candidates, phrases_of(question, captions)[1:], strict=True)
    same = ", ".join(f"“{phrase}”" for number, phrase in phrases if number in answer["same"])
    return f"the same: {same}" if same else NONE_OF_THEM


def words_of_question(question: Asked, captions: Said | None = None) -> str:
    """Return the question in words: `coreference link: “a man”, “the man”, in 1000092795`."""
    phrases = ", ".join(f"“{phrase}”" for phrase in phrases_of(question, captions))
    task = Task(question.task).label
    return f"{task}: {phrases}, in {question.image.name}" if phrases else f"{task}, in {question.image.name}"


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
