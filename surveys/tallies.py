"""The questions of a survey with their votes, as they stand in the record."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from annotation.models import Project
from pipeline.models import Progress, Question
from pipeline.protocol.state.progress import Cause
from pipeline.protocol.state.progress_json import from_json

IMAGES_AT_ONCE = 200


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
