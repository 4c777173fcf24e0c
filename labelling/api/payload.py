"""The values that the API sends: an assignment, examples, and what became of a submission.

A question whose answer is known looks like any other.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from django.utils.translation import gettext, gettext_noop, ngettext

from annotation.models import Caption, Image, Project
from labelling.pictures import picture_link
from pipeline.asking.keep_lease import KeptLease
from pipeline.asking.read_assignment import Item, LeasedAssignment
from pipeline.asking.receipt import Receipt
from pipeline.models import Assignment, KnownQuestion
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.answers import candidates_in, drawing
from pipeline.protocol.tasks.task import Task
from runtime.database import PreparedQuery, slots
from workers.task_words import text_in_language

WORD = re.compile(r"\S+")
"""Finds the same words as `survey.tokens`, with their places."""


def pictures_of(project_id: int, task: Task, questions: Iterable[Item]) -> dict[str, Image]:
    """Return the images of the questions' examples by name; only atoms have examples, and cost a statement."""
    if task is not Task.ATOM_VISUAL:
        return {}
    names = {example["image"] for question in questions for example in question.shown["survey"]["examples"]}
    return {image.name: image for image in Image.objects.filter(project=project_id, name__in=names)}


def survey_shown(survey_question: Mapping[str, Any], pictures: Mapping[str, Image]) -> dict[str, Any]:
    """Return what a survey asks about. `pictures`: the images of its examples, by name."""
    if "caption" in survey_question:
        caption = survey_question["caption"]
        return {"caption": caption, "words": [list(word.span()) for word in WORD.finditer(caption)]}
    examples = [
        {"image": image_shown(pictures[example["image"]]), "caption": example["caption"]}
        for example in survey_question["examples"]
    ]
    return {"atom": survey_question["atom"], "category": survey_question["category"], "examples": examples}


def image_shown(image: Image) -> dict[str, Any]:
    return {
        "url": picture_link(image.picture, "screen"),
        "full_url": picture_link(image.picture, "full"),
        "width": image.width,
        "height": image.height,
    }


Captions = dict[tuple[int, int], tuple[str, list[str], list[int]]]
"""(text, words, where each word begins) by image and caption number."""
MOST_EXAMPLES = 20
FIRST_COUNTS = gettext_noop(
    "This assignment had been submitted before, perhaps in another tab. The first submission counts. What you just "
    "sent differs from it and was not stored."
)


def assignment_payload(lease: LeasedAssignment, project: str, now: datetime) -> dict[str, Any]:
    """Return an assignment with its questions.

    Costs one statement, the captions of all questions; of an atom's examples, one more.
    """
    assignment = lease.assignment
    captions = captions_of(question.image_id for question in lease.questions)
    pictures = pictures_of(assignment.project_id, Task(assignment.task), lease.questions)
    language = lease.settings.caption_language
    return {
        "token": str(assignment.token),
        "project": project,
        "task": assignment.task,
        "kind": assignment.kind,
        "state": assignment.state,
        "seconds_left": seconds_left(assignment, now),
        "reward_cents": assignment.reward_cents,
        "currency": lease.settings.currency,
        "draft": assignment.draft,
        "questions": [question_shown(question, captions, language, pictures) for question in lease.questions],
    }


def seconds_left(assignment: Assignment | KeptLease, now: datetime) -> float:
    """Return the seconds until the lease ends; 0 if it has run out or the assignment has ended."""
    if assignment.state != Assignment.State.ACTIVE:
        return 0.0
    return max(0.0, round((assignment.expires_at - now).total_seconds(), 1))


def examples_of(project: Project, task: Task) -> list[dict[str, Any]]:
    """Return up to `MOST_EXAMPLES` examples, the oldest first: questions with their answers and explanations.

    Costs three statements; of an atom's examples, one more.
    """
    _, settings = current_settings(project.id)
    wanted = {"task": task.value, "purpose": KnownQuestion.Purpose.EXAMPLE, "retired_at": None}
    examples = KnownQuestion.objects.filter(project=project, **wanted).select_related("image").order_by("id")
    rows = list(examples[:MOST_EXAMPLES])
    captions = captions_of(row.image_id for row in rows)
    pictures = pictures_of(project.id, task, rows)
    return [
        {
            **question_shown(row, captions, settings.caption_language, pictures),
            "answer": right_answer(task, row.truth),
            "explanation": row.explanation,
            "missing": row.truth if task is Task.BOX_DRAWING else [],
        }
        for row in rows
    ]


