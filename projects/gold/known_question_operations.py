"""Operations on the stock of known questions: fill it, report on it, add an answered question, retire one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import ceil
from random import Random
from typing import Annotated, Any

from annotated_types import Ge, Le, MaxLen
from django.db import transaction
from django.db.models import QuerySet
from pydantic import Field, RootModel

from annotation.models import Gold, Image, Project
from annotation.rules.box import Box
from annotation.rules.states import ProjectState
from pipeline.errors import BadAnswerError
from pipeline.gold_questions.fill_from_gold import ImageQuestions, Makers, examples_needed, fill_from_gold
from pipeline.gold_questions.known_forecast import TaskReport, known_reports, warnings
from pipeline.gold_questions.known_questions import MAX_EXPLANATION_LENGTH, Purpose, Source, retire_known
from pipeline.gold_questions.suggest_known import AGREE, CannotPromoteError, suggest_known
from pipeline.gold_questions.suggest_known import promote_question as add_finished_question
from pipeline.known.gold_annotation import least_questions, recommended_questions
from pipeline.known.known_answer import is_sweep
from pipeline.known.question_mix import answer_name
from pipeline.models import KnownQuestion, Question
from pipeline.project.queries import NotAskedError, chosen_tasks, tasks_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.answers import CHOICES, candidates_in
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from projects.lifecycle.change_state import counts_of
from projects.models import GoldAnnotation, GoldImage
from projects.operation import (
    Acknowledgement,
    AsOption,
    Caller,
    Choice,
    Input,
    NoInput,
    Output,
    Refused,
    find_row,
    operation,
)
from projects.people.operations import TaskName
from projects.quality.answers import Asked, Said, answer_to
from workers.models import Worker

MOST_IMPORTED = 200
"""Images with imported gold that are looked at: many more than are needed, in a second or two."""
TURNS = 5
"""Portions in which tests and verification questions are chosen by turns."""
Chains = list[dict[str, Any]]


@transaction.atomic
def make_questions(project: Project, changed: Mapping[int, tuple[Chains, Chains]] | None = None) -> dict[Task, int]:
    """Fill the stock from all annotated images. Returns how many verification questions each task has gained.

    In a draft nobody was asked anything, so the questions of these images are chosen anew each time: their mix is then
    as good as if all had been annotated at once. Later questions are only added; those that `changed` gold no longer
    answers are retired. `changed`: chains before and after, by image id.
    """
    project = Project.objects.select_for_update().get(pk=project.pk)
    before = _counts(project)
    makers = _makers(project)
    if project.state == ProjectState.DRAFT.value:
        of_gold = KnownQuestion.objects.filter(project=project, source=Source.GOLD, image__in=makers, retired_at=None)
        of_gold.filter(judgments=None).delete()
    else:
        for image, (old, new) in (changed or {}).items():
            _retire_changed(image, old, new)
    _fill(project, makers)
    return _gained(project, before)


@transaction.atomic
def make_questions_of_import(project: Project) -> dict[Task, int]:
    """Fill the stock from images that were imported with their right answers, at most `MOST_IMPORTED` of them.

    Returns how many verification questions each task has gained.
    """
    project = Project.objects.select_for_update().get(pk=project.pk)
    before = _counts(project)
    ids = list(imported_gold(project).order_by("image__position").values_list("image_id", flat=True))
    chosen = Random(project.pk).sample(ids, min(MOST_IMPORTED, len(ids)))
    _fill(project, {image: Makers() for image in chosen})
    return _gained(project, before)


def imported_gold(project: Project) -> QuerySet[Gold]:
    """Select the gold that came with the data."""
    return Gold.objects.filter(image__project=project, image__gold_image=None)


def _fill(project: Project, makers: Mapping[int, Makers]) -> None:
    kept: dict[int, ImageQuestions] = {}
    for purpose, most in rounds(current_settings(project.pk)[1]) if makers else ():
        fill_from_gold(project=project, most=most, purpose=purpose, makers=makers, cache=kept)


def _gained(project: Project, before: Counter[str]) -> dict[Task, int]:
    after = _counts(project)
    return {task: after[task.value] - before[task.value] for task in PROTOCOL_TASKS}


def rounds(settings: Settings) -> list[tuple[KnownQuestion.Purpose, dict[Task, int]]]:
    """Return the purposes in the order in which they get questions, and how many of each task.

    What a project cannot open to newcomers without comes first, verification questions and tests by turns: while there
    are few images, one of them would otherwise take all.
    """
    both = {Purpose.VERIFICATION: least_questions(settings), Purpose.TEST: settings.test_questions}
    turns = [
        (purpose, dict.fromkeys(PROTOCOL_TASKS, ceil(most * turn / TURNS)))
        for turn in range(1, TURNS + 1)
        for purpose, most in both.items()
    ]
    return [
        (Purpose.EXAMPLE, {task: examples_needed(settings)[task] for task in PROTOCOL_TASKS}),
        *turns,
        (Purpose.TEST, dict.fromkeys(PROTOCOL_TASKS, settings.tests * settings.test_questions)),
        (Purpose.VERIFICATION, dict.fromkeys(PROTOCOL_TASKS, recommended_questions(settings))),
    ]


def _counts(project: Project) -> Counter[str]:
    rows = KnownQuestion.objects.filter(project=project, purpose=Purpose.VERIFICATION, retired_at=None)
    return Counter(rows.values_list("task", flat=True))


def _makers(project: Project) -> dict[int, Makers]:
    """Return who annotated each image that has gold by now. They know the answers, so they are never asked."""
    images = GoldImage.objects.filter(image__project=project, image__gold__isnull=False)
    found: dict[int, list[GoldAnnotation]] = {image: [] for image in images.values_list("image_id", flat=True)}
    for object_ in GoldAnnotation.objects.filter(gold_image__in=found, finished_at__isnull=False).order_by("id"):
        found[object_.gold_image_id].append(object_)
    users = {annotation.user_id for some in found.values() for annotation in some if annotation.user_id}
    workers = dict(Worker.objects.filter(user__in=users).values_list("user_id", "id"))
    return {image: Makers(_names(some), _workers(some, workers)) for image, some in found.items()}


def _names(some: Iterable[GoldAnnotation]) -> str:
    return ", ".join(dict.fromkeys(annotation.name for annotation in some))


def _workers(some: Iterable[GoldAnnotation], workers: Mapping[int, int]) -> list[int]:
    return sorted(
        {
            workers[annotation.user_id]
            for annotation in some
            if annotation.user_id is not None and annotation.user_id in workers
        }
    )


def _retire_changed(image_id: int, old: Chains, new: Chains) -> None:
    """Retire the image's questions from gold that show a phrase whose chain is another one now."""
    same = [chain["mentions"] for chain in new if _bare(chain) in [_bare(chain) for chain in old]]
    certain = {number for mentions in same for number in mentions}
    for row in KnownQuestion.objects.filter(image=image_id, source=Source.GOLD, retired_at=None):
        if not {place[0] for place in row.shown["mentions"]} <= certain:
            retire_known(row.pk)


