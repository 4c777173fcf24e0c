"""Fill the stock of verification questions from the project's gold annotations."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple

from annotation.models import Gold, Mention, Project
from annotation.rules.box import Box
from pipeline.gold_questions.known_questions import New, Purpose, Source, add_all, keys_of
from pipeline.known.explanation import explain
from pipeline.known.known_answer import is_sweep
from pipeline.known.known_from_gold import (
    GoldQuestion,
    KnownChain,
    QuestionLook,
    known_questions,
    look_of,
    questions_with_right_answers,
)
from pipeline.known.question_mix import (
    SOME_SAME,
    Candidate,
    Kind,
    Usual,
    answer_name,
    answer_names,
    choose,
    kind_of,
    kinds_of,
    of_kind,
)
from pipeline.models import KnownQuestion
from pipeline.policies.compose import compose_for_right_answers, engine_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.answers import LinkShape
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings

IMAGES_PER_BATCH = 100
"""Images in memory."""
CHOICE = 4
"""Candidates for each wanted question, to choose a balanced stock from."""
LEAST_PAIRS = 0.1
"""The least share of pairs among known questions where most are sweeps."""
RARELY = 3
"""Added to the rank of links that are hardly ever asked: they come after all others."""
HOME = {Purpose.EXAMPLE: (0, 10), Purpose.TEST: (10, 35), Purpose.VERIFICATION: (35, 100)}
"""The percent of the images from which each purpose takes its questions first, so that purposes share no images."""


class ImageQuestions(NamedTuple):
    """The questions that one image's gold answers."""

    looks: list[tuple[Kind, QuestionLook, str]]
    """Everything that workers would really be asked, with the right answers; repetitions too."""
    questions: list[tuple[GoldQuestion, QuestionLook, bool]]
    """Each question once, in random order, sweeps first: pairs of theirs do not keep them out of the stock.

    The last value tells links that are asked only after other answers.
    """


class Makers(NamedTuple):
    """The people who made an image's gold."""

    names: str = ""
    workers: Collection[int] = ()
    """Their ids as workers: they know the answers, and are never asked."""


def fill_from_gold(
    *,
    project: Project,
    most: Mapping[Task, int],
    purpose: KnownQuestion.Purpose = Purpose.VERIFICATION,
    seed: int = 0,
    step: Callable[[int], Any] = lambda images: None,
    makers: Mapping[int, Makers] | None = None,
    cache: dict[int, ImageQuestions] | None = None,
) -> dict[Task, int]:
    """Fill each task's stock for the purpose up to `most` questions. Returns how many were added, by task.

    Looks at images in an order drawn from the seed, until there is enough to choose a balanced stock from. Calls
    `step` with the number of images looked at since the last call. `makers`: the images to take questions from, by id,
    with who made their gold; None: all images with gold. `cache`: keeps what images give for further calls with the
    same seed and gold, by image id; only for few images.
    """
    present = {task: _GoldStock(project.id, task, purpose) for task in most}
    wanted = {task: most[task] - present[task].mix.total() for task in most if most[task] > present[task].mix.total()}
    added = dict.fromkeys(most, 0)
    source = _Source(project, seed, None if makers is None else makers.keys(), cache)
    found = _collect(source, purpose, wanted, step)
    # By the first question of each task, so that a seed gives questions the same ids.
    for task in dict.fromkeys([task for kind in found.candidates for task in wanted if kind in kinds_of(task)]):
        chosen = _chosen(task, wanted[task], present[task], found, purpose)
        added[task] = _add(project.id, purpose, chosen, makers or {})
    return added


def examples_needed(settings: Settings) -> dict[Task, int]:
    """Return how many examples each task needs: one of each right answer."""
    asked = {*Task, *engine_of(settings).link_shapes}
    return {task: sum(len(answer_names(kind)) for kind in kinds_of(task) if kind in asked) for task in Task}


def given_by(gold: Gold) -> dict[Task, Counter[str]]:
    """Count the questions that an image's gold answers, by task and right answer."""
    found = {task: Counter[str]() for task in PROTOCOL_TASKS}
    for known, _, _ in _of_image(gold, 0, current_settings(gold.image.project_id)[1]).questions:
        found[known.task][answer_name(known.task, known.truth)] += 1
    return found


