"""The outlook of a project's known questions: how many there are, how many images are missing, how long they last."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from annotation.models import Project
from pipeline.gold_questions.known_questions import Purpose, Source
from pipeline.gold_questions.stock_forecast import lasts_newcomer
from pipeline.gold_questions.stock_from_gold import examples_needed
from pipeline.known.gold_needed import MAX_IMAGES, images_needed, least_questions, recommended_questions
from pipeline.known.question_mix import answer_name, answer_names, kinds_present, mix_faults
from pipeline.models import KnownQuestion
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import USUAL_SECONDS
from projects.dashboard.figures import read_figures
from projects.lifecycle.new_workers import AdmissionWay, ways_in
from projects.models import GoldImage


@dataclass(frozen=True, slots=True)
class TaskOutlook:
    """One task's known questions."""

    task: Task
    verification: int
    tests: int
    mix: list[tuple[str, int]]
    """Verification questions by right answer."""
    lean: str
    """The fault of the mix, in words; empty if it has none."""
    enough: bool
    """There are enough for newcomers."""
    plenty: bool
    least_images: int | None
    """Images that are still to be annotated until there are enough; None: more than can be told."""
    recommended_images: int | None
    each: int | None
    """Assignments until a newcomer has seen all; None: never."""
    hours: float | None
    """The hours that these take at the paper's average speed."""
    active: int
    """Workers who are active on the task, as last computed."""
    left: int
    """Active workers for whom there are questions that they have not seen."""


@dataclass(frozen=True, slots=True)
class GoldReport:
    """All tasks' known questions, and what newcomers need."""

    tasks: list[TaskOutlook]
    least: int
    recommended: int
    tests: int
    ways: list[AdmissionWay]
    annotated: int
    """Images whose annotation counts."""
    most: int = MAX_IMAGES

    @property
    def least_images(self) -> int | None:
        """Images still to be annotated until every task has enough; None: more than can be told."""
        return _largest([task.least_images for task in self.tasks])

    @property
    def recommended_images(self) -> int | None:
        """Images still to be annotated until every task has what is recommended; None: more than can be told."""
        return _largest([task.recommended_images for task in self.tasks])

    @property
    def lacking(self) -> int:
        """Tasks that have not enough."""
        return sum(not task.enough for task in self.tasks)


def _largest(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return max(known) if len(known) == len(numbers) else None


@dataclass(slots=True)
class _Counts:
    """A task's questions by right answer."""

    verification: Counter[str]
    tests: Counter[str]
    others: Counter[str]
    """Both kinds, without those from annotated images."""
    shown: list[dict[str, Any]]
    """Shown by the verification questions."""


def gold_report(project: Project) -> GoldReport:
    """Read the outlook. Costs the same number of statements for any stock and any number of images."""
    settings = current_settings(project.pk)[1]
    rows = GoldImage.objects.filter(image__project=project, image__gold__isnull=False)
    gives = list(rows.values_list("gives", flat=True))
    counts = _counts(project)
    figures = read_figures(project.pk).get("stock")
    work: dict[str, Any] = figures.values["tasks"] if figures else {}
    tasks = [_of_task(settings, task, gives, counts[task], work.get(task.value, {})) for task in PROTOCOL_TASKS]
    needs = {
        "least": least_questions(settings),
        "recommended": recommended_questions(settings),
        "tests": settings.test_questions,
    }
    return GoldReport(tasks=tasks, ways=ways_in(project), annotated=len(gives), **needs)


def _counts(project: Project) -> dict[Task, _Counts]:
    found: dict[Task, _Counts] = defaultdict(lambda: _Counts(Counter(), Counter(), Counter(), []))
    rows = KnownQuestion.objects.filter(project=project, retired_at=None).exclude(purpose=Purpose.EXAMPLE)
    columns = rows.values_list("task", "purpose", "truth", "source", "image__gold_image", "shown")
    for name, purpose, truth, source, annotated, shown in columns:
        counts, answer = found[Task(name)], answer_name(Task(name), truth)
        (counts.tests if purpose == Purpose.TEST else counts.verification)[answer] += 1
        counts.shown += [] if purpose == Purpose.TEST else [shown]
        if annotated is None or source != Source.GOLD:
            counts.others[answer] += 1
    return found


def _of_task(
    settings: Settings, task: Task, gives: list[dict[str, Any]], counts: _Counts, work: dict[str, Any]
) -> TaskOutlook:
    found = sum((Counter(give.get(task.value, {})) for give in gives), Counter[str]())
    verification, tests = counts.verification.total(), counts.tests.total()
    tested = tests >= settings.test_questions

    def images(goal: int, tries: int) -> int | None:
        """Return how many more images give these verification questions, the tests of these tries, and examples."""
        if tested and verification >= goal:
            return 0
        wanted = goal + tries * settings.test_questions + examples_needed(settings)[task]
        more = images_needed(task, wanted, found=found, images=len(gives), others=counts.others)
        return None if more is None else max(1, more)

    names = [answer for kind in kinds_present(task, counts.verification) for answer in answer_names(kind)]
    each = lasts_newcomer(settings, task, counts.shown)
    return TaskOutlook(
        task=task,
        verification=verification,
        tests=tests,
        mix=[(answer, counts.verification[answer]) for answer in names],
        lean=mix_faults(task, counts.verification, settings.minimum[task.value]),
        enough=tested and verification >= least_questions(settings),
        plenty=tested and verification >= recommended_questions(settings),
        least_images=images(least_questions(settings), 1),
        recommended_images=images(recommended_questions(settings), settings.tests),
        each=each,
        hours=None if each is None else each * USUAL_SECONDS[task] / 3600,
        active=work.get("active", 0),
        left=work.get("left", 0),
    )
