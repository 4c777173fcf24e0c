"""Facts of a data card: everything that it says, gathered from the record, before any words are made of it."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from itertools import islice
from statistics import median

from django.db.models import Count, Q

from annotation.data_card import given
from annotation.models import Project
from exchange.data_card.counts import AnswerCounts, RowCounts, TaskAnswers
from exchange.formats.format import Format
from pipeline.learning.calibration_rows import CalibrationRow, calibration_rows
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.money.ledger import Pay, hourly_pay
from pipeline.project.settings_versions import chosen_versions, current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.guide import setting_changes
from pipeline.settings.settings import Settings
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustState

IN_HOUSE = "invitation"


@dataclass(slots=True)
class Verified:
    """Answers to one task's verification questions."""

    questions: int = 0
    """Questions that were asked at least once."""
    answers: int = 0
    right: int = 0
    by_programs: int = 0
    """Answers of programs, and ..."""
    programs_right: int = 0


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the settings that people chose."""

    number: int
    at: datetime
    changed: tuple[str, ...]
    """The labels of the settings that differ from the version before."""
    entries: int
    """Entries of the exported images' record that were made under it, or what was learned from it until the next."""


@dataclass(slots=True)
class ProjectWork:
    """Organization of the whole project's work: most of it cannot be told apart by image."""

    verified: list[tuple[Task, Verified]] = field(default_factory=list)
    """Tasks with answers to verification questions, in the order of the protocol."""
    tests: list[tuple[Task, Verified]] = field(default_factory=list)
    """The same of qualification tests."""
    trusted: int = 0
    """Workers who are trusted on a task, and ..."""
    barred: int = 0
    """... barred from one."""
    hourly: list[int] = field(default_factory=list)
    """Hundredths of the currency by the hour, of each paid person, the lowest first."""
    paid_people: int = 0
    platforms: Counter[str] = field(default_factory=Counter)
    """Persons who handed in work, by the platform that sent them, or IN_HOUSE."""
    settings: Settings = field(default_factory=Settings)
    newest: int = 1
    """The number of the newest version of the settings."""
    calibration: list[CalibrationRow] = field(default_factory=list)

    @property
    def median_pay(self) -> int | None:
        return round(median(self.hourly)) if self.hourly else None


def work_of(project: Project) -> ProjectWork:
    """Return how the project's work was organized. Simulated workers have no pay and no platform."""
    newest, settings = current_settings(project.pk)
    found = ProjectWork(settings=settings, newest=newest, calibration=calibration_rows(settings))
    found.verified = _known(project, KnownQuestion.Purpose.VERIFICATION)
    found.tests = _known(project, KnownQuestion.Purpose.TEST)
    states = TrustStatus.objects.filter(project=project).exclude(worker__kind=Worker.Kind.PROGRAM)
    found.trusted = states.filter(state=TrustState.TRUSTED.value).values("worker").distinct().count()
    found.barred = states.filter(state=TrustState.BARRED.value).values("worker").distinct().count()
    done = Assignment.objects.filter(project=project, state=Assignment.State.SUBMITTED, worker__kind=PERSON)
    people = done.order_by().values_list("session__offer__platform").annotate(Count("worker", distinct=True))
    found.platforms = Counter({platform or IN_HOUSE: count for platform, count in people})
    by_worker: dict[int, Pay] = {}
    workers = set(done.order_by().values_list("worker", flat=True).distinct())
    for (worker, _), pay in hourly_pay(project.pk, workers).items():
        by_worker[worker] = by_worker.get(worker, Pay()) + pay
    found.paid_people = sum(pay.earned_cents > 0 for pay in by_worker.values())
    found.hourly = sorted(pay.by_hour for pay in by_worker.values() if pay.earned_cents and pay.by_hour is not None)
    return found