def _chosen(
    task: Task, target: int, has: "_GoldStock", gold: "_Found", purpose: KnownQuestion.Purpose
) -> list[Candidate]:
    """Choose this number of questions: of each kind its usual share, or what there is."""
    chosen: list[Candidate] = []
    for kind, most in _turns(task, target, has, gold, purpose):
        chosen += choose(
            kind,
            [candidate for candidate in gold.candidates[kind] if not any(candidate is other for other in chosen)],
            most=min(most, target - len(chosen)),
            mix=has.mix + Counter(answer_name(task, candidate.known.truth) for candidate in chosen),
            images=has.images + Counter(candidate.image for candidate in chosen),
            looks=has.looks(kind),
            usual=gold.usual[kind],
            balanced=purpose != Purpose.EXAMPLE,
        )
    return chosen


def _turns(
    task: Task, target: int, has: "_GoldStock", gold: "_Found", purpose: KnownQuestion.Purpose
) -> Iterator[tuple[Kind, int]]:
    """Yield the kinds in the order of choosing, each with the most questions of its turn. Half of examples are sweeps.

    Real questions are pairs more often than right answers tell, so some are pairs in any case.
    """
    sweep = LinkShape.SWEEP
    if sweep in kinds_of(task) and (swept := gold.usual[sweep].answers.total()):
        share = swept / (swept + gold.usual[task].answers.total())
        share = 0.5 if purpose == Purpose.EXAMPLE else min(share, 1 - LEAST_PAIRS)
        goal = round((has.mix.total() + target) * share)
        yield sweep, max(0, goal - of_kind(sweep, has.mix).total())
        yield task, target
        yield sweep, target
    else:
        yield task, target


def _add(
    project_id: int, purpose: KnownQuestion.Purpose, chosen: Sequence[Candidate], makers: Mapping[int, Makers]
) -> int:
    """Add the chosen questions; examples with the reasons that gold knows."""
    whys: dict[int, str] = {}
    if purpose == Purpose.EXAMPLE:
        for image in {candidate.image for candidate in chosen}:
            some = [candidate.known for candidate in chosen if candidate.image == image]
            whys |= {id(known): why for known, why in zip(some, _explained(image, some), strict=True)}
    new = [
        New(candidate.image, candidate.known, *makers.get(candidate.image, Makers()), whys.get(id(candidate.known), ""))
        for candidate in chosen
    ]
    return add_all(project_id=project_id, new=new, source=Source.GOLD, purpose=purpose)


def _explained(image_id: int, known: Sequence[GoldQuestion]) -> list[str]:
    """Explain each question about an image by its gold."""
    gold = Gold.objects.select_related("image__progress").get(image=image_id)
    mentions = from_json(gold.image.progress.state).mentions
    phrases = {number: mention.text for number, mention in mentions.items()}
    return [explain(question, phrases, _chains_of(gold)) for question in known]


def _chains_of(gold: Gold) -> list[KnownChain]:
    return [
        KnownChain(tuple(c["mentions"]), c["scene"], tuple(Box(*box) for box in c["boxes"]), c.get("open", False))
        for c in gold.chains
    ]


class _GoldStock:
    """A task's stock for a purpose, as numbers of questions by right answer, image and look."""

    def __init__(self, project_id: int, task: Task, purpose: KnownQuestion.Purpose) -> None:
        rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value, purpose=purpose, retired_at=None)
        self.task, self.rows = task, list(rows.values_list("truth", "image_id", "shown"))
        self.mix = Counter(answer_name(task, truth) for truth, _, _ in self.rows)
        self.images = Counter(image for _, image, _ in self.rows)

    def looks(self, kind: Kind) -> Counter[QuestionLook]:
        types: dict[int, dict[int, list[str]]] = defaultdict(dict)
        for image, number, types_of_mention in Mention.objects.filter(image__in=self.images).values_list(
            "image", "number", "types"
        ):
            types[image][number] = types_of_mention
        rows = [row for row in self.rows if kind_of(self.task, row[0]) is kind]
        return Counter(look_of(types[image], shown) for _, image, shown in rows)


class _Source(NamedTuple):
    """The images that candidates come from."""

    project: Project
    seed: int
    images: Collection[int] | None
    """Ids; None: all images with gold."""
    cache: dict[int, ImageQuestions] | None


class _Found(NamedTuple):
    """Candidates for the stock from the gold of some images."""

    candidates: dict[Kind, list[Candidate]]
    usual: dict[Kind, Usual]


