"""Model annotators: which have a key for a project, how often each was right, and setting them to work.

Their answers are evidence about boxes under the belief policy, see `pipeline.policies.models`, and about
links that are asked adaptively, see `pipeline.policies.adaptive_links`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import ceil
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, QuerySet

from annotation.models import Project
from belief.models.error_correlation import ErrorCorrelation, Families, pair_of
from belief.models.records import MIN_ANSWERS, NEW_BOX_MODEL, PERSON, BoxRecord, LinkRecord, Tally
from pipeline.asking.end_lease import end_assignments
from pipeline.models import Assignment, Judgment
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import change_settings, hold_settings
from pipeline.protocol.tasks.task import JUDGING, Task
from pipeline.settings.of_belief import ModelSettings
from pipeline.settings.of_work import MoneySettings
from pipeline.settings.settings import Settings
from projects.models import Figures
from projects.quality.program_work import SavedWork
from runtime import clock
from runtime.intervals import OF_PROGRAMS, IntervalEstimate, wilson
from runtime.words import hours, money
from workers.invitations import grant_access
from workers.models import ApiKey, Worker


class ModelFamily(NamedTuple):
    """A program's family, and sentences on what that means."""

    name: str = ""
    sentences: tuple[str, ...] = ()


def family_of(program: int, names: Mapping[int, str], settings: Settings) -> ModelFamily:
    """Return the family of a model annotator. `names`: of all model annotators, by their numbers."""
    others = sorted(set(names) - {program}, key=lambda one: names[one])
    engine = engine_of(settings)
    sentences = [
        sentence
        for what, task in engine.subjects.items()
        for sentence in _sentences(what, program, others, names, settings.model_families, engine.pairs_of_models(task))
    ]
    return ModelFamily(settings.model_families.get(str(program), ""), tuple(sentences))


def _sentences(
    what: str,
    program: int,
    others: Sequence[int],
    names: Mapping[int, str],
    of: Mapping[str, str],
    pairs: Mapping[str, ErrorCorrelation],
) -> Iterator[str]:
    relatives = [other for other in others if Families(of).are_one(program, other)]
    as_one = [names[relative] for relative in relatives if Families(of, pairs).are_one(program, relative)]
    apart = [names[relative] for relative in relatives if names[relative] not in as_one]
    alike = [
        names[other] for other in others if other not in relatives and _are_shared(pairs.get(pair_of(program, other)))
    ]
    if as_one:
        yield f"About {what} it counts as one opinion with {_listed(as_one)}."
    if apart:
        yield f"About {what} it counts apart from {_listed(apart)}: answers show that they err apart."
    if alike:
        yield f"About {what} it errs together with {_listed(alike)} more often than by chance: give both one family."


def _are_shared(pair: ErrorCorrelation | None) -> bool:
    return pair is not None and pair.are_shared


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


@transaction.atomic
def set_family(project: Project, program: int, family: str, by: str) -> None:
    """Name the family of a program; "": none. Raises Worker.DoesNotExist, and WrongValuesError for a name too long."""
    settings = hold_settings(project.pk)[1]
    worker = Worker.objects.get(pk=program, kind=Worker.Kind.PROGRAM)
    others = {other: name for other, name in settings.model_families.items() if other != str(program)}
    changed = replace(settings, model_families={**others, str(program): family} if family else others)
    if changed != settings:
        change_settings(project_id=project.pk, settings=changed, reason=f"family of {worker.name}", made_by=by)


PRICED = 1000
"""The answers that a requester says the cost of."""
SHORTEST = 0.1
"""Seconds; shorter times have no figure that a page shows."""
OF_KIND = {
    "boxes": "of people’s work on {} chains that its answers counted for, held against {} of the audit",
    "links": "of people’s work on the links of {} images that its answers counted for, held against {} of the audit",
}


