"""Calls on projects: list, make, watch, start and pause them."""

from collections import Counter
from typing import Any

from django.db import transaction
from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Chain, Project
from annotation.rules.project_life import ProjectMoveError
from annotation.rules.states import ChainState, ImageState, ProjectState
from campaign.access import NO_MAKER
from campaign.api import shapes
from campaign.api.calls import RequesterCall, refusals
from campaign.lifecycle.change_state import change_state
from campaign.lifecycle.copy_project import make_draft
from gallery.project_page import judgments_by_task
from members.may import Action, may_make_projects
from members.models import Scope
from pipeline.money.ledger import accounts, total
from pipeline.project.open_questions import open_by_task
from pipeline.project.settings_versions import NameTakenError, current_settings
from pipeline.project.tasks import tasks_of


class ProjectsCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="projects", responses={200: shapes.ProjectShape(many=True), **refusals()})
    def get(self, request: Request) -> Response:
        """List your projects, by name."""
        found = self.projects(Action.LOOK).annotate(count=Count("images")).order_by("name")
        return Response([_in_short(one, one.count) for one in found])

    @extend_schema(
        operation_id="make_project",
        request=shapes.NewProjectShape,
        responses={201: shapes.ProjectShape, **refusals(409)},
    )
    def post(self, request: Request) -> Response:
        """Make a draft, whose requester you are. A token for one project makes no others."""
        if self.token and self.token.project_id:
            raise ValidationError("This token opens one project and makes no others.")
        if not may_make_projects(self.user):
            raise PermissionDenied(NO_MAKER)
        data = self.read(shapes.NewProjectShape)
        try:
            made = make_draft(self.user, name=data["name"], title=data["title"])
        except NameTakenError as error:
            return Response({"code": "taken", "message": str(error)}, status=409)
        return Response(_in_short(made, 0), status=201)


class ProjectCall(RequesterCall):
    scopes = {"GET": Scope.READ}  # noqa: RUF012

    @extend_schema(operation_id="progress", responses={200: shapes.ProgressShape, **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """Return how far a project is, and what it cost so far."""
        return Response(progress_of(self.project(project, Action.MANAGE)))


class StateCall(RequesterCall):
    scopes = {"POST": Scope.WRITE}  # noqa: RUF012

    @extend_schema(
        operation_id="move_project",
        request=shapes.StateShape,
        responses={200: shapes.StateShape, **refusals(404, 409)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Start, pause, resume, finish or archive a project."""
        found = self.project(project, Action.MANAGE)
        wanted = ProjectState(self.read(shapes.StateShape)["state"])
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
        "images": images,
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
