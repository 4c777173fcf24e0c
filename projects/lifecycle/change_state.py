"""Moves of a project from state to state, the steps before them, and the new workers who take known questions."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef
from django.urls import reverse

from annotation.archived import describe_archived
from annotation.models import Caption, Image, Project
from annotation.rules.states import ProjectMoveError, ProjectState, check_move
from pipeline.gold_questions.known_questions import Purpose
from pipeline.jobs import enqueue_questions
from pipeline.known.gold_annotation import least_questions
from pipeline.models import KnownQuestion, Question, SettingsVersion
from pipeline.project.queries import tasks_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from platforms.models import Recruitment
from projects.models import Run, StateChange, Upload
from workers.invitations import open_invitations
from workers.models import Access, Invitation, TrustStatus, Worker
from workers.rules.trust_states import TrustState

OPTIONAL = "optional"


@dataclass(frozen=True, slots=True)
class Step:
    """One step, which is done if the requester did it.

    `needed`: nothing is asked of anybody without it. `next`: the first that is needed and not done.
    """

    name: str
    url: str
    about: str
    done: bool
    needed: bool
    next: bool = False


@dataclass(frozen=True, slots=True)
class NextStep:
    """The main button of a page."""

    words: str
    url: str


def next_of_draft(project: Project) -> NextStep | None:
    """Return the first step that is needed and not done. None: the draft can be started, with the menu's button."""
    step = next((step for step in steps_of(project) if step.next), None)
    return NextStep(f"Next: {step.name}", step.url) if step else None


def steps_of(project: Project) -> list[Step]:
    """Return the steps of a draft."""

    def step(name: str, address: str, *, done: bool, about: str = "to do", needed: bool = True) -> Step:
        url = reverse(f"projects:{address}", args=[project.name])
        return Step(name, url, "done" if done else about if needed else OPTIONAL, done, needed)

    begun = _begun(project)
    lacks = bool(missing_known_questions(project))
    settings = step("Settings", "settings", done=begun["changed"], needed=False)
    known = step("Known questions", "gold", done=begun["stock"] and not lacks, about="missing", needed=lacks)
    invite = step("Invite workers", "invitations", done=begun["invited"] or begun["admitted"])
    if project.survey:
        found = [step("Items", "items", done=begun["questions"]), settings, known, invite]
    else:
        found = [
            step("Data", "data", done=begun["images"]),
            step("Phrases", "preview", done=begun["mended"] and not begun["unread"], needed=begun["unread"]),
            settings,
            step("Predict", "predict", done=begun["predicted"], needed=False),
            known,
            invite,
        ]
    first = next((step for step in found if step.needed and not step.done), None)
    return [replace(step, next=step is first) for step in found]


def _begun(project: Project) -> dict[str, bool]:
    """Tell what there is of the project, in one statement: the steps stand on every page of a draft."""
    rows = {
        "has_images": Image.objects.filter(project=OuterRef("pk")),
        "has_questions": Question.objects.filter(project=OuterRef("pk")),
        "has_unread": Caption.objects.filter(image__project=OuterRef("pk"), chunked=False),
        # Imports, fitted priors and words that were given other types write versions, too, with nobody's name.
        "has_changed": SettingsVersion.objects.filter(project=OuterRef("pk"), version__gt=1, made_by__gt=""),
        "has_mended": Run.objects.filter(project=OuterRef("pk"), operation="apply_types"),
        "has_predicted": Run.objects.filter(project=OuterRef("pk"), operation="begin_forecast"),
        "has_stock": KnownQuestion.objects.filter(project=OuterRef("pk"), retired_at=None),
        "has_invited": Invitation.objects.filter(project=OuterRef("pk")),
        "has_admitted": Access.objects.filter(project=OuterRef("pk")),
    }
    found = Project.objects.filter(pk=project.pk).values(**{name: Exists(row) for name, row in rows.items()})
    return {name.removeprefix("has_"): bool(value) for name, value in found.get().items()}


NEW_WORKER_STATES = (TrustState.INVITED.value, TrustState.TESTING.value, TrustState.PROBATION.value)


@dataclass(frozen=True, slots=True)
class AdmissionWay:
    """A way in which newcomers come: what it is called, and the tasks that it opens to them."""

    words: str
    tasks: frozenset[Task]


def ways_in(project: Project) -> list[AdmissionWay]:
    """Return the ways in which newcomers can come to the project now. Guests of a demo are none."""
    return [*_invitations(project), *_recruitments(project), *_workers(project)]


def _tasks(project: Project, names: list[str]) -> frozenset[Task]:
    return frozenset(Task(name) for name in names) or frozenset(tasks_of(project))


def _invitations(project: Project) -> list[AdmissionWay]:
    usable = open_invitations(project.pk).filter(trusted=False)
    return [AdmissionWay(f"the invitation “{invitation}”", _tasks(project, invitation.tasks)) for invitation in usable]


def _recruitments(project: Project) -> list[AdmissionWay]:
    rows = Recruitment.objects.filter(project=project, active=True)
    return [AdmissionWay(f"recruiting on {row.platform}", _tasks(project, row.tasks)) for row in rows]


