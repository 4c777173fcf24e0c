"""Answers of model annotators: the fate of each, and the work of people with and without them."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import sqrt
from typing import Any, NamedTuple

from annotation.rules.states import ChainState, ImageState
from belief.models.audit import LinkAudit
from pipeline.policies.adaptive_links import link_audit_of
from pipeline.policies.models import in_audit
from pipeline.protocol.state.answer import NOTHING_DRAWN, ChainAnswer
from pipeline.protocol.state.progress import ChainProgress, ImageProgress
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.task import Task
from runtime.intervals import OF_PROGRAMS, normal

FINISHED = (ChainState.COMPLETE, ChainState.NON_VISUAL)
MIN_AUDITED = 10
"""Chains of the audit, or images, from which the others are compared with them."""
LINK = Task.COREFERENCE_LINK


class AnswerOutcome(StrEnum):
    """The fate of a program's answer."""

    EVIDENCE = "evidence"
    """It counted."""
    AUDIT = "audit"
    """People answer whatever it says, so that its errors can be learned."""
    ASIDE = "aside"
    """It counts no longer: the program was set aside, or the answer was taken back."""


class HumanWork(NamedTuple):
    """The work of people on a finished chain, or on the links of an image."""

    seconds: float
    cents: float


@dataclass(slots=True)
class Sums:
    """Costs of several chains or images: their number, and sums and sums of squares of seconds and cents."""

    number: int = 0
    total: list[float] = field(default_factory=lambda: [0.0, 0.0])
    squares: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def add(self, cost: HumanWork) -> None:
        self.number += 1
        for place, value in enumerate(cost):
            self.total[place] += value
            self.squares[place] += value * value

    def mean(self, place: int) -> float:
        return self.total[place] / self.number

    def variance(self, place: int) -> float:
        """Return the variance of the mean."""
        spread = max(self.squares[place] / self.number - self.mean(place) ** 2, 0.0)
        return spread / max(self.number - 1, 1)