def _bare(chain: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in chain.items() if key != "name"}


MAX_QUESTIONS = 1_000_000
"""Questions that one call may ask for."""
LOOKED_AT = 40
"""Closed questions that are looked at for each suggestion."""
DECIDED_BY_ONE = frozenset({Task.CHAIN_VERIFICATION, Task.BOX_DRAWING, Task.BOX_QUALITY})
"""Tasks in which one answer decides: there, one trusted worker and the finished chain are enough for a suggestion."""
NONE = "none"
"""The right answer to a drawing that misses nothing, and to a sweep without a candidate that means the same."""
Questions = Annotated[int, Ge(0), Le(MAX_QUESTIONS)]
SomeTasks = Annotated[list[TaskName], AsOption()]


class NewKnownQuestions(Input):
    from_gold: Annotated[int, Ge(1), Le(MAX_QUESTIONS)] | None = None
    """Verification questions that each task then has, of its gold, and tests and examples with them."""
    tests: Questions | None = None
    """Test questions that each task then has; with from_gold usually enough for every try."""
    examples: Questions | None = None
    """Examples that each task then has; with from_gold usually one of each answer."""
    tasks: SomeTasks = Field(default_factory=list)
    """Empty: all tasks of the project."""
    seed: int = 0
    """Of the draw of images."""


