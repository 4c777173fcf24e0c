"""Fill the stock of verification questions from the project's gold."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any

from annotation.models import Gold, Project
from annotation.rules.box import Box
from pipeline.models import KnownQuestion
from pipeline.rules.image.progress_json import from_json
from pipeline.rules.known.known_from_gold import Known, KnownChain, known_questions
from pipeline.rules.known.stock_mix import Candidate, answer_of, answers, choose
from pipeline.rules.tasks.task import Task
from pipeline.stock.known_questions import Purpose, Source, add_known, key_of

AT_ONCE = 100
"""Images in memory."""
CHOICE = 4
"""So many times the questions wanted are looked at, to choose a balanced stock from."""
HOME = {Purpose.EXAMPLE: (0, 10), Purpose.TEST: (10, 35), Purpose.VERIFICATION: (35, 100)}
"""The percent of the images that a purpose takes its questions from first, so that purposes don't share images."""


def fill_from_gold(
    *,
    project: Project,
    most: Mapping[Task, int],
    purpose: KnownQuestion.Purpose = Purpose.VERIFICATION,
    seed: int = 0,
    step: Callable[[int], Any] = lambda images: None,
) -> dict[Task, int]:
    """Fill the tasks' stock for the purpose up to `most` each; returns how many were added per task.

    Images are looked at in an order drawn from the seed, until there is enough to choose a balanced stock from.
    `step` is told how many images were looked at.
    """
    there = {task: _Stock(project.id, task, purpose) for task in most}
    room = {task: most[task] - there[task].mix.total() for task in most if most[task] > there[task].mix.total()}
    added = dict.fromkeys(most, 0)
    for task, candidates in _look(project, purpose, seed, room, step).items():
        has = there[task]
        balanced = purpose != Purpose.EXAMPLE
        chosen = choose(task, candidates, most=room[task], mix=has.mix, images=has.images, balanced=balanced)
        added[task] = _add(project.id, purpose, chosen)
    return added


def _add(project_id: int, purpose: KnownQuestion.Purpose, chosen: Sequence[Candidate]) -> int:
    """Those of one image together."""
    of_image: dict[int, list[Known]] = defaultdict(list)
    for one in chosen:
        of_image[one.image].append(one.known)
    return sum(
        add_known(project_id=project_id, image_id=image, known=some, source=Source.GOLD, purpose=purpose)
        for image, some in of_image.items()
    )


class _Stock:
    """What is there of a task for a purpose: how often each answer, and how often each image."""

    def __init__(self, project_id: int, task: Task, purpose: KnownQuestion.Purpose) -> None:
        rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value, purpose=purpose, retired_at=None)
        pairs = list(rows.values_list("truth", "image_id"))
        self.mix = Counter(answer_of(task, truth) for truth, _ in pairs)
        self.images = Counter(image for _, image in pairs)


def _look(
    project: Project, purpose: KnownQuestion.Purpose, seed: int, room: Mapping[Task, int], step: Callable[[int], Any]
) -> dict[Task, list[Candidate]]:
    """Candidates per task; those of each answer and rank up to a multiple of what is wanted."""
    found: dict[Task, list[Candidate]] = defaultdict(list)
    seen: Counter[tuple[Task, str, int]] = Counter()
    taken = _Taken(project.id, purpose)
    for gold in _in_order(project, seed) if room else ():
        step(1)
        rank = taken.rank(gold)
        for known in _of_image(gold, seed):
            place = known.task, answer_of(known.task, known.truth), rank
            if known.task in room and seen[place] < CHOICE * room[known.task] and taken.leaves(gold, known):
                found[known.task].append(Candidate(known, gold.image_id, rank))
                seen[place] += 1
        if all(seen[task, answer, 0] >= CHOICE * room[task] for task in room for answer in answers(task)):
            break
    return found


class _Taken:
    """What the project's stock holds already, for all purposes."""

    def __init__(self, project_id: int, purpose: KnownQuestion.Purpose) -> None:
        rows = list(KnownQuestion.objects.filter(project_id=project_id).values_list("image", "purpose", "task", "key"))
        self.purpose = purpose
        self.elsewhere = {image for image, other, _, _ in rows if other != purpose}
        self.keys = {(task, key) for _, _, task, key in rows}

    def leaves(self, gold: Gold, known: Known) -> bool:
        """Whether the question is not there yet; asked again about the same one, it is."""
        key = known.task.value, key_of(gold.image_id, known.shown)
        if key in self.keys:
            return False
        self.keys.add(key)
        return True

    def rank(self, gold: Gold) -> int:
        """0: an image that this purpose is to take first; 2: one that another purpose uses."""
        if gold.image_id in self.elsewhere:
            return 2
        first, end = HOME[self.purpose]
        return 0 if first <= int(sha256(gold.image.name.encode()).hexdigest(), 16) % 100 < end else 1


def _in_order(project: Project, seed: int) -> Iterator[Gold]:
    rows = Gold.objects.filter(image__project=project)
    ids = list(rows.order_by("image__position").values_list("image_id", flat=True))
    Random(seed).shuffle(ids)
    for first in range(0, len(ids), AT_ONCE):
        some = rows.select_related("image__progress").in_bulk(ids[first : first + AT_ONCE])
        yield from (some[image] for image in ids[first : first + AT_ONCE])


def _of_image(gold: Gold, seed: int) -> Iterator[Known]:
    image = gold.image
    chains = [KnownChain(tuple(c["mentions"]), c["scene"], tuple(Box(*box) for box in c["boxes"])) for c in gold.chains]
    lot = Random(f"{seed} {image.name}")
    return known_questions(from_json(image.progress.state).mentions, chains, image.width, image.height, lot)
