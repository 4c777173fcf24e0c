"""Make known questions of the images that reviewers annotated, as many as a project should have."""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import ceil
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotation.models import Gold, Project
from annotation.rules.states import ProjectState
from pipeline.gold_questions.known_questions import Purpose, Source, retire_known
from pipeline.gold_questions.stock_from_gold import ImageQuestions, Makers, examples_needed, fill_from_gold
from pipeline.known.gold_needed import least_questions, recommended_questions
from pipeline.models import KnownQuestion
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from projects.models import GoldAnnotation, GoldImage
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
