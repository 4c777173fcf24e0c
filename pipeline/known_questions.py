"""The stock of verification questions: added from gold or by an expert at any time, and retired at any time."""

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from random import Random
from typing import Any

from django.utils import timezone

from annotation.models import Gold, Project
from annotation.rules.box import Box
from pipeline.errors import BadAnswerError
from pipeline.models import KnownQuestion, Progress
from pipeline.rules.known_answer import fits_task
from pipeline.rules.known_from_gold import Known, KnownChain, known_questions
from pipeline.rules.progress_json import from_json
from pipeline.rules.task import Task

AT_ONCE = 200


def add_known(
    *, project_id: int, image_id: int, known: Iterable[Known], source: KnownQuestion.Source, added_by: str = ""
) -> int:
    """Put questions into the stock; what is there already stays as it is. Returns how many are new.

    BadAnswerError: a truth does not fit its task; nothing is added.
    """
    rows = []
    for one in known:
        if not fits_task(one.task, one.truth):
            raise BadAnswerError(f"{one.truth!r} cannot be the right answer to a question of {one.task.label}.")
        values = {"shown": one.shown, "truth": one.truth, "source": source, "added_by": added_by[:150]}
        place = {"project_id": project_id, "image_id": image_id, "task": one.task.value}
        rows.append(KnownQuestion(key=key_of(image_id, one.shown), **place, **values))
    before = KnownQuestion.objects.filter(image_id=image_id).count()
    KnownQuestion.objects.bulk_create(rows, ignore_conflicts=True)
    return KnownQuestion.objects.filter(image_id=image_id).count() - before


def key_of(image_id: int, shown: dict[str, Any]) -> str:
    """The same for two questions just when a worker is shown the same."""
    return sha256(f"{image_id} {json.dumps(shown, sort_keys=True)}".encode()).hexdigest()


def add_known_from_gold(
    *, project: Project, most: int, seed: int = 0, tasks: Sequence[Task] = tuple(Task)
) -> dict[Task, int]:
    """Fill the stock of these tasks from the project's gold up to `most` each; returns how many were added per task.

    Images are taken in an order drawn from the seed, each with all its questions of a task, until there are enough.
    """
    missing = {task: most - stock(project.id, task) for task in tasks}
    added = dict.fromkeys(tasks, 0)
    rows = Gold.objects.filter(image__project=project).select_related("image").order_by("image__position")
    for gold in Random(seed).sample(list(rows), len(rows)):
        wanted = {task for task in tasks if added[task] < missing[task]}
        if not wanted:
            break
        for task, some in _of_image(gold, seed, wanted).items():
            room = missing[task] - added[task]
            added[task] += add_known(
                project_id=project.id,
                image_id=gold.image_id,
                known=some[:room],
                source=KnownQuestion.Source.GOLD,
            )
    return added


def _of_image(gold: Gold, seed: int, wanted: set[Task]) -> dict[Task, list[Known]]:
    progress = from_json(Progress.objects.get(image=gold.image_id).state)
    chains = [KnownChain(tuple(c["mentions"]), c["scene"], tuple(Box(*box) for box in c["boxes"])) for c in gold.chains]
    lot = Random(f"{seed} {gold.image.name}")
    some: dict[Task, list[Known]] = {task: [] for task in wanted}
    for known in known_questions(progress.mentions, chains, gold.image.width, gold.image.height, lot):
        if known.task in wanted:
            some[known.task].append(known)
    return some


def stock(project_id: int, task: Task) -> int:
    """How many verification questions of the task can be asked."""
    return KnownQuestion.objects.filter(project_id=project_id, task=task.value, retired_at=None).count()


def retire_known(known_id: int) -> bool:
    """It is asked no more; what workers answered counts as before. False: it was retired already."""
    return KnownQuestion.objects.filter(id=known_id, retired_at=None).update(retired_at=timezone.now()) == 1
