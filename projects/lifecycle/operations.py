"""Operations on projects as such: list, create, watch, start and pause them, and read and change their data cards."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from annotated_types import MaxLen
from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils.text import slugify
from pydantic import AfterValidator, Field, RootModel, StringConstraints, create_model

from accounts.may import Action, projects_for
from accounts.models import RightKind
from accounts.requester_tokens import opened_by
from annotation.data_card import CARD_FIELDS, CardField, fault_in, given, to_store
from annotation.models import Chain, Project
from annotation.rules.states import ChainState, ImageState, ProjectMoveError, ProjectState
from pipeline.money.ledger import accounts, total
from pipeline.project.open_questions import open_by_task
from pipeline.project.queries import judgment_counts, tasks_of
from pipeline.project.settings_versions import NameTakenError, current_settings
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.settings.settings import Settings
from projects.lifecycle.change_state import DraftIncompleteError, change_state
from projects.lifecycle.copies import make_draft
from projects.operation import Caller, Input, NoInput, Output, Refused, operation
from runtime.words import percent


def _check(field: CardField, text: str) -> str:
    if fault := fault_in(field, text):
        raise ValueError(fault)
    return text


def _text(field: CardField) -> tuple[Any, Any]:
    checked = Annotated[str, MaxLen(field.most), AfterValidator(partial(_check, field))]
    return checked, Field("", title=field.label, description=field.help)


_TEXTS: dict[str, Any] = {field.name: _text(field) for field in CARD_FIELDS}
if TYPE_CHECKING:
    DataCard = Input
else:
    DataCard = create_model(
        "DataCard",
        __base__=Input,
        __doc__="What a requester tells of the data set; an empty text is not given.",
        **_TEXTS,
    )
"""A text for each of CARD_FIELDS."""


class NameForm(forms.Form):
    """The title, and the name in addresses, which is made from the title if it is empty."""

    title = forms.CharField(max_length=200, help_text="As people read it.")
    name = forms.CharField(
        max_length=100,
        required=False,
        help_text="In addresses and commands: letters, digits, - and _. Left empty, it is made from the title.",
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if "title" not in values or "name" in self.errors:
            return values
        try:
            return {**values, "name": new_project_name(values.get("name", ""), values["title"])}
        except Refused as refused:
            self.refuse(refused)
            return values

    def refuse(self, refused: Refused) -> None:
        """Say why a project cannot have the name."""
        self.add_error("name", str(refused))


def new_project_name(name: str, title: str) -> str:
    """Return the name, or one made from the title if it is empty. Raises Refused for one without the right letters."""
    chosen = name or slugify(title)[:100].strip("-")
    try:
        Project._meta.get_field("name").clean(chosen, None)
    except ValidationError:
        subject = (
            f"{chosen[:40]!r} is not a name" if chosen else "The title has no letters that a name could be made of"
        )
        message = f"{subject}: write letters a to z, digits, - and _."
        raise Refused("invalid", message, 400, field="name") from None
    return chosen


def name_taken(error: NameTakenError) -> Refused:
    """Return the refusal of a name that another project has, or that is an address of the service."""
    return Refused("taken", str(error), field="name")


AT_WORK = {ProjectState.RUNNING.value, ProjectState.PAUSED.value}
LANGUAGE_TAG = StringConstraints(max_length=35, pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
LanguageTag = Annotated[str, LANGUAGE_TAG, Field(title="Language of the captions")]


class ProjectSummary(Output):
    name: str
    title: str
    state: ProjectState
    survey: Literal["", "caption_check", "atom_visual"]
    """The one question that a survey asks; empty: the six tasks."""
    images: int
    created_at: datetime


class ProjectSummaries(RootModel[list[ProjectSummary]]):
    pass


class NewProject(Input):
    title: Annotated[str, MaxLen(200)] = ""
    """As people read it."""
    name: Annotated[str, MaxLen(100)] = ""
    """In addresses and commands: letters, digits, - and _. Left empty, it is made from the title."""
    language: LanguageTag = "en"
    """A tag such as en, de or pt-BR. Phrases are found by themselves in English; in other languages mark them in the
    captions: [a man]."""
    data_card: DataCard = Field(default_factory=DataCard)
    """Texts about the data set, for the card of its exports."""


class MoveProject(Input):
    state: ProjectState
    """The state to which it moves."""


class MovedProject(Output):
    state: ProjectState
    before: ProjectState
    """The state in which it was."""


class TaskProgress(Output):
    task: Task
    open: int
    """Questions that wait for an answer, on loan or not."""
    judgments: int
    """Answers to real questions."""


class MoneyOfProject(Output):
    currency: str
    earned_cents: int
    """For answers, with bonuses, without what was refused."""
    paid_cents: int
    owed_cents: int
    cap_cents: int
    """The most that may be promised; 0: no cap."""


class ProjectProgress(Output):
    name: str
    title: str
    state: ProjectState
    images: dict[str, int]
    """By state: linking, boxing, in review, merged."""
    finished_share: float
    """Share of the images that are finished, 0 to 1."""
    in_review: int
    """Chains that wait for an expert."""
    tasks: list[TaskProgress]
    money: MoneyOfProject


@operation(name="projects", surveys=True, of_project=False, path="projects/", method="get")
def list_projects(project: None, inputs: NoInput, caller: Caller) -> ProjectSummaries:
    """List your projects, by name."""
    mine = opened_by(caller.token, projects_for(cast(User, caller.user), Action.LOOK))
    rows = mine.annotate(count=Count("images")).order_by("name")
    return ProjectSummaries([_summary(row, row.count) for row in rows])


@operation(
    surveys=True,
    of_project=False,
    right=RightKind.PROJECTS,
    path="projects/",
    status=201,
    refusals=(409,),
    command="create_project",
    say=lambda made: f"The draft {made.name} is there.",
)
def create_project(project: None, inputs: NewProject, caller: Caller) -> ProjectSummary:
    """Create a draft, whose requester you are. A token for one project creates no others."""
    if caller.token and caller.token.project_id:
        raise Refused("invalid", "This token opens one project and makes no others.", 400)
    name = new_project_name(inputs.name, inputs.title)
    card, settings = inputs.data_card.model_dump(), Settings(caption_language=inputs.language)
    try:
        made = make_draft(caller.user, name=name, title=inputs.title, settings=settings, card=card)
    except NameTakenError as error:
        raise name_taken(error) from error
    except ValidationError as error:
        raise Refused("invalid", " ".join(error.messages), 400) from error
    return _summary(made, 0)


@operation(
    surveys=True,
    path="",
    method="get",
    command="progress",
    say=lambda found: (
        f"{found.name} is {found.state.value}: {percent(found.finished_share)} of {sum(found.images.values())} images "
        f"finished, {found.in_review} chains in review."
    ),
)
@transaction.atomic
def progress(project: Project, inputs: NoInput, caller: Caller) -> ProjectProgress:
    """Return how far a project is, and what it cost so far."""
    # All of one moment, but for the judgments, which may be a minute older.
    by_state = Counter(dict(project.images.order_by().values_list("state").annotate(Count("id"))))
    waiting = open_by_task(project.pk)
    judged = judgment_counts([project.pk])[project.pk].tasks
    _, settings = current_settings(project.pk)
    money = total(accounts(project.pk).values())
    return ProjectProgress(
        name=project.name,
        title=project.title,
        state=ProjectState(project.state),
        images={state.value: by_state[state.value] for state in ImageState},
        finished_share=by_state[ImageState.MERGED.value] / max(1, by_state.total()),
        in_review=Chain.objects.filter(image__project=project, state=ChainState.REVIEW.value).count(),
        tasks=[TaskProgress(task=task, open=waiting[task], judgments=judged[task]) for task in tasks_of(project)],
        money=MoneyOfProject(
            currency=settings.currency,
            earned_cents=money.granted,
            paid_cents=money.paid,
            owed_cents=money.owed,
            cap_cents=settings.spend_cap_cents,
        ),
    )


def open_work(project: Project, inputs: MoveProject) -> list[str]:
    """Return a sentence if the move finishes a project with open work: nobody is asked the rest."""
    if inputs.state != ProjectState.FINISHED or project.state not in AT_WORK:
        return []
    rows: QuerySet[Any] = project.questions.all() if project.survey else project.images.all()
    done = QuestionState.CLOSED.value if project.survey else ImageState.MERGED.value
    counted = rows.order_by().aggregate(total=Count("pk"), open=Count("pk", filter=~Q(state=done)))
    what = "questions" if project.survey else "images"
    return [f"{counted['open']} of {counted['total']} {what} are unfinished."] if counted["open"] else []


@operation(
    surveys=True,
    path="state/",
    refusals=(409,),
    command="project_state",
    confirm=open_work,
    say=lambda moved: f"The project is {moved.state.value} now.",
)
def move_project(project: Project, inputs: MoveProject, caller: Caller) -> MovedProject:
    """Start, pause, resume, finish or archive a project. Only a running project gives new questions."""
    try:
        before = change_state(project.pk, inputs.state, caller.user)
    except DraftIncompleteError as error:
        raise Refused("not_ready", str(error)) from error
    except ProjectMoveError as error:
        raise Refused("not_possible", str(error)) from error
    return MovedProject(state=inputs.state, before=before)


def _summary(project: Project, images: int) -> ProjectSummary:
    return ProjectSummary(
        name=project.name,
        title=project.title,
        state=ProjectState(project.state),
        survey=cast(Any, project.survey),
        images=project.away["images"] if project.away else images,
        created_at=project.created_at,
    )


@operation(name="data_card", output=DataCard, surveys=True, path="data-card/", method="get")
def read_card(project: Project, inputs: NoInput, caller: Caller) -> Input:
    """Return the data card, without empty texts."""
    return DataCard.model_validate(given(project.data_card))


@operation(
    name="change_data_card",
    input=DataCard,
    output=DataCard,
    surveys=True,
    path="data-card/",
    method="patch",
    command="change_data_card",
    guide="formats.md#data-card",
    say=lambda card: "The data card is saved: exports have it from now on.",
)
def change_card(project: Project, texts: Input, caller: Caller) -> Input:
    """Change the data card; fields that you leave out stay, and an empty text deletes a field."""
    project.data_card = to_store({**project.data_card, **texts.model_dump(exclude_unset=True)})
    project.save(update_fields=["data_card"])
    return DataCard.model_validate(given(project.data_card))