class SuggestedQuestions(Input):
    most: Annotated[int, Ge(1), Le(1000)] = 20
    """Of each task. The task with the smallest stock comes first."""


class KnownQuestionsOfTask(Output):
    task: TaskName
    verification: int
    tests: int
    examples: int
    mix: str
    """The share of each right answer among verification questions."""
    one_button: str
    """The best score of a worker who always gives one answer."""
    share_right: str
    """Right answers by trusted workers."""
    new_worker: str
    """Assignments that a new worker can have."""
    at_work: str
    """Assignments until the first worker has seen all."""
    suspects: list[str]
    """Questions that most trusted workers answer otherwise."""


class KnownQuestionsOfProject(Output):
    added: dict[str, int]
    """Questions that were added, by purpose."""
    tasks: list[KnownQuestionsOfTask]
    warnings: list[str]


class SuggestedQuestion(Output):
    question: int
    """Its id, by which it is promoted."""
    task: TaskName
    image: str
    answer: str
    agreed: int
    """Trusted workers who gave this answer, while nobody gave another."""


class SuggestedQuestionRows(RootModel[list[SuggestedQuestion]]):
    pass


class KnownQuestionNumber(Input):
    question: int
    """The id of a known question."""


class PromotedQuestion(Input):
    question: int
    """The id of a closed question."""
    purpose: Annotated[str, Choice(tuple(Purpose.values))] = Purpose.VERIFICATION.value
    answer: Annotated[str, Field(title="Right answer")] = ""
    """Empty: as the question was decided. Of missing boxes any is right: a line for each with left, top, right and
    bottom in pixels, or “none”. Of a sweep the places of the candidates that mean the same, from 1, as “1, 3”, or
    “none”."""
    explanation: Annotated[str, MaxLen(MAX_EXPLANATION_LENGTH)] = ""
    """The reason for the answer, about this picture: workers read it after they tried the example."""
    refused: bool = False
    """Keep it out for good: it is neither asked nor suggested again."""


class PromotedKnownQuestion(Acknowledgement):
    known_question: int
    """The id in the stock, by which it is retired."""


PURPOSES = {Purpose.VERIFICATION: "verification questions", Purpose.TEST: "test questions", Purpose.EXAMPLE: "examples"}


def describe_known_questions(project: KnownQuestionsOfProject) -> str:
    """Return the report as lines of text."""
    lines = [f"{count} {PURPOSES[Purpose(purpose)]} added" for purpose, count in project.added.items()]
    for task in project.tasks:
        has = task.verification
        mix = f" ({task.mix})" if has else ""
        lines += ["", Task(task.task).label, f"  {has:>5} verification questions{mix}"]
        lines += [f"  {task.tests:>5} test questions", f"  {task.examples:>5} examples"]
        if has:
            lines.append(f"  score by one button: {task.one_button}")
            lines.append(f"  right by trusted workers: {task.share_right}")
            lines.append(f"  assignments a new worker can have: {task.new_worker}")
            lines.append(f"  assignments until the first worker has seen all: {task.at_work}")
        lines += [f"  suspect: {name}: most trusted workers answer otherwise" for name in task.suspects]
    return "\n".join([*lines, *(f"! {text}" for text in project.warnings)])


def _of_task(report: TaskReport) -> KnownQuestionsOfTask:
    return KnownQuestionsOfTask(
        task=report.task.value,
        verification=report.count(Purpose.VERIFICATION),
        tests=report.count(Purpose.TEST),
        examples=report.count(Purpose.EXAMPLE),
        mix=report.mix,
        one_button=report.one_button,
        share_right=report.share_right,
        new_worker=report.new_worker,
        at_work=report.at_work,
        suspects=[
            f"{known} of {known.image.name} (“{answer_name(report.task, known.truth)}”)" for known in report.suspects
        ],
    )


