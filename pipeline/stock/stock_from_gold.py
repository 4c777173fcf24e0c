"""Fill the stock of verification questions from the project's gold annotations."""

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
"""How many candidates are looked at for each wanted question, to choose a balanced stock from."""
HOME = {Purpose.EXAMPLE: (0, 10), Purpose.TEST: (10, 35), Purpose.VERIFICATION: (35, 100)}
"""The percent of the images from which each purpose takes its questions first, so that purposes share no images."""


def fill_from_gold(
    *,
    project: Project,
    most: Mapping[Task, int],
    purpose: KnownQuestion.Purpose = Purpose.VERIFICATION,
    seed: int = 0,
    step: Callable[[int], Any] = lambda images: None,
) -> dict[Task, int]:
    """Fill each task's stock for the purpose up to `most` questions. Returns how many were added, by task.

    Looks at images in an order drawn from the seed, until there is enough to choose a balanced stock from. Calls
    `step` with the number of images looked at since the last call.
    """
    present = {task: _Stock(project.id, task, purpose) for task in most}
    wanted = {task: most[task] - present[task].mix.total() for task in most if most[task] > present[task].mix.total()}
    added = dict.fromkeys(most, 0)
    for task, candidates in _look(project, purpose, seed, wanted, step).items():
        has = present[task]
        balanced = purpose != Purpose.EXAMPLE
        chosen = choose(task, candidates, most=wanted[task], mix=has.mix, images=has.images, balanced=balanced)
        added[task] = _add(project.id, purpose, chosen)
    return added


def _add(project_id: int, purpose: KnownQuestion.Purpose, chosen: Sequence[Candidate]) -> int:
    """Add the chosen questions, those of one image together."""
    of_image: dict[int, list[Known]] = defaultdict(list)
    for one in chosen:
        of_image[one.image].append(one.known)
    return sum(
        add_known(project_id=project_id, image_id=image, known=some, source=Source.GOLD, purpose=purpose)
        for image, some in of_image.items()
    )


class _Stock:
    """A task's stock for a purpose, as numbers of questions by right answer and by image."""

    def __init__(self, project_id: int, task: Task, purpose: KnownQuestion.Purpose) -> None:
        rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value, purpose=purpose, retired_at=None)
        pairs = list(rows.values_list("truth", "image_id"))
        self.mix = Counter(answer_of(task, truth) for truth, _ in pairs)
        self.images = Counter(image for _, image in pairs)


def _look(
    project: Project, purpose: KnownQuestion.Purpose, seed: int, wanted: Mapping[Task, int], step: Callable[[int], Any]
) -> dict[Task, list[Candidate]]:
    """Collect candidates by task; of each answer and rank up to `CHOICE` times the number wanted."""
    found: dict[Task, list[Candidate]] = defaultdict(list)
    seen: Counter[tuple[Task, str, int]] = Counter()
    taken = _Taken(project.id, purpose)
    for gold in _in_order(project, seed) if wanted else ():
        step(1)
        rank = taken.rank(gold)
        for known in _of_image(gold, seed):
            kind = known.task, answer_of(known.task, known.truth), rank
            if known.task in wanted and seen[kind] < CHOICE * wanted[known.task] and taken.is_new(gold, known):
                found[known.task].append(Candidate(known, gold.image_id, rank))
                seen[kind] += 1
        if all(seen[task, answer, 0] >= CHOICE * wanted[task] for task in wanted for answer in answers(task)):
            break
    return found


class _Taken:
    """The questions of the project's stock, for all purposes, with those found since."""

    def __init__(self, project_id: int, purpose: KnownQuestion.Purpose) -> None:
        rows = list(KnownQuestion.objects.filter(project_id=project_id).only("image_id", "purpose", "task", "key"))
        self.purpose = purpose
        self.elsewhere = {row.image_id for row in rows if row.purpose != purpose}
        self.keys = {(row.task, row.key) for row in rows}

    def is_new(self, gold: Gold, known: Known) -> bool:
        """Note the question, and return whether it was not there before."""
        key = known.task.value, key_of(gold.image_id, known.shown)
        if key in self.keys:
            return False
        self.keys.add(key)
        return True

    def rank(self, gold: Gold) -> int:
        """Return 0 for images that this purpose takes first, 2 for those that another purpose uses, 1 for others."""
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
