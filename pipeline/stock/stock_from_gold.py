"""Fill the stock of verification questions from the project's gold annotations."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple

from annotation.models import Gold, Mention, Project
from annotation.rules.box import Box
from pipeline.models import KnownQuestion
from pipeline.rules.image.progress_json import from_json
from pipeline.rules.known.explanation import explain
from pipeline.rules.known.known_from_gold import (
    Known,
    KnownChain,
    Look,
    asked_with_right_answers,
    known_questions,
    look_of,
)
from pipeline.rules.known.stock_mix import Candidate, Usual, answer_of, answers, choose
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings
from pipeline.stock.known_questions import Purpose, Source, add_known, key_of

AT_ONCE = 100
"""Images in memory."""
CHOICE = 4
"""Candidates for each wanted question, to choose a balanced stock from."""
RARELY = 3
"""Added to the rank of links that are hardly ever asked: they come after all others."""
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
    found = _collect(project, purpose, seed, wanted, step)
    for task, candidates in found.candidates.items():
        has = present[task]
        chosen = choose(
            task,
            candidates,
            most=wanted[task],
            mix=has.mix,
            images=has.images,
            looks=has.looks(),
            usual=found.usual[task],
            balanced=purpose != Purpose.EXAMPLE,
        )
        added[task] = _add(project.id, purpose, chosen)
    return added


def _add(project_id: int, purpose: KnownQuestion.Purpose, chosen: Sequence[Candidate]) -> int:
    """Add the chosen questions, those of one image together."""
    of_image: dict[int, list[Known]] = defaultdict(list)
    for one in chosen:
        of_image[one.image].append(one.known)
    added = 0
    for image, some in of_image.items():
        common: dict[str, Any] = {"project_id": project_id, "image_id": image, "source": Source.GOLD}
        if purpose == Purpose.EXAMPLE:
            whys = _explained(image, some)
            added += sum(
                add_known(known=[one], purpose=purpose, explanation=why, **common)
                for one, why in zip(some, whys, strict=True)
            )
        else:
            added += add_known(known=some, purpose=purpose, **common)
    return added


def _explained(image_id: int, known: Sequence[Known]) -> list[str]:
    """Explain each question about an image by its gold."""
    gold = Gold.objects.select_related("image__progress").get(image=image_id)
    mentions = from_json(gold.image.progress.state).mentions
    phrases = {number: mention.text for number, mention in mentions.items()}
    return [explain(one, phrases, _chains_of(gold)) for one in known]


def _chains_of(gold: Gold) -> list[KnownChain]:
    return [
        KnownChain(tuple(c["mentions"]), c["scene"], tuple(Box(*box) for box in c["boxes"]), c.get("open", False))
        for c in gold.chains
    ]


class _Stock:
    """A task's stock for a purpose, as numbers of questions by right answer, image and look."""

    def __init__(self, project_id: int, task: Task, purpose: KnownQuestion.Purpose) -> None:
        rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value, purpose=purpose, retired_at=None)
        self.rows = list(rows.values_list("truth", "image_id", "shown"))
        self.mix = Counter(answer_of(task, truth) for truth, _, _ in self.rows)
        self.images = Counter(image for _, image, _ in self.rows)

    def looks(self) -> Counter[Look]:
        types: dict[int, dict[int, list[str]]] = defaultdict(dict)
        for image, number, own in Mention.objects.filter(image__in=self.images).values_list("image", "number", "types"):
            types[image][number] = own
        return Counter(look_of(types[image], shown) for _, image, shown in self.rows)


class _Found(NamedTuple):
    """Candidates for the stock from the gold of some images."""

    candidates: dict[Task, list[Candidate]]
    usual: dict[Task, Usual]


def _collect(
    project: Project, purpose: KnownQuestion.Purpose, seed: int, wanted: Mapping[Task, int], step: Callable[[int], Any]
) -> _Found:
    """Collect candidates by task; of each answer and rank up to `CHOICE` times the number wanted."""
    found: dict[Task, list[Candidate]] = defaultdict(list)
    usual = {task: Usual(Counter(), Counter()) for task in Task}
    seen: Counter[tuple[Task, str, int]] = Counter()
    taken, settings = _Taken(project.id, purpose), current_settings(project.id)[1]
    for gold in _in_order(project, seed) if wanted else ():
        step(1)
        home = taken.rank(gold)
        for known, look, rare in _of_image(gold, seed, settings, usual):
            rank = home + RARELY * rare
            kind = known.task, answer_of(known.task, known.truth), rank
            if known.task in wanted and seen[kind] < CHOICE * wanted[known.task] and taken.is_new(gold, known):
                found[known.task].append(Candidate(known, gold.image_id, rank, look))
                seen[kind] += 1
        if all(seen[task, answer, 0] >= CHOICE * wanted[task] for task in wanted for answer in answers(task)):
            break
    return _Found(found, usual)


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


def _of_image(
    gold: Gold, seed: int, settings: ProtocolSettings, usual: Mapping[Task, Usual]
) -> Iterator[tuple[Known, Look, bool]]:
    """Make the image's questions with their looks, and count in `usual` what is asked about it.

    The third value tells links that are asked only after other answers: they are taken last.
    """
    image = gold.image
    mentions = from_json(image.progress.state).mentions
    chains = _chains_of(gold)
    lot = Random(f"{seed} {image.name}")
    asked = asked_with_right_answers(mentions, chains, lot, settings)
    types = {number: mention.types for number, mention in mentions.items()}
    for known in asked:
        usual[known.task].looks[look_of(types, known.shown)] += 1
        usual[known.task].answers[answer_of(known.task, known.truth)] += 1
    for known in known_questions(mentions, chains, image.width, image.height, lot, asked):
        yield known, look_of(types, known.shown), known.task is Task.COREFERENCE_LINK and known not in asked