@operation(
    surveys=True,
    path="gold/stock/",
    refusals=(409,),
    command="known_questions",
    say=describe_known_questions,
    guide="../how-to/verification_questions.md#fill-and-check-the-stock",
)
def add_known_questions(project: Project, inputs: NewKnownQuestions, caller: Caller) -> KnownQuestionsOfProject:
    """Report on the known questions of each task. With numbers, add some first, from the project's gold."""
    try:
        tasks = chosen_tasks(project, inputs.tasks)
    except NotAskedError as error:
        raise Refused("invalid", str(error), 400, field="tasks") from error
    goals = _goals(project, inputs, tasks)
    if goals and not Gold.objects.filter(image__project=project).exists():
        raise Refused("not_possible", f"{project} has no gold. Import images with their annotation by --as gold first.")
    added = {
        purpose.value: sum(fill_from_gold(project=project, most=most, purpose=purpose, seed=inputs.seed).values())
        for purpose, most in goals.items()
    }
    reports = [_of_task(report) for report in known_reports(project.pk, tasks)]
    return KnownQuestionsOfProject(added=added, tasks=reports, warnings=list(warnings(project.pk)))


def _goals(
    project: Project, inputs: NewKnownQuestions, tasks: tuple[Task, ...]
) -> dict[KnownQuestion.Purpose, dict[Task, int]]:
    """Return how many questions each task is to have for each purpose, in the order of filling."""
    wanted = {Purpose.EXAMPLE: inputs.examples, Purpose.TEST: inputs.tests, Purpose.VERIFICATION: inputs.from_gold}
    settings = current_settings(project.pk)[1]
    tests = settings.tests * settings.test_questions

    def usual(purpose: KnownQuestion.Purpose, task: Task) -> int:
        return tests if purpose == Purpose.TEST else examples_needed(settings)[task]

    return {
        purpose: {task: usual(purpose, task) if most is None else most for task in tasks}
        for purpose, most in wanted.items()
        if inputs.from_gold or most
    }


@operation(surveys=False, path="gold/imported/", refusals=(409,))
def use_imported_gold(project: Project, inputs: NoInput, caller: Caller) -> Acknowledgement:
    """Make known questions of images that were imported with their right answers, as many as newcomers need."""
    gained = make_questions_of_import(project)
    words = ", ".join(f"{task.label} {count}" for task, count in gained.items() if count)
    if not words:
        raise Refused("not_possible", "The right answers of the data set give no more questions that the stock needs.")
    return Acknowledgement(sentence=f"Known questions were added: {words}.")


def _describe_suggestions(suggestions: SuggestedQuestionRows) -> str:
    lines = [
        f"question {row.question} of {row.image} ({Task(row.task).label}): “{row.answer}”, "
        f"by {row.agreed} trusted workers"
        for row in suggestions.root
    ]
    return "\n".join(lines) or "There is no question that the stock needs."


@operation(surveys=True, path="gold/suggestions/", method="get", say=_describe_suggestions)
def suggested_questions(project: Project, inputs: SuggestedQuestions, caller: Caller) -> SuggestedQuestionRows:
    """List finished questions that trusted workers agreed on and the stock needs. Promote those that are right."""
    counts = counts_of(project)
    tasks = sorted(tasks_of(project), key=lambda task: counts.get((task.value, Purpose.VERIFICATION.value), 0))
    agree = {task: 1 if task in DECIDED_BY_ONE else AGREE for task in tasks}
    found = suggest_known(project.pk, agree, inputs.most, look_at=LOOKED_AT * inputs.most)
    return SuggestedQuestionRows(
        [
            SuggestedQuestion(
                question=row.question.pk,
                task=task.value,
                image=row.question.image.name,
                answer=truth_in_words(row.question, row.truth),
                agreed=row.agreed,
            )
            for task in tasks
            for row in found[task]
        ]
    )


@operation(surveys=True, path="gold/questions/<int:question>/", method="delete", refusals=(409,))
def retire_question(project: Project, inputs: KnownQuestionNumber, caller: Caller) -> Acknowledgement:
    """Ask a known question of nobody any more. Answers that were given to it still count."""
    row = find_row(KnownQuestion.objects.filter(project=project), inputs.question, "known question")
    if not retire_known(row.pk):
        raise Refused("not_possible", "It was retired already.")
    return Acknowledgement(sentence="retired; answers to it still count.")


