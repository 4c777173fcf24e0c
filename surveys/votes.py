"""The votes of a survey, as they are in the record: one answer of one worker, and each question with its votes."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, NotRequired

from typing_extensions import TypedDict

from annotation.models import Image, Project
from exchange.chunk_captions import trimmed
from exchange.dataset import DatasetCaption, DatasetImage, NegativePhrase
from exchange.jsonl.write import pseudonym
from exchange.split_captions import tokenized_caption
from pipeline.models import Judgment, Progress, Question
from pipeline.protocol.state.progress import Cause, SurveyProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.survey import CaptionVerdict, caption_verdict, tokens
from pipeline.protocol.tasks.task import Task

IMAGES_AT_ONCE = 200


class VoteAnswer(TypedDict):
    """The part of a vote that its answer tells."""

    answer: str
    """Of a caption check `correct` or `wrong`; of an atom `yes` or `no`."""
    right: bool | None
    """True if the answer is right by construction, whatever word it names; null: unknown."""
    place: NotRequired[int | None]
    """Of a caption check: the place of the word that was called wrong, from 0; null: the caption was called correct."""
    word: NotRequired[str | None]
    """That word, as the caption has it."""
    replacement: NotRequired[str | None]
    """The right word as the worker typed it, if they did."""


class Vote(VoteAnswer):
    """One line of the votes."""

    item: str
    """The item's name; of a caption check with `:correct` or `:foil` at its end."""
    worker: str
    """A pseudonym, the same as in other exports of the project."""
    seconds: float | None
    """As the page measured."""
    at: str
    """The time of the answer, as ISO 8601."""


def lines_of(project: Project) -> Iterator[str]:
    """Yield the lines of the file of votes, each with its end."""
    for vote in votes_of(project):
        yield json.dumps(vote, ensure_ascii=False, sort_keys=True) + "\n"


def votes_of(project: Project) -> Iterator[Vote]:
    """Yield the votes that count, by the order of the images, the questions, and the votes of each."""
    said = SAID[Task(project.survey)]
    name = cache(lambda worker: pseudonym(project.pk, worker))
    ids = list(project.images.order_by("position").values_list("id", flat=True))
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        part = ids[start : start + IMAGES_AT_ONCE]
        states = dict(Progress.objects.filter(image_id__in=part).values_list("image_id", "state"))
        judged = Judgment.objects.filter(entry__image_id__in=part)
        given = {
            (image, entry): (seconds, at)
            for image, entry, seconds, at in judged.values_list(
                "entry__image_id", "entry__sequence", "seconds", "created_at"
            )
        }
        for image in part:
            for survey in from_json(states[image]).surveys.values():
                for vote in survey.votes:
                    seconds, at = given[image, vote.entry]
                    yield {
                        "item": survey.item,
                        "worker": name(vote.worker),
                        **said(survey, vote.answer),
                        "seconds": seconds,
                        "at": at.isoformat(),
                    }


def _of_caption(survey: SurveyProgress, answer: Mapping[str, Any]) -> VoteAnswer:
    place = answer.get("word")
    return {
        "answer": caption_verdict(answer).value,
        "right": None if survey.truth is None else caption_verdict(answer) is caption_verdict(survey.truth),
        "place": place,
        "word": None if place is None else tokens(survey.shown["caption"])[place],
        "replacement": answer.get("right"),
    }


def _of_atom(survey: SurveyProgress, answer: str) -> VoteAnswer:
    return {"answer": answer, "right": None if survey.truth is None else answer == survey.truth}


SAID: Mapping[Task, Callable[[SurveyProgress, Any], VoteAnswer]] = {
    Task.CAPTION_CHECK: _of_caption,
    Task.ATOM_VISUAL: _of_atom,
}


class QuestionVotes(NamedTuple):
    """One question and its votes, in the order in which they came."""

    image: int
    number: int
    item: str
    shown: dict[str, Any]
    truth: Any
    """The right answer; None: unknown."""
    outcome: str
    """The majority's verdict, or why there is none: nobody was left to ask. Empty while the question is open."""
    votes: tuple[tuple[int, Any], ...]
    """The worker's id and the answer."""

    @property
    def given_up(self) -> bool:
        return self.outcome == Cause.STARVED

    @property
    def decided(self) -> bool:
        return bool(self.outcome) and not self.given_up


def tallies_of(project: Project, images: Collection[int] | None = None) -> Iterator[QuestionVotes]:
    """Yield the questions by the order of the images. `images`: ids of those to read; None: all."""
    wanted = project.images.order_by("position").values_list("id", flat=True)
    ids = list(wanted if images is None else wanted.filter(pk__in=images))
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        part = ids[start : start + IMAGES_AT_ONCE]
        states = dict(Progress.objects.filter(image_id__in=part).values_list("image_id", "state"))
        asked = Question.objects.filter(image_id__in=part).values_list("image_id", "number", "outcome")
        outcomes = {(image, number): outcome for image, number, outcome in asked}
        for image in part:
            progress = from_json(states[image])
            for survey in progress.surveys.values():
                votes = tuple((vote.worker, vote.answer) for vote in survey.votes)
                outcome = "" if survey.number in progress.open else outcomes[image, survey.number]
                yield QuestionVotes(image, survey.number, survey.item, survey.shown, survey.truth, outcome, votes)


def foils_of(project: Project) -> Iterator[DatasetImage]:
    """Yield the images of a caption check with the captions that were called wrong, as data sets have them."""
    wrong: dict[int, list[QuestionVotes]] = defaultdict(list)
    for question in tallies_of(project):
        if question.outcome == CaptionVerdict.WRONG:
            wrong[question.image].append(question)
    for image in project.images.filter(pk__in=wrong).order_by("position"):
        yield _with_foils(image, wrong[image.pk])


def _with_foils(image: Image, questions: Sequence[QuestionVotes]) -> DatasetImage:
    captions: list[DatasetCaption] = []
    negatives: list[NegativePhrase] = []
    for number, question in enumerate(questions):
        words = tokens(question.shown["caption"])
        captions.append(tokenized_caption(" ".join(words)))
        places = Counter(answer["word"] for _, answer in question.votes if answer.get("word") is not None)
        place = places.most_common(1)[0][0]
        first = len(" ".join([*words[:place], ""]))
        own = [at for at, offset in enumerate(captions[-1].offsets) if first <= offset < first + len(words[place])]
        spans = trimmed(captions[-1].words, [(own[0], own[-1] + 1)] if own else [])
        negatives += [NegativePhrase(number, *span) for span in spans]
    return DatasetImage(
        image.name,
        image.width,
        image.height,
        tuple(captions),
        negatives=tuple(negatives),
        path=image.path,
        coco_id=image.coco_id,
        picture=image.picture or None,
    )