@dataclass(slots=True)
class ProgramAnswers:
    """The counts of the images so far."""

    at_work: Collection[int]
    """The programs whose answers are evidence now."""
    seconds: Mapping[Task, float]
    """Of one answer of a person."""
    cents: Mapping[Task, float]
    outcomes: dict[int, Counter[tuple[Task, AnswerOutcome]]] = field(default_factory=lambda: defaultdict(Counter))
    calibration: dict[int, Counter[tuple[Task, bool]]] = field(default_factory=lambda: defaultdict(Counter))
    """By program, the answers to what people answered, too: by whether more of them said otherwise."""
    audit: dict[str, Sums] = field(default_factory=lambda: defaultdict(Sums))
    """"boxes", "links": chains and images about which people answer whatever programs say."""
    others: dict[tuple[int, str], Sums] = field(default_factory=lambda: defaultdict(Sums))
    """The same of those for which a program's answers counted, by the program."""

    def add(self, progress: ImageProgress) -> None:
        """Count the answers of programs about one image."""
        self._add_links(progress)
        for chain in progress.chains.values():
            self._add_chain(chain)

    def saved(self, program: int, kind: str) -> "SavedWork | None":
        """Return what people did not spend on chains or images where the program's answers counted; None: unknown."""
        with_it, without = self.others.get((program, kind), Sums()), self.audit.get(kind, Sums())
        if not with_it.number or without.number < MIN_AUDITED:
            return None
        found = list[float]()
        for place in range(len(HumanWork._fields)):
            middle = with_it.number * (without.mean(place) - with_it.mean(place))
            deviation = with_it.number * sqrt(without.variance(place) + with_it.variance(place))
            found += normal(middle, deviation, OF_PROGRAMS)
        return SavedWork(with_it.number, without.number, *found)

    def _add_links(self, progress: ImageProgress) -> None:
        people, by_models, audit = (
            progress.votes_by(model=False),
            progress.votes_by(model=True),
            link_audit_of(progress),
        )
        for pair, votes in by_models.items():
            said = [bool(vote.answer) for vote in people.get(pair, ())]
            for vote in votes:
                ended = progress.state is not ImageState.LINKING
                self._note(vote.worker, LINK, in_audit=audit is not LinkAudit.BOTH, ended=ended)
                self._hold(vote.worker, LINK, finds_fault=bool(vote.answer), people=said)
        if progress.state is ImageState.LINKING or audit is None:
            return
        answers = len({vote.entry for votes in people.values() for vote in votes})
        cost = HumanWork(answers * self.seconds[LINK], answers * self.cents[LINK])
        if audit is LinkAudit.PEOPLE:
            self.audit["links"].add(cost)
        else:
            for program in {vote.worker for votes in by_models.values() for vote in votes}:
                self.others[program, "links"].add(cost)

    def _add_chain(self, chain: ChainProgress) -> None:
        judged, ended = [answer for answer in chain.answers if answer.is_judged_by_model], chain.state in FINISHED
        people: dict[Any, list[bool]] = defaultdict(list)
        for person in _of_people(chain):
            people[_about(person)].append(_finds_fault(person))
        for answer in judged:
            assert answer.worker is not None  # a program answered
            voided = not answer.counts
            self._note(answer.worker, answer.task, in_audit=in_audit(chain) is not False, ended=ended, voided=voided)
            if not voided:
                self._hold(answer.worker, answer.task, finds_fault=_finds_fault(answer), people=people[_about(answer)])
        if not ended or in_audit(chain) is None:
            return
        answers = Counter(person.task for person in _of_people(chain))
        cost = HumanWork(
            *(sum(amounts[task] * n for task, n in answers.items()) for amounts in (self.seconds, self.cents))
        )
        if in_audit(chain):
            self.audit["boxes"].add(cost)
        else:
            for program in {answer.worker for answer in judged if answer.worker is not None}:
                self.others[program, "boxes"].add(cost)

    def _note(self, program: int, task: Task, *, in_audit: bool, ended: bool, voided: bool = False) -> None:
        aside = voided or (program not in self.at_work and not ended)
        self.outcomes[program][
            task, AnswerOutcome.ASIDE if aside else AnswerOutcome.AUDIT if in_audit else AnswerOutcome.EVIDENCE
        ] += 1

    def _hold(self, program: int, task: Task, *, finds_fault: bool, people: Collection[bool]) -> None:
        alike = sum(person is finds_fault for person in people)
        if 2 * alike != len(people):
            self.calibration[program][task, 2 * alike < len(people)] += 1


class SavedWork(NamedTuple):
    """The time and money that people did not spend, with the ends of 90 % intervals; below 0 they spent more."""

    number: int
    """The chains, or images, for which the program's answers counted."""
    audit: int
    """Those of the audit that they are held against."""
    seconds: float
    least_seconds: float
    most_seconds: float
    cents: float
    least_cents: float
    most_cents: float


def _of_people(chain: ChainProgress) -> Iterator[ChainAnswer]:
    return (answer for answer in chain.answers if answer.counts and answer.worker is not None and not answer.by_model)


def _about(one: ChainAnswer) -> tuple[bool, tuple[int, ...]]:
    """Return what an answer is about: the quality of a box, or whether one is missing beside those shown."""
    return one.task is Task.BOX_QUALITY, tuple(sorted(one.boxes))


def _finds_fault(one: ChainAnswer) -> bool:
    """Return whether the answer says that the box is bad, or that one is missing."""
    match one.task:
        case Task.BOX_REQUIREMENT:
            return bool(one.value == RequirementAnswer.BOX)
        case Task.BOX_DRAWING:
            return bool(one.value != NOTHING_DRAWN)
        case Task.BOX_COVERAGE:
            return bool(one.value == CoverageAnswer.MORE_NEEDED)
    return bool(one.value == BoxQualityAnswer.BAD)
