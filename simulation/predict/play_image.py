"""Play one image in memory: fold start, answers and merging into its progress, by the rules that the service uses.

Questions that are open together are answered together, as by workers who answer at the same time: an answer to a
question that another one has closed meanwhile is paid, and changes nothing.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from annotation.rules.states import ChainState, ImageState, NonVisual
from pipeline.checking.label_evidence import labels_now
from pipeline.policies.compose import compose
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply, begin
from pipeline.protocol.image.merging import can_merge, final_confidence
from pipeline.protocol.rules import NO_CONTEXT, EntryContext, context_of
from pipeline.protocol.state.progress import ChainProgress, ImageProgress, OpenQuestion
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from simulation.compare_strategies import further_candidates
from simulation.predict.subject import Subject, labels_of_source_image, right_in, waiting
from simulation.score import SimulationScore, final_mentions, score_chains
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


class Claim(NamedTuple):
    """A chain of the data set whose confidence is known."""

    mentions: int
    confidence: float
    """The chance that it has exactly the right mentions, 0 to 1, as exports state it."""
    is_right: bool


@dataclass(slots=True)
class AskedChains:
    """Chains that ended alike, and people's answers to box tasks about them that counted."""

    chains: int = 0
    answers: Counter[Task] = field(default_factory=Counter)

    def add(self, chain: ChainProgress) -> None:
        self.chains += 1
        self.answers.update(answer.task for answer in chain.answers if answer.counts and not answer.by_model)


@dataclass(slots=True)
class Played:
    """The outcome of one image."""

    judgments: Counter[Task] = field(default_factory=Counter)
    """Paid answers to real questions."""
    further: int = 0
    """Candidates of the sweeps among them, the first of each left out."""
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
    claims: list[Claim] = field(default_factory=list)
    negatives: AskedChains = field(default_factory=AskedChains)
    """Chains that ended without a box, but for scenes."""
    positives: AskedChains = field(default_factory=AskedChains)
    """Chains that ended with boxes."""


def outcome(progress: ImageProgress, judgments: Counter[Task], truth: TrueImage) -> Played:
    """Return what an image took, and its chains beside the true ones."""
    score = SimulationScore()
    score_chains(score, progress, truth)
    wanted = {frozenset(chain.mentions) for chain in truth.chains}
    claims = [
        Claim(len(mentions), confidence, frozenset(mentions) in wanted)
        for name, mentions in final_mentions(progress).items()
        if (confidence := final_confidence(progress, name)) is not None
    ]
    chains = score.merged_chains
    further = further_candidates(progress)
    played = Played(judgments, further, chains.gold, chains.matched, score.review.total(), claims=claims)
    for name, chain in progress.chains.items():
        if chain.state is ChainState.COMPLETE and progress.accepted(name):
            played.positives.add(chain)
        elif chain.state is ChainState.NON_VISUAL and chain.non_visual == NonVisual.NO_BOX:
            played.negatives.add(chain)
    return played


@dataclass(frozen=True, slots=True)
class ImagePlay:
    """One image that a crew annotates. The same parts give the same outcome."""

    subject: Subject
    truth: TrueImage
    settings: Settings
    answers: AnswerSource
    crew: Crew
    draw: random.Random
    pre_annotated: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """By the number of a program, what it predicts: "boxes", as rows of an entry, and "chains"."""

    def play(self) -> Played:
        """Let the crew answer until nothing is open, then merge."""
        progress, judgments = self.annotate()
        played = outcome(progress, judgments, self.truth)
        if self.subject.source_labels is not None:
            before = right_in(self.truth, labels_of_source_image(self.subject))
            after = right_in(self.truth, labels_now(progress), waiting(progress))
            played.wrong = before.count(False)
            played.found, played.spoiled = (
                sum(was == old and now != old for was, now in zip(before, after, strict=True)) for old in (False, True)
            )
        return played

    def annotate(
        self, begun: Callable[[ImageProgress], object] = lambda progress: None
    ) -> tuple[ImageProgress, Counter[Task]]:
        """Return the image as the crew leaves it, merged if nothing needs an expert, and the paid answers by task.

        `begun`: is called before the first answer.
        """
        progress = begin(self.subject.first_entry())
        for program, predicted in self.pre_annotated.items():
            self._enter(progress, EntryKind.PROPOSE, {"worker": program, "boxes": [], **predicted})
        needs = compose(self.settings).needs
        seed = self.draw.getrandbits(32) if needs.seed else 0
        self._enter(progress, EntryKind.START, {}, context_of(needs, seed=seed))
        judgments: Counter[Task] = Counter()
        begun(progress)
        while progress.open:
            for question in list(progress.open.values()):
                self._ask(progress, question, judgments)
            progress.moves.clear()
        if progress.state is not ImageState.MERGED and can_merge(progress):
            self._enter(progress, EntryKind.MERGE, {})
        return progress, judgments

    def _ask(self, progress: ImageProgress, question: OpenQuestion, judgments: Counter[Task]) -> None:
        """Get one answer that counts to a question that was open when this round began."""
        task, is_open = question.task, question.number in progress.open
        if not is_open and task is not Task.COREFERENCE_LINK:
            return  # what was shown is gone, and the service closes such questions before they are leased
        worker = self.crew.pick(task, question.barred, self.draw)
        if worker is None:
            if is_open:
                self._enter(progress, EntryKind.STARVE, {"question": question.number})
            return
        judgments[task] += 1
        while not self.crew.counts(task, worker, self.draw):
            worker = self.crew.pick(task, question.barred, self.draw) or worker
            judgments[task] += 1
        if is_open:
            view = View(task, question.number, question.subject, progress, self.truth)
            data = {"question": question.number, "worker": worker, "answer": self.answers.answer(view, worker)}
            needs, checked = compose(self.settings).needs, self.crew.checked(task, worker)
            context = context_of(needs, task=task, by_model=self.crew.is_model(worker), checked=checked)
            self._enter(progress, EntryKind.JUDGMENT, data, context)

    def _enter(
        self, progress: ImageProgress, kind: EntryKind, data: dict[str, object], context: EntryContext = NO_CONTEXT
    ) -> None:
        apply(progress, RecordEntry(progress.sequence + 1, kind, data, context), compose(self.settings))
