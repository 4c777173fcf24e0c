"""Play one image in memory: fold start, answers and merging into its progress, by the rules that the service uses.

Questions that are open together are answered together, as by workers who answer at the same time: an answer to a
question that another one has closed meanwhile is paid, and changes nothing.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from annotation.rules.states import ImageState
from pipeline.checking.label import labels_now
from pipeline.policies.compose import compose
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply, begin
from pipeline.protocol.image.merging import can_merge
from pipeline.protocol.rules import NO_CONTEXT, EntryContext, context_of
from pipeline.protocol.state.progress import ImageProgress, OpenQuestion
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from simulation.predict.reference_source import labels_of_source_image, right_in, waiting
from simulation.predict.subject import Subject
from simulation.score import SimulationScore, score_chains
from simulation.view import KnownView, TrueImage, View


class AnswerSource(Protocol):
    """Virtual workers who answer, such as `simulation.crowd.Crowd`."""

    def answer(self, view: View | KnownView, worker: int) -> object: ...


class Crew(Protocol):
    """Workers who may answer real questions."""

    def pick(self, task: Task, barred: Collection[int], draw: random.Random) -> int | None:
        """Return a worker for the question, or None if nobody may answer it."""
        ...

    def counts(self, task: Task, worker: int, draw: random.Random) -> bool:
        """Tell whether the answer counts; else it is paid, and another worker is asked."""
        ...

    def checked(self, task: Task, worker: int) -> tuple[float, int] | None:
        """Return the share of right answers among those of the worker that are checked, and their number, if any."""
        ...

    def is_model(self, worker: int) -> bool: ...


@dataclass(slots=True)
class Played:
    """The outcome of one image."""

    judgments: Counter[Task] = field(default_factory=Counter)
    """Paid answers to real questions."""
    chains: int = 0
    """True chains."""
    exact: int = 0
    """True chains found with exactly the same mentions, after merging."""
    review: int = 0
    """Chains that need an expert."""
    wrong: int = 0
    """True chains that the source of a checked project labels wrong."""
    found: int = 0
    """Those among them that end right."""
    spoiled: int = 0
    """True chains that the source labels right and that end wrong."""


def play_image(
    subject: Subject,
    truth: TrueImage,
    settings: Settings,
    answers: AnswerSource,
    crew: Crew,
    draw: random.Random,
    pre_annotated: Mapping[int, Mapping[str, Any]] = MappingProxyType({}),
) -> Played:
    """Let the crew answer until nothing is open, then merge. The same arguments give the same outcome."""
    progress, judgments = annotate_image(subject, truth, settings, answers, crew, draw, pre_annotated)
    score = SimulationScore()
    score_chains(score, progress, truth)
    played = Played(judgments, score.merged_chains.gold, score.merged_chains.matched, score.review.total())
    if subject.source_labels is not None:
        before = right_in(truth, labels_of_source_image(subject))
        after = right_in(truth, labels_now(progress), waiting(progress))
        played.wrong = before.count(False)
        played.found, played.spoiled = (
            sum(was == old and now != old for was, now in zip(before, after, strict=True)) for old in (False, True)
        )
    return played


def annotate_image(
    subject: Subject,
    truth: TrueImage,
    settings: Settings,
    answers: AnswerSource,
    crew: Crew,
    draw: random.Random,
    pre_annotated: Mapping[int, Mapping[str, Any]] = MappingProxyType({}),
    begun: Callable[[ImageProgress], object] = lambda progress: None,
) -> tuple[ImageProgress, Counter[Task]]:
    """Return the image as the crew leaves it, merged if nothing needs an expert, and the paid answers by task.

    `pre_annotated`: by the number of a program, what it predicts: "boxes", as rows of an entry, and "chains".
    `begun`: is called before the first answer.
    """
    progress = begin(subject.first_entry())
    for program, predicted in pre_annotated.items():
        _enter(progress, EntryKind.PROPOSE, {"worker": program, "boxes": [], **predicted}, settings)
    needs = compose(settings).needs
    seed = draw.getrandbits(32) if needs.seed else 0
    _enter(progress, EntryKind.START, {}, settings, context_of(needs, seed=seed))
    judgments: Counter[Task] = Counter()
    begun(progress)
    while progress.open:
        for question in list(progress.open.values()):
            _ask(progress, question, judgments, settings=settings, truth=truth, answers=answers, crew=crew, draw=draw)
        progress.moves.clear()
    if progress.state is not ImageState.MERGED and can_merge(progress):
        _enter(progress, EntryKind.MERGE, {}, settings)
    return progress, judgments


def _ask(
    progress: ImageProgress,
    question: OpenQuestion,
    judgments: Counter[Task],
    *,
    settings: Settings,
    truth: TrueImage,
    answers: AnswerSource,
    crew: Crew,
    draw: random.Random,
) -> None:
    """Get one answer that counts to a question that was open when this round began."""
    is_open = question.number in progress.open
    if not is_open and question.task is not Task.COREFERENCE_LINK:
        return  # what was shown is gone, and the service closes such questions before they are leased
    worker = crew.pick(question.task, question.barred, draw)
    if worker is None:
        if is_open:
            _enter(progress, EntryKind.STARVE, {"question": question.number}, settings)
        return
    judgments[question.task] += 1
    while not crew.counts(question.task, worker, draw):
        worker = crew.pick(question.task, question.barred, draw) or worker
        judgments[question.task] += 1
    if is_open:
        answer = answers.answer(View(question.task, question.number, question.subject, progress, truth), worker)
        data = {"question": question.number, "worker": worker, "answer": answer}
        needs, checked = compose(settings).needs, crew.checked(question.task, worker)
        context = context_of(needs, task=question.task, by_model=crew.is_model(worker), checked=checked)
        _enter(progress, EntryKind.JUDGMENT, data, settings, context)


def _enter(
    progress: ImageProgress,
    kind: EntryKind,
    data: dict[str, object],
    settings: Settings,
    context: EntryContext = NO_CONTEXT,
) -> None:
    apply(progress, RecordEntry(progress.sequence + 1, kind, data, context), compose(settings))