def _workers(project: Project) -> list[AdmissionWay]:
    rows = TrustStatus.objects.filter(project=project, state__in=NEW_WORKER_STATES).exclude(
        worker__kind=Worker.Kind.VIRTUAL
    )
    counted = list(rows.values_list("task").annotate(workers=Count("worker", distinct=True)).order_by("task"))
    if not counted:
        return []
    most = max(workers for _, workers in counted)
    words = "a worker who is not trusted yet" if most == 1 else f"{most} workers who are not trusted yet"
    return [AdmissionWay(words, _tasks(project, [task for task, _ in counted]))]


def needed_questions(settings: Settings) -> dict[KnownQuestion.Purpose, int]:
    """Return how many questions a task must have for newcomers: to measure their work, and for one test."""
    return {Purpose.VERIFICATION: least_questions(settings), Purpose.TEST: settings.test_questions}


def counts_of(project: Project) -> dict[tuple[str, str], int]:
    """Count the project's questions that can be asked, by task and purpose."""
    rows = KnownQuestion.objects.filter(project=project, retired_at=None).order_by()
    return {(task, purpose): n for task, purpose, n in rows.values_list("task", "purpose").annotate(n=Count("id"))}


def missing_known_questions(project: Project, ways: list[AdmissionWay] | None = None) -> list[str]:
    """Return a sentence if newcomers can come, and tasks that are open to them lack known questions.

    `ways`: the ways in which newcomers can come, if they were read already.
    """
    ways = ways_in(project) if ways is None else ways
    if not ways:
        return []
    wanted, counts = needed_questions(current_settings(project.pk)[1]), counts_of(project)
    lacking = []
    for task in (task for task in tasks_of(project) if any(task in way.tasks for way in ways)):
        parts = [
            f"{counts.get((task.value, purpose.value), 0)} of {most} {'test' if purpose == Purpose.TEST else 'known'}"
            for purpose, most in wanted.items()
            if counts.get((task.value, purpose.value), 0) < most
        ]
        if parts:
            lacking.append(f"{task.label} ({', '.join(parts)})")
    if not lacking:
        return []
    remedy = (
        "Import items with verification questions on the page “Items”"
        if project.survey
        else "Make them on the page “Known questions”"
    )
    names = " and ".join(way.words for way in ways[:3]) + (" and more" if len(ways) > 3 else "")
    return [
        f"Newcomers can join by {names}, and known questions are missing: {'; '.join(lacking)}. "
        f"{remedy}, or invite only people whom you trust."
    ]


Check = Callable[[Project], list[str]]


class DraftIncompleteError(ProjectMoveError):
    """The draft lacks something without which it cannot be started."""

    def __init__(self, missing: list[str]) -> None:
        super().__init__(" ".join(["The project cannot be started yet.", *missing]))
        self.missing = missing


@transaction.atomic
def change_state(project_id: int, target: ProjectState, user: User | None) -> ProjectState:
    """Move the project, and return the state that it was in. A project that is there already stays as it is.

    Leases that run go on; `pipeline.asking` gives no new ones unless the project is running. Raises ProjectMoveError,
    and NotReadyError for a draft that lacks something.
    """
    project = Project.objects.select_for_update().get(id=project_id)
    before = ProjectState(project.state)
    if before is not target:
        if project.away is not None:
            raise ProjectMoveError(describe_archived(project))
        check_move(before, target)
        if before is ProjectState.DRAFT and (missing := missing_before_start(project)):
            raise DraftIncompleteError(missing)
        project.state = target.value
        project.save(update_fields=["state"])
        StateChange.objects.create(project=project, before=before.value, after=target.value, user=user)
        if before is ProjectState.DRAFT:
            enqueue_questions(tasks_of(project)[0], project.id)  # its images begin now, not with the next tick
    return before


def missing_data(project: Project) -> list[str]:
    """Return a sentence if the draft has nothing that workers could be asked about."""
    if project.survey:
        return _missing_items(project)
    if running := _running(project):
        return running
    if not project.images.exists():
        if Upload.objects.filter(project=project, files__gt=0).exists():
            return ["Its uploaded files are not imported yet: import them on its page “Data”."]
        return ["It has no images: import some on its page “Data”."]
    if not project.images.filter(mentions__isnull=False).exists():
        return ["No image has phrases: mark them in the captions as [a man], or have them found on the page “Phrases”."]
    return []


def _missing_items(project: Project) -> list[str]:
    if running := _running(project):
        return running
    if not project.questions.exists():
        return ["It asks nothing yet: import items on its page “Items”."]
    return []


def _running(project: Project) -> list[str]:
    if project.runs.filter(lane="images", state__in=["waiting", "running"]).exists():
        return ["An import is running: wait for its end, pause it or cancel it."]
    return []


CHECKS: list[Check] = [missing_data, missing_known_questions]


def missing_before_start(project: Project) -> list[str]:
    """Return what is missing before the draft can be started, in sentences; empty: nothing is."""
    return [reason for check in CHECKS for reason in check(project)]
