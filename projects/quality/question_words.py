"""Questions in words: the task, the phrases it is about, and the image. Nobody needs to know numbers of mentions."""

from collections.abc import Iterable
from typing import Any

from annotation.models import Caption
from pipeline.models import KnownQuestion, Question
from pipeline.protocol.tasks.answers import candidates_in
from pipeline.protocol.tasks.task import Task
from projects.quality.answers_of_task import word

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