@operation(surveys=True, path="gold/questions/", refusals=(409,))
def promote_question(project: Project, inputs: PromotedQuestion, caller: Caller) -> PromotedKnownQuestion:
    """Add a closed question to the stock, with its right answer. Workers who answered it are not asked again."""
    rows = Question.objects.filter(project=project).select_related("image")
    question = find_row(rows, inputs.question, "question")
    if inputs.purpose == Purpose.EXAMPLE and not inputs.explanation:
        message = "Workers learn from an example only if it says why."
        raise Refused("invalid", message, 400, field="explanation")
    try:
        with transaction.atomic():
            known = add_finished_question(
                question_id=question.pk,
                truth=read_answer(question, inputs.answer),
                purpose=Purpose(inputs.purpose),
                explanation=inputs.explanation,
                source=Source.EXPERT if inputs.answer else Source.AGREED,
                actor=caller.name,
            )
            if inputs.refused:
                retire_known(known.pk)
    except (CannotPromoteError, BadAnswerError) as error:
        raise Refused("not_possible", str(error)) from error
    done = "kept out of" if inputs.refused else "in"
    sentence = f"The question is {done} the stock. Workers who answered it are not asked again."
    return PromotedKnownQuestion(sentence=sentence, known_question=known.pk)


def read_answer(question: Question, text: str) -> Any:
    """Return the right answer that a text gives; None: as the question was decided. Raises Refused."""
    task = Task(question.task)
    names = {answer_name(task, answer): answer for answer in CHOICES.get(task, ())}
    if not text.strip():
        return None
    if candidates := candidates_in(task, question.shown):
        return {"same": _touched(text, candidates)}
    if task is Task.BOX_DRAWING:
        lines = [] if text.strip() == NONE else filter(str.strip, text.splitlines())
        return [_box(line.strip(), question.image) for line in lines]
    if text not in names:
        known = ", ".join(f"“{name}”" for name in names)
        message = f"The answer is one of {known}." if names else "Nobody writes the answer of this task by hand."
        raise Refused("invalid", message, 400, field="answer")
    return names[text]


def write_answer(question: Asked, truth: Any) -> str:
    """Return the text that gives this right answer; empty: there is none."""
    task = Task(question.task)
    if truth is None:
        return ""
    if candidates := candidates_in(task, question.shown):
        return ", ".join(str(candidates.index(number) + 1) for number in truth["same"]) or NONE
    if task is Task.BOX_DRAWING:
        return "\n".join(", ".join(map(str, box)) for box in truth) or NONE
    return answer_name(task, truth)


def truth_in_words(question: Asked, truth: Any, captions: Said | None = None) -> str:
    """Return the right answer in words; of a sweep the phrases that mean the same. `captions`: as in `phrases_of`."""
    task = Task(question.task)
    return answer_to(question, truth, captions) if is_sweep(task, truth) else answer_name(task, truth)


def _touched(text: str, candidates: list[int]) -> list[int]:
    """Return the candidates at the places that the text names."""
    named = [] if text.strip() == NONE else text.replace(",", " ").split()
    places = {str(place): number for place, number in enumerate(candidates, start=1)}
    if unknown := [name for name in named if name not in places]:
        message = f"“{unknown[0]}” is not a place from 1 to {len(candidates)}."
        raise Refused("invalid", message, 400, field="answer")
    return [number for place, number in places.items() if place in named]


def _box(line: str, image: Image) -> list[int]:
    try:
        box = Box(*(int(edge) for edge in line.replace(",", " ").split()))
    except (ValueError, TypeError) as error:
        message = f"“{line}” is not a box: write left, top, right, bottom."
        raise Refused("invalid", message, 400, field="answer") from error
    if not box.fits(image.width, image.height):
        message = f"“{line}” lies outside the image of {image.width} x {image.height} pixels."
        raise Refused("invalid", message, 400, field="answer")
    return list(box)