def _known(project: Project, purpose: str) -> list[tuple[Task, Verified]]:
    program = Q(worker__kind=Worker.Kind.PROGRAM)
    answers = Judgment.objects.filter(known__project=project, known__purpose=purpose).order_by("known__task")
    rows = answers.values_list("known__task").annotate(
        asked=Count("known", distinct=True),
        all=Count("id"),
        right_ones=Count("id", filter=Q(right=True)),
        programs=Count("id", filter=program),
        programs_right=Count("id", filter=program & Q(right=True)),
    )
    found = {task: Verified(*counts) for task, *counts in rows}
    return [(task, found[task]) for task in Task if task in found]


def versions_of(project: Project, entries: Counter[int]) -> list[Version]:
    """Return the versions that people chose, the first one first. `entries`: of the record, by version."""
    chosen = chosen_versions(project.pk)
    at = dict(project.settings_versions.values_list("version", "created_at"))
    numbers = list(chosen)
    found = []
    for place, number in enumerate(numbers):
        until = numbers[place + 1] if place + 1 < len(numbers) else max(at) + 1
        before = chosen[numbers[place - 1]] if place else chosen[number]
        changed = tuple(dict.fromkeys(change.setting.label for change in setting_changes(before, chosen[number])))
        made = sum(count for version, count in entries.items() if number <= version < until)
        found.append(Version(number, at[number], changed, made))
    return found


PERSON, PROGRAM, VIRTUAL = Worker.Kind.PERSON.value, Worker.Kind.PROGRAM.value, Worker.Kind.VIRTUAL.value
IMAGES_AT_ONCE = 500


@dataclass(frozen=True)
class Facts:
    """The facts about an export and the project that it is of."""

    project: Project
    export_format: Format
    rows: RowCounts
    answers: AnswerCounts
    notes: Sequence[str]
    """Sentences about what the export leaves out, or says in a way that a reader should know."""
    fewer_boxes: int = 0
    """The boxes that options leave out."""
    parts: Collection[str] = ()
    packed: Collection[str] = ()
    """Paths of files of the export that lie in an archive already, and no more on disk."""

    @cached_property
    def work(self) -> ProjectWork:
        return work_of(self.project)

    @cached_property
    def versions(self) -> list[Version]:
        return versions_of(self.project, self.rows.versions)

    @property
    def images(self) -> int:
        """Images that the export holds."""
        return self.rows.images

    @cached_property
    def not_exported(self) -> int:
        """Images of the project that it does not hold."""
        return self.project.images.count() - self.images

    @property
    def boxes(self) -> int:
        return self.rows.boxes - self.fewer_boxes

    @cached_property
    def given(self) -> dict[str, str]:
        return given(self.project.data_card)

    @property
    def title(self) -> str:
        return " ".join(self.project.title.split()) or self.project.name

    @property
    def version(self) -> str:
        """The version of the data: of two exports with the same one, settings and record are the same."""
        return f"1.{self.work.newest}.{self.rows.entries}"

    @property
    def changed(self) -> date:
        return (self.rows.changed_at or self.project.created_at).date()

    @property
    def tasks(self) -> list[tuple[Task, TaskAnswers]]:
        """The tasks that anybody answered, in the order of the protocol."""
        return [(task, self.answers.tasks[task]) for task in Task if task in self.answers.tasks]

    @cached_property
    def by_kind(self) -> Counter[str]:
        """Answers by the kind of worker."""
        found = Counter[str]()
        for _, counts in self.tasks:
            found.update(counts.by_kind)
        return found

    @cached_property
    def workers(self) -> Counter[str]:
        """Workers with a counted answer, by kind."""
        return Counter(self.answers.workers.values())

    @property
    def is_simulated(self) -> bool:
        return bool(self.by_kind[VIRTUAL])


def count(ids: Sequence[int]) -> tuple[RowCounts, AnswerCounts]:
    """Count the rows and the answers of these images. Reads some hundreds of images at a time."""
    rows, answers = RowCounts(), AnswerCounts()
    for some in _parts(ids):
        rows.add(some)
        answers.add(some)
    return rows, answers


def _parts(ids: Sequence[int]) -> Iterator[list[int]]:
    rest = iter(ids)
    while some := list(islice(rest, IMAGES_AT_ONCE)):
        yield some