def right_answer(task: Task, truth: Any) -> Any:
    """Return a right answer. For box drawing this is the first of the missing boxes: the task asks for one."""
    if task is not Task.BOX_DRAWING:
        return truth
    return drawing(truth[0] if truth else None)


CAPTIONS: PreparedQuery[tuple[int, int, str, list[str], list[int]]] = PreparedQuery(
    lambda count: (
        Caption.objects.filter(image__id__in=slots("image", count))
        .values_list("image_id", "number", "text", "words", "offsets")
        .order_by()
    )
)


def captions_of(image_ids: Iterable[int]) -> Captions:
    images = sorted(set(image_ids))
    if not images:
        return {}
    # Filled up to a power of two, so that few statements are made however many images there are.
    size = 1 << (len(images) - 1).bit_length()
    rows = CAPTIONS.run(size, image=images + images[-1:] * (size - len(images)))
    return {(image, number): (text, words, offsets) for image, number, text, words, offsets in rows}


def question_shown(
    question: Item, captions: Captions, language: str = "", pictures: Mapping[str, Image] | None = None
) -> dict[str, Any]:
    """Return what a worker sees of a question: the picture, the captions with their phrases, and the boxes.

    `captions`: all those of the image; the page folds those without a phrase. `language`: that of the captions.
    `pictures`: of a survey's examples, by name.
    """
    shown = question.shown
    sweep = _sweep_shown(Task(question.task), shown)
    mentions = sorted(shown["mentions"], key=itemgetter(1)) if sweep else shown["mentions"]
    return {
        "image": image_shown(question.image),
        "language": language,
        "captions": _captions_shown(question.image_id, mentions, captions),
        "other_captions": _other_captions(question.image_id, shown["mentions"], captions),
        "boxes": shown["boxes"],
        "new_box": shown["new_box"],
        "survey": survey_shown(shown["survey"], pictures or {}) if "survey" in shown else None,
        "sweep": sweep,
    }


def _sweep_shown(task: Task, shown: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the mention that a sweep is about, its candidates, and those of them that are chosen at the beginning."""
    if not (candidates := candidates_in(task, shown)):
        return None
    return {"about": shown["mentions"][0][0], "candidates": candidates, "preset": shown.get("preset", [])}


def _captions_shown(image: int, mentions: Sequence[Sequence[int]], captions: Captions) -> list[dict[str, Any]]:
    """Return the captions in the order of the mentions. A phrase is given by its place in the text."""
    shown: dict[int, dict[str, Any]] = {}
    for mention, number, first, end in mentions:
        text, words, offsets = captions[image, number]
        caption = shown.setdefault(number, {"number": number, "text": text, "phrases": []})
        last = end - 1
        caption["phrases"].append(
            {"mention": mention, "start": offsets[first], "end": offsets[last] + len(words[last])}
        )
    return list(shown.values())


def _other_captions(image: int, mentions: Sequence[Sequence[int]], captions: Captions) -> list[dict[str, Any]]:
    """Return the captions of the image in which no phrase is marked."""
    shown = {number for _, number, *_ in mentions}
    rest = sorted(number for whose, number in captions if whose == image and number not in shown)
    return [{"number": number, "text": captions[image, number][0], "phrases": []} for number in rest]


def receipt_in_words(receipt: Receipt) -> str:
    """Return what the worker should know about a submission; empty if every answer was stored."""
    what_became = text_in_language(receipt.sequel) or _outcome(receipt)
    return f"{gettext(FIRST_COUNTS)} {what_became}".strip() if receipt.differs else what_became


def _outcome(receipt: Receipt) -> str:
    if receipt.assignment.acceptance == Assignment.Acceptance.REFUSED:
        paid = (
            gettext("This assignment is paid, but its answers are not used.")
            if receipt.earned_cents
            else gettext("Its answers are not used.")
        )
        where = gettext("See your status on the project's page.")
        return f"{paid} {where}"
    late = receipt.late
    if not late:
        return ""
    if receipt.taken:
        what_became = ngettext(
            "Your time had run out, and %(n)s answer came too late: others had answered first. The rest is stored.",
            "Your time had run out, and %(n)s answers came too late: others had answered first. The rest is stored.",
            late,
        ) % {"n": late}
    else:
        what_became = gettext("Your time had run out, and others have answered these questions in the meantime.")
    return f"{what_became} {gettext('You are paid for all of them.')}" if receipt.earned_cents else what_became