class TaskWork(NamedTuple):
    """The answers of a program to one task, by what became of them."""

    task: str
    answers: int
    evidence: int
    audit: int
    aside: int
    waiting: int
    alike: int
    otherwise: int

    @property
    def compared(self) -> int:
        """The answers to what people answered, too."""
        return self.alike + self.otherwise


class ProgramWork(NamedTuple):
    """The work of one program, in words where it is a sentence."""

    tasks: list[TaskWork]
    at: datetime
    whole: bool
    """Off: what became of the answers is told of the newest images alone."""
    saved: list[str]
    speed: str
    silence: str
    silent_until: datetime | None
    """The end of the newest silence; None: there was none."""

    @property
    def answers(self) -> int:
        return sum(task.answers for task in self.tasks)


def works_of(project_id: int, settings: Settings) -> dict[int, ProgramWork]:
    """Return the work of each program of the project, by its number; none before the figures were counted."""
    row = Figures.objects.filter(project_id=project_id, name="programs").first()
    return (
        {int(program): _work(values, row.computed_at, settings) for program, values in row.values.items()}
        if row
        else {}
    )


def cost_of(program: int, answers: int, settings: MoneySettings) -> str:
    """Return what a program's answers cost in words; "" if nobody has said what they cost."""
    cents = settings.program_cost_cents.get(str(program))
    if cents is None:
        return ""
    amount, each = (money(round(amount_cents), settings.currency) for amount_cents in (answers * cents / PRICED, cents))
    return f"{amount} for {answers:,} answers, at {each} for {PRICED:,}."


def _work(values: dict[str, Any], at: datetime, settings: Settings) -> ProgramWork:
    silences = [(datetime.fromisoformat(begin), datetime.fromisoformat(end)) for begin, end in values["silences"]]
    silent = sum((end - begin for begin, end in silences), timedelta())
    times = "once" if len(silences) == 1 else f"{len(silences)} times"
    return ProgramWork(
        [TaskWork(Task(task).label, *numbers) for task, *numbers in values["tasks"]],
        at,
        values["whole"],
        [_saved(kind, SavedWork(*found), settings) for kind, found in sorted(values["saved"].items())],
        speed_words(values["an_hour"], values["median"]),
        f"{times} for more than an hour while it could have answered, {hours(silent.total_seconds())} in all"
        if silences
        else "",
        silences[0][1] if silences else None,
    )


def _saved(kind: str, saved: SavedWork, settings: MoneySettings) -> str:
    time = f"{hours(saved.seconds)} ({hours(saved.least_seconds)} to {hours(saved.most_seconds)})"
    amount = ""
    if any(settings.reward_cents.values()):
        middle, least, most = (
            money(round(amount_cents), settings.currency)
            for amount_cents in (saved.cents, saved.least_cents, saved.most_cents)
        )
        amount = f" and {middle} ({least} to {most})"
    return f"{time}{amount} {OF_KIND[kind].format(f'{saved.number:,}', f'{saved.audit:,}')}."


def speed_words(an_hour: float | None, median: float | None) -> str:
    """Return the measured speed in words; empty: no time was measured."""
    if not median:
        return ""
    of_hour = f"{an_hour:,.0f} answers an hour while at work; " if an_hour else ""
    seconds = f"{median:,.1f} s" if median >= SHORTEST else f"below {SHORTEST} s"
    return f"{of_hour}{seconds} from a request to its answers (median)"


class AnswerShare(NamedTuple):
    """The share of right answers of one kind, from 0 to 1, with its 90 % interval."""

    kind: str
    share: IntervalEstimate
    answers: float
    """Those that were held against people's, in parts."""


