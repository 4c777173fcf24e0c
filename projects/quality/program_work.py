"""Work of model annotators: what became of each answer, what they saved, how fast they were, and their silence."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice
from math import sqrt
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Avg, Count, Exists, Max, OuterRef, Q

from annotation.rules.states import ChainState, ImageState
from belief.models.records import LinkAudit
from pipeline.models import Assignment, Judgment, Progress, Question, SettingsVersion
from pipeline.models.work import OF_SWEEPS
from pipeline.policies.adaptive_links import link_audit_of
from pipeline.policies.models import in_audit
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress import NOTHING_DRAWN, ChainAnswer, ChainProgress, ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.task import JUDGING, PROTOCOL_TASKS, QuestionState, Task
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import BATCH, USUAL_SECONDS
from runtime import clock
from runtime.intervals import OF_PROGRAMS, normal
from workers.models import Access, Worker

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


MOST_IMAGES = 1000
"""The newest images with answers of programs, whose record is read."""
MOST_ASSIGNMENTS = 5000
"""The newest assignments of a program, from which its speed and its silence follow."""
PAUSE = timedelta(minutes=10)
"""A program that asks again within this time was at work in between."""
SILENCE = timedelta(hours=1)
"""A program that asks for nothing for longer was silent, if it was set to work and could have answered something."""
MOST_SILENCES = 20
"""The newest times without a request that are looked at."""
OPEN_LOOKED_AT = 200
QUESTION_KINDS = ("links", "boxes")
JUDGED = [task for task in PROTOCOL_TASKS if task in JUDGING]
TASKS = [task.value for task in JUDGED]
USUAL = {task: USUAL_SECONDS[task] / BATCH[task] for task in PROTOCOL_TASKS}


def program_work(project_id: int) -> dict[str, Any]:
    """Return the work of each program that answered, by its number; empty if none did.

    Times are in seconds, amounts in hundredths of the currency.
    """
    given = Judgment.objects.filter(question__project=project_id, worker__kind=Worker.Kind.PROGRAM)
    rows = given.filter(question__task__in=TASKS).order_by().values_list("worker", "question__task")
    counted = list(rows.annotate(number=Count("id"), waiting=Count("id", filter=Q(entry=None))))
    if not counted:
        return {}
    settings = current_settings(project_id)[1]
    newest = given.filter(question__task__in=TASKS).order_by().values("question__image").annotate(last=Max("id"))
    images = list(newest.order_by("-last").values_list("question__image", flat=True)[: MOST_IMAGES + 1])
    read = _read(images[:MOST_IMAGES], project_id, settings)
    whole, told = len(images) <= MOST_IMAGES, {}
    for program in sorted({worker for worker, *_ in counted}):
        told[str(program)] = {
            "tasks": [
                _of_task(read, program, task, number, waiting)
                for task in JUDGED
                for worker, given_to, number, waiting in counted
                if (worker, given_to) == (program, task.value)
            ],
            "saved": {kind: found for kind in QUESTION_KINDS if (found := read.saved(program, kind))},
            "whole": whole,
            **_speed(project_id, program),
        }
    return told


def _read(images: Sequence[int], project_id: int, settings: Settings) -> ProgramAnswers:
    cents = {task: settings.reward_cents[task.value] / settings.batch[task.value] for task in PROTOCOL_TASKS}
    found = ProgramAnswers(settings.model_annotators, seconds_of_people(project_id), cents)
    for (state,) in Progress.objects.filter(image__in=images).values_list("state").iterator(chunk_size=100):
        found.add(from_json(state))
    return found


def seconds_of_people(project_id: int) -> dict[Task, float]:
    """Return the mean seconds of an answer of people by task, as measured; the paper's where nothing was.

    Of links that is the answer to a pair: sweeps take longer, and programs answer none.
    """
    rows = Judgment.objects.filter(question__project=project_id, seconds__isnull=False).exclude(OF_SWEEPS)
    people = rows.exclude(worker__kind=Worker.Kind.PROGRAM).order_by().values_list("question__task")
    return {**USUAL, **{Task(task): mean for task, mean in people.annotate(mean=Avg("seconds"))}}


def _of_task(read: ProgramAnswers, program: int, task: Task, number: int, waiting: int) -> list[Any]:
    fates, held = read.outcomes[program], read.calibration[program]
    by_fate = [fates[task, fate] for fate in AnswerOutcome]
    return [task.value, number, *by_fate, waiting, held[task, False], held[task, True]]


# --- Speed and silence ---


class Turn(NamedTuple):
    """One assignment of a program."""

    leased: datetime
    answered: datetime
    answers: int
    task: str


def _speed(project_id: int, program: int) -> dict[str, Any]:
    own = Assignment.objects.filter(worker=program, project=project_id, task__in=TASKS)
    done = own.filter(state=Assignment.State.SUBMITTED, ended_at__isnull=False).order_by("-id")
    rows = done.values_list("created_at", "ended_at", "questions", "task")[:MOST_ASSIGNMENTS]
    turns = sorted(Turn(asked, ended, len(questions), task) for asked, ended, questions, task in rows if ended)
    if not turns:
        return {"an_hour": None, "median": None, "silences": []}
    silences = _silences(project_id, program, turns)
    return {
        "an_hour": answers_an_hour(turns),
        "median": median((turn.answered - turn.leased).total_seconds() for turn in turns),
        "silences": [[begin.isoformat(), end.isoformat()] for begin, end in silences],
    }


def answers_an_hour(turns: Sequence[Turn]) -> float | None:
    """Return the answers an hour while the program was at work; None if that took no time. `turns`: by time.

    Turns may overlap. A pause that is longer than `PAUSE` is no time of work.
    """
    busy, until = timedelta(), turns[0].leased
    for turn in turns:
        begin = until if turn.leased - until <= PAUSE else turn.leased
        busy += max(turn.answered - begin, timedelta())
        until = max(until, turn.answered)
    hours = busy.total_seconds() / 3600
    return sum(turn.answers for turn in turns) / hours if hours else None


def _silences(project_id: int, program: int, turns: Sequence[Turn]) -> Iterator[tuple[datetime, datetime]]:
    """Yield the times in which the program was set to work, could have answered and asked for nothing, newest first.

    Requests that brought no question are not kept, but for the last one; so only such times count in which a question
    was open for it.
    """
    own = Access.objects.filter(worker=program, project=project_id, asked_at__isnull=False)
    at_work, tasks = _at_work(project_id, program), {turn.task for turn in turns}
    asked = [*(turn.leased for turn in turns), *(at for at in own.values_list("asked_at", flat=True) if at)]
    times = sorted({*asked, *(turn.answered for turn in turns), *(begin for begin, _ in at_work)})
    gaps = reversed(list(zip(times, [*times[1:], clock.now()], strict=True)))
    both = ((max(begin, first), min(end, last)) for begin, end in gaps for first, last in at_work)
    for since, until in islice(((a, b) for a, b in both if b - a > SILENCE), MOST_SILENCES):
        if _could_answer(project_id, program, tasks, since, until):
            yield since, until


def _at_work(project_id: int, program: int) -> list[tuple[datetime, datetime]]:
    """Return the times in which the program was set to work, the newest first."""
    rows = SettingsVersion.objects.filter(project_id=project_id).order_by("version")
    found: list[tuple[datetime, datetime]] = []
    since: datetime | None = None
    for at, model_annotators in rows.values_list("created_at", "values__model_annotators"):
        is_set = program in (model_annotators or ())
        if is_set and since is None:
            since = at
        elif not is_set and since is not None:
            found.append((since, at))
            since = None
    if since is not None:
        found.append((since, clock.now()))
    return found[::-1]


def _could_answer(project_id: int, program: int, tasks: Collection[str], since: datetime, until: datetime) -> bool:
    """Tell whether a question was open for the program in this time: it is still, or was answered later."""
    asked = Question.objects.filter(project_id=project_id, task__in=tasks, opened_at__lt=until - SILENCE)
    answers = Judgment.objects.filter(question=OuterRef("pk"))
    if asked.filter(Exists(answers.filter(worker=program, created_at__gte=until))).exists():
        return True
    later = Exists(answers.filter(created_at__gt=since + SILENCE))
    rows = asked.filter(Q(state=QuestionState.OPEN.value) | later).order_by("-id").values_list("barred", "skipped")
    return any(program not in (*barred, *skipped) for barred, skipped in rows[:OPEN_LOOKED_AT])