def _collect(
    source: _Source, purpose: KnownQuestion.Purpose, numbers: Mapping[Task, int], step: Callable[[int], Any]
) -> _Found:
    """Collect candidates by kind; of each answer and rank up to `CHOICE` times the number wanted of the task."""
    found: dict[Kind, list[Candidate]] = defaultdict(list)
    usual: dict[Kind, Usual] = {kind: Usual(Counter(), Counter()) for task in Task for kind in kinds_of(task)}
    seen: Counter[tuple[Task, str, int]] = Counter()
    project_id = source.project.id
    taken, settings = _Taken(project_id, purpose), current_settings(project_id)[1]
    shapes = engine_of(settings).link_shapes
    # Where sweeps are asked, hardly any pairs come up by themselves.
    needed = {task: (SOME_SAME,) if shapes.intersection(kinds_of(task)) else answer_names(task) for task in numbers}
    for gold in _in_order(source) if numbers else ():
        step(1)
        home = taken.rank(gold)
        made = _made(gold, source, settings)
        for kind, look, answer in made.looks:
            usual[kind].looks[look] += 1
            usual[kind].answers[answer] += 1
        for known, look, rare in made.questions:
            rank = home + RARELY * rare
            alike = known.task, answer_name(known.task, known.truth), rank
            if known.task in numbers and seen[alike] < CHOICE * numbers[known.task] and taken.is_new(gold, known):
                found[kind_of(known.task, known.truth)].append(Candidate(known, gold.image_id, rank, look))
                seen[alike] += 1
        if all(seen[task, answer, 0] >= CHOICE * numbers[task] for task in numbers for answer in needed[task]):
            break
    return _Found(found, usual)


class _Taken:
    """The questions of the project's stock, for all purposes, with those found since."""

    def __init__(self, project_id: int, purpose: KnownQuestion.Purpose) -> None:
        rows = list(KnownQuestion.objects.filter(project_id=project_id).only("image_id", "purpose", "task", "shown"))
        self.purpose = purpose
        self.elsewhere = {row.image_id for row in rows if row.purpose != purpose}
        self.keys = {(row.task, key) for row in rows for key in keys_of(Task(row.task), row.image_id, row.shown)}

    def is_new(self, gold: Gold, known: GoldQuestion) -> bool:
        """Note the question, and return whether nothing that it asks was there before."""
        keys = {(known.task.value, key) for key in keys_of(known.task, gold.image_id, known.shown)}
        if not keys.isdisjoint(self.keys):
            return False
        self.keys |= keys
        return True

    def rank(self, gold: Gold) -> int:
        """Return 0 for images that this purpose takes first, 2 for those that another purpose uses, 1 for others."""
        if gold.image_id in self.elsewhere:
            return 2
        first, end = HOME[self.purpose]
        return 0 if first <= int(sha256(gold.image.name.encode()).hexdigest(), 16) % 100 < end else 1


def _in_order(source: _Source) -> Iterator[Gold]:
    rows = Gold.objects.filter(image__project=source.project)
    if source.images is not None:
        rows = rows.filter(image__in=source.images)
    ids = list(rows.order_by("image__position").values_list("image_id", flat=True))
    Random(source.seed).shuffle(ids)
    for first in range(0, len(ids), IMAGES_PER_BATCH):
        some = rows.select_related("image__progress").in_bulk(ids[first : first + IMAGES_PER_BATCH])
        yield from (some[image] for image in ids[first : first + IMAGES_PER_BATCH])


def _made(gold: Gold, source: _Source, settings: Settings) -> ImageQuestions:
    """Return what the image gives; from what was kept, if it is there."""
    if source.cache is None:
        return _of_image(gold, source.seed, settings)
    if gold.image_id not in source.cache:
        source.cache[gold.image_id] = _of_image(gold, source.seed, settings)
    return source.cache[gold.image_id]


def _of_image(gold: Gold, seed: int, settings: Settings) -> ImageQuestions:
    """Make the image's questions with their looks."""
    image = gold.image
    mentions = from_json(image.progress.state).mentions
    chains = _chains_of(gold)
    rng = Random(f"{seed} {image.name}")
    asked = questions_with_right_answers(mentions, chains, rng, compose_for_right_answers(settings))
    types = {number: mention.types for number, mention in mentions.items()}
    every = [*known_questions(mentions, chains, image.width, image.height, rng, asked)]
    every.sort(key=lambda question: not is_sweep(question.task, question.truth))
    return ImageQuestions(
        [
            (
                kind_of(question.task, question.truth),
                look_of(types, question.shown),
                answer_name(question.task, question.truth),
            )
            for question in asked
        ],
        [
            (question, look_of(types, question.shown), question.task is Task.COREFERENCE_LINK and question not in asked)
            for question in every
        ],
    )