class Judge(NamedTuple):
    """One program that can judge."""

    id: int
    name: str
    at_work: bool
    has_key: bool
    """Whether it has a key for the project, so that it can answer."""
    answers: list[tuple[str, int]]
    """The answers that it gave in the project, by the name of the task."""
    work: ProgramWork | None
    """Their fate; None: they were not counted yet."""
    cost: str
    """Their cost, in words; "": nobody has said what its answers cost."""
    price: str
    """The cost of 1,000 answers, as a requester writes it; "": nobody has said it."""
    figures: list[AnswerShare]
    needed: int
    """The answers that must still be held against people's before the others count."""
    family: ModelFamily = ModelFamily()
    """Its family."""


def judged_in(settings: Settings) -> str:
    """Return what programs can judge in words: "links", "boxes" or "links and boxes"; "" if nothing."""
    return " and ".join(reversed(engine_of(settings).subjects))


def judges(project: Project, settings: Settings) -> list[Judge]:
    """Return the programs that have a key for the project or are at work, in the order of their names."""
    with_key = set(_with_a_key(project).values_list("pk", flat=True))
    rows = list(Worker.objects.filter(pk__in=with_key.union(settings.model_annotators)).order_by("name"))
    if not rows:
        return []
    given, known, works = (
        _answers(project),
        engine_of(settings).box_rules.prior.model_annotators,
        works_of(project.pk, settings),
    )
    sources = {int(source) for row in rows for source in known.get(str(row.pk), NEW_BOX_MODEL).bad if source != PERSON}
    names = {str(number): name for number, name in Worker.objects.filter(pk__in=sources).values_list("pk", "name")}
    found = [_judge(row, settings, given[row.pk], works.get(row.pk), names, has_key=row.pk in with_key) for row in rows]
    named = {program.id: program.name for program in found}
    return [judge._replace(family=family_of(judge.id, named, settings)) for judge in found]


def _with_a_key(project: Project) -> QuerySet[Worker]:
    """Return the programs that can answer in the project: they can sign in, and have access to a task."""
    programs = Worker.objects.filter(kind=Worker.Kind.PROGRAM, closed_at=None, accesses__project=project)
    return programs.filter(api_keys__in=ApiKey.objects.filter(revoked_at=None)).distinct()


def _judge(
    row: Worker,
    settings: Settings,
    opinions: Counter[str],
    work: ProgramWork | None,
    names: dict[str, str],
    *,
    has_key: bool,
) -> Judge:
    answers = [(Task(task).label, number) for task, number in sorted(opinions.items())]
    engine = engine_of(settings)
    of_boxes = engine.box_rules.prior.model_annotators.get(str(row.pk), NEW_BOX_MODEL)
    of_links = settings.learned.links.model_annotators.get(str(row.pk), LinkRecord())
    records = {"boxes": of_boxes, "links": of_links}
    held = [records[what].answers for what in engine.subjects]
    needed = max(0, ceil(MIN_ANSWERS - min(held, default=0.0)))
    at_work = bool(held) and row.pk in settings.model_annotators
    figures = [*_of_links(of_links), *_of_boxes(of_boxes, names)]
    cost, cents = cost_of(row.pk, opinions.total(), settings), settings.program_cost_cents.get(str(row.pk))
    price = "" if cents is None else money(cents, "").replace(",", "")
    return Judge(row.pk, row.name, at_work, has_key, answers, work, cost, price, figures, needed)


def _answers(project: Project) -> dict[int, Counter[str]]:
    found: dict[int, Counter[str]] = defaultdict(Counter)
    rows = Judgment.objects.filter(question__project=project, worker__kind=Worker.Kind.PROGRAM)
    counted = rows.filter(question__task__in=[task.value for task in JUDGING]).order_by()
    for worker, task, number in counted.values_list("worker", "question__task").annotate(number=Count("id")):
        found[worker][task] = number
    return found


def _of_links(record: LinkRecord) -> list[AnswerShare]:
    kinds = (("links between phrases for one thing", record.same), ("links between other phrases", record.different))
    return [_figure(kind, tally) for kind, tally in kinds if sum(tally)]


