"""Checks of answers to links that nobody else answered: by the text and the other links of the image.

A project that links adaptively asks most pairs once. So skills would rest on the few pairs that are asked again, which
are the hard ones. What the other links say, where it is all but sure, counts like the answers of one more worker, whose
own accuracy is estimated with those of the others.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pipeline.models import Judgment, Progress
from pipeline.policies.compose import adaptive_links, engine_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer
from pipeline.protocol.tasks.task import Task
from workers.rules.skill import WorkerAnswer

OTHER_LINKS = "other links"
"""Stands for a worker."""
SURE = 0.9
"""A less likely verdict is not an answer."""
IMAGES = 1000
"""The number of images whose links are checked, those with the newest answers: about ten seconds of work."""
IMAGES_PER_BATCH = 100


class AskedPair(NamedTuple):
    """One pair of one image, however often it was asked."""

    image: int
    first: int
    second: int


def pairs_of_questions(project_id: int, newest: int) -> dict[int, AskedPair]:
    """Return the pair of each link question among the newest judgments, by the question's id, latest first."""
    rows = Judgment.objects.filter(
        assignment__project=project_id, assignment__task=Task.COREFERENCE_LINK.value, question__isnull=False
    ).order_by("-id")
    columns = ("question_id", "question__image_id", "question__subject")
    return {question: AskedPair(image, *subject) for question, image, subject in rows.values_list(*columns)[:newest]}


def check_links(project_id: int, pairs: Mapping[int, AskedPair]) -> Iterator[WorkerAnswer]:
    """Yield what the other links say of the pairs of the images that come first; nothing unless they are adaptive."""
    _, settings = current_settings(project_id)
    if not engine_of(settings).weighs(Task.COREFERENCE_LINK):
        return
    images = list(dict.fromkeys(pair.image for pair in pairs.values()))[:IMAGES]
    for start in range(0, len(images), IMAGES_PER_BATCH):
        rows = Progress.objects.filter(image_id__in=images[start : start + IMAGES_PER_BATCH])
        for image, state in rows.values_list("image_id", "state"):
            for pair, chance in adaptive_links(settings).by_other_links(from_json(state)).items():
                if max(chance, 1 - chance) >= SURE:
                    said = CoreferenceAnswer.SAME if chance > 0.5 else CoreferenceAnswer.DIFFERENT
                    yield WorkerAnswer(OTHER_LINKS, AskedPair(image, *pair), said.value)
