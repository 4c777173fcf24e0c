"""Calls on projects: list, make, watch, start and pause them."""

from collections import Counter
from typing import Any

from django.core.validators import RegexValidator
from django.db import transaction
from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action, may_make_projects
from accounts.models import Scope
from annotation.models import Chain, Project
from annotation.rules.states import ChainState, ImageState, ProjectMoveError, ProjectState, Survey
from labelling.api.survey_shapes import Shape
from pipeline.money.ledger import accounts, total
from pipeline.project.open_questions import open_by_task
from pipeline.project.settings_versions import NameTakenError, current_settings
from pipeline.project.tasks import tasks_of
from pipeline.protocol.tasks.task import Task
from projects.access import NO_MAKER
from projects.api.calls import RequesterCall, refusals
from projects.api.data_card import DataCardShape
from projects.gallery.project_page import judgments_by_task
from projects.lifecycle.change_state import change_state
from projects.lifecycle.copy_project import make_draft

SURVEYS = [survey.value for survey in Survey]
STATES = [state.value for state in ProjectState]


class ProjectShape(Shape):
    name = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES)
    survey = serializers.ChoiceField(
        choices=["", *SURVEYS], help_text="The one question that a survey asks; empty: the six tasks."
    )
    images = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class NewProjectShape(Shape):
    name = serializers.CharField(
        max_length=100,
        validators=[RegexValidator(r"\A[-a-zA-Z0-9_]+\Z", "A name has letters, digits, - and _ only.")],
        help_text="Letters, digits, - and _.",
    )
    title = serializers.CharField(required=False, default="", allow_blank=True, max_length=200)
    data_card = DataCardShape(required=False, help_text="What you tell of the data set, for the card of its exports.")


class StateShape(Shape):
    state = serializers.ChoiceField(choices=STATES)


class TaskProgressShape(Shape):
    task = serializers.ChoiceField(choices=[task.value for task in Task])
    open = serializers.IntegerField(help_text="Questions that wait for an answer, on loan or not.")
    judgments = serializers.IntegerField(help_text="Answers to real questions.")


class MoneyShape(Shape):
    currency = serializers.CharField()
    earned_cents = serializers.IntegerField(help_text="For answers, with bonuses, without what was refused.")
    paid_cents = serializers.IntegerField()
    owed_cents = serializers.IntegerField()
    cap_cents = serializers.IntegerField(help_text="The most that may be promised; 0: no cap.")


class ProgressShape(Shape):
    name = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES)
    images = serializers.DictField(
        child=serializers.IntegerField(), help_text=f"By state: {', '.join(state.value for state in ImageState)}."
    )
    finished_share = serializers.FloatField(help_text="Share of the images that are finished, 0 to 1.")
    in_review = serializers.IntegerField(help_text="Chains that wait for an expert.")
    tasks = TaskProgressShape(many=True)
    money = MoneyShape()


class ProjectsCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="projects", responses={200: ProjectShape(many=True), **refusals()})
    def get(self, request: Request) -> Response:
        """List your projects, by name."""
        found = self.projects(Action.LOOK).annotate(count=Count("images")).order_by("name")
        return Response([_in_short(one, one.count) for one in found])

    @extend_schema(
        operation_id="make_project",
        request=NewProjectShape,
        responses={201: ProjectShape, **refusals(409)},
    )
    def post(self, request: Request) -> Response:
        """Make a draft, whose requester you are. A token for one project makes no others."""
        if self.token and self.token.project_id:
            raise ValidationError("This token opens one project and makes no others.")
        if not may_make_projects(self.user):
            raise PermissionDenied(NO_MAKER)
        data = self.read(NewProjectShape)
        try:
            made = make_draft(self.user, name=data["name"], title=data["title"], card=data.get("data_card", {}))
        except NameTakenError as error:
            return Response({"code": "taken", "message": str(error)}, status=409)
        return Response(_in_short(made, 0), status=201)


class ProjectCall(RequesterCall):
    scopes = {"GET": Scope.READ}  # noqa: RUF012

    @extend_schema(operation_id="progress", responses={200: ProgressShape, **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """Return how far a project is, and what it cost so far."""
        return Response(progress_of(self.project(project, Action.MANAGE)))


class StateCall(RequesterCall):
    scopes = {"POST": Scope.WRITE}  # noqa: RUF012

    @extend_schema(
        operation_id="move_project",
        request=StateShape,
        responses={200: StateShape, **refusals(404, 409)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Start, pause, resume, finish or archive a project."""
        found = self.project(project, Action.MANAGE)
        wanted = ProjectState(self.read(StateShape)["state"])
        try:
            change_state(found.pk, wanted, self.user)
        except ProjectMoveError as error:
            return Response({"code": "not_possible", "message": str(error)}, status=409)
        return Response({"state": wanted.value})


def _in_short(project: Project, images: int) -> dict[str, Any]:
    return {
        "name": project.name,
        "title": project.title,
        "state": project.state,
        "survey": project.survey,
        "images": project.away["images"] if project.away else images,
        "created_at": project.created_at,
    }


@transaction.atomic
def progress_of(project: Project) -> dict[str, Any]:
    """Return the values of `ProgressShape`: all of one moment, but for the judgments, which may be a minute older."""
    by_state = Counter(dict(project.images.order_by().values_list("state").annotate(Count("id"))))
    waiting = open_by_task(project.pk)
    judged = judgments_by_task(project.pk)
    _, settings = current_settings(project.pk)
    money = total(accounts(project.pk).values())
    return {
        "name": project.name,
        "title": project.title,
        "state": project.state,
        "images": {state.value: by_state[state.value] for state in ImageState},
        "finished_share": by_state[ImageState.MERGED.value] / max(1, by_state.total()),
        "in_review": Chain.objects.filter(image__project=project, state=ChainState.REVIEW.value).count(),
        "tasks": [{"task": task.value, "open": waiting[task], "judgments": judged[task]} for task in tasks_of(project)],
        "money": {
            "currency": settings.currency,
            "earned_cents": money.granted,
            "paid_cents": money.paid,
            "owed_cents": money.owed,
            "cap_cents": settings.spend_cap_cents,
        },
    }
