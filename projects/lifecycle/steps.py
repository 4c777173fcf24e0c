"""Steps of a draft: what a requester does before the start, in order, each with its page and how far it is."""

from dataclasses import dataclass, replace

from django.db.models import Exists, OuterRef
from django.urls import reverse

from annotation.models import Caption, Image, Project
from pipeline.models import KnownQuestion, Question, SettingsVersion
from projects.lifecycle.new_workers import missing_known_questions
from projects.models import Run
from workers.models import Access, Invitation

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