def _of_boxes(record: BoxRecord, names: dict[str, str]) -> list[AnswerShare]:
    kinds: list[tuple[str, Tally]] = [
        ("chains that need a box", record.needed),
        ("chains without a box", record.absent),
        ("missing boxes", record.missing),
        ("chains that miss none", record.there),
        ("good boxes", record.good),
    ]
    for source, tally in sorted(record.bad.items()):
        whose = "people" if source == PERSON else names.get(source, f"program {source}")
        kinds.append((f"bad boxes of {whose}", tally))
    return [_figure(kind, tally) for kind, tally in kinds if sum(tally)]


def _figure(kind: str, tally: Tally) -> AnswerShare:
    right, wrong = tally
    return AnswerShare(kind, wilson(right, right + wrong, OF_PROGRAMS), right + wrong)


class NoProgramError(ValueError):
    """A number in the setting `model_annotators` is the number of no program."""

    def __init__(self, number: int) -> None:
        super().__init__(f"model_annotators: {number} is not the number of a program.")


def check_model_annotators(settings: ModelSettings) -> None:
    """Raise NoProgramError unless only programs judge: a person who did would be neither paid nor checked."""
    programs = Worker.objects.filter(kind=Worker.Kind.PROGRAM, pk__in=settings.model_annotators).values_list(
        "pk", flat=True
    )
    for number in sorted(set(settings.model_annotators).difference(programs)):
        raise NoProgramError(number)


class NoEvidenceError(Exception):
    """The project neither asks links adaptively nor boxes by belief, and no program's answer is evidence elsewhere."""


@transaction.atomic
def set_to_work(project: Project, program: int, by: str) -> None:
    """Let a program judge from the next answer on what is weighed in the project. It gets access to the tasks.

    Raises NoEvidenceError, and Worker.DoesNotExist if it has no key for the project.
    """
    settings, worker = hold_settings(project.pk)[1], _with_a_key(project).get(pk=program)
    tasks = sorted(task.value for task in engine_of(settings).judged_tasks)
    if not tasks:
        raise NoEvidenceError
    grant_access(worker, project.pk, tasks)
    if program not in settings.model_annotators:
        changed = replace(settings, model_annotators=(*settings.model_annotators, program))
        change_settings(project_id=project.pk, settings=changed, reason=f"{worker.name} judges", made_by=by)


@transaction.atomic
def set_aside(project: Project, program: int, by: str) -> None:
    """Let the program's answers count no longer, from the next answer on, and take back what it is being asked.

    Its answers stay in the record. One whose key or access is gone is set aside like any other.
    """
    settings = hold_settings(project.pk)[1]
    if program in settings.model_annotators:
        compared = Assignment.objects.filter(worker=program, project=project, state=Assignment.State.ACTIVE)
        judging = compared.filter(task__in=[task.value for task in JUDGING]).select_for_update()
        end_assignments(list(judging.values_list("id", flat=True)), Assignment.State.RETURNED, clock.now())
        name = Worker.objects.get(pk=program).name
        changed = replace(
            settings,
            model_annotators=tuple(annotator for annotator in settings.model_annotators if annotator != program),
        )
        change_settings(project_id=project.pk, settings=changed, reason=f"{name} is set aside", made_by=by)


@transaction.atomic
def set_price(project: Project, program: int, cents: int | None, by: str) -> None:
    """Note what 1,000 of the program's answers cost, in hundredths of the project's currency; None: not known.

    Raises Worker.DoesNotExist if there is no such program, and WrongValuesError for a cost out of range.
    """
    settings, worker = hold_settings(project.pk)[1], Worker.objects.get(kind=Worker.Kind.PROGRAM, pk=program)
    others = {other: cent for other, cent in settings.program_cost_cents.items() if other != str(program)}
    changed = replace(settings, program_cost_cents=others if cents is None else others | {str(program): cents})
    if changed != settings:
        change_settings(project_id=project.pk, settings=changed, reason=f"cost of {worker.name}", made_by=by)
