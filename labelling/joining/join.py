"""The ways to become a worker: the page behind an invitation link, a button that creates a guest account; admission."""

import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from allauth.account.forms import SignupForm
from allauth.account.utils import complete_signup
from allauth.core.ratelimit import consume_or_429
from allauth.decorators import rate_limit
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.may import Action, may, projects_for
from annotation.models import Project
from pipeline.models import Assignment
from pipeline.project.queries import tasks_of
from pipeline.project.settings_versions import current_settings
from workers.invitations import (
    InvitationError,
    UnknownInvitationError,
    find_invitation,
    grant_access,
    join_project,
    worker_for,
)
from workers.models import Access, Invitation, Worker
from workers.task_words import TASK_QUESTIONS, task_name


def workers_only(
    view: Callable[Concatenate[HttpRequest, Worker, ...], HttpResponse],
) -> Callable[..., HttpResponseBase]:
    """Pass the worker to the view, after the request."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        worker = Worker.objects.filter(user=request.user.pk).first()
        if worker is None:
            return render(request, "labelling/no_worker.html", status=403)
        return view(request, worker, *args, **kwargs)

    return never_cache(login_required(guarded))


def projects_of(worker: Worker) -> QuerySet[Project]:
    """Return the projects in which the worker has access or has worked: earnings stay visible when access ends."""
    open_to = Q(id__in=Access.objects.filter(worker=worker).values("project_id"))
    worked_in = Q(id__in=Assignment.objects.filter(worker=worker).values("project_id"))
    return Project.objects.filter(open_to | worked_in).order_by("name")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limit(action="signup")
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Show the invitation and accept it. A signed-in user joins at once; others create an account first."""
    try:
        invitation = find_invitation(code, Invitation.objects.select_related("project"))
        if request.method == "POST":
            return _join(request, invitation)
        return _page(request, invitation, SignupForm())
    except InvitationError as error:
        status = 404 if isinstance(error, UnknownInvitationError) else 410
        return render(request, "labelling/closed.html", {"message": gettext(str(error))}, status=status)


def _join(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    form = SignupForm(request.POST)
    is_new = not request.user.is_authenticated
    if is_new and not form.is_valid():
        return _page(request, invitation, form)
    try:
        with transaction.atomic():
            user: Any = form.save(request) if is_new else request.user
            all_tasks = [task.value for task in tasks_of(invitation.project)]
            join_project(code=invitation.code, user=user, all_tasks=all_tasks)
    except IntegrityError:  # another visitor took the name in this moment
        form.add_error("username", gettext("This name is taken. Choose another one."))
        return _page(request, invitation, form)
    address = reverse("labelling:project", args=[invitation.project.name])
    return complete_signup(request, user, None, address) if is_new else redirect(address)


def _page(request: HttpRequest, invitation: Invitation, form: SignupForm) -> HttpResponse:
    project = invitation.project
    _, settings = current_settings(project.id)
    tasks = [
        (task_name(task), gettext(TASK_QUESTIONS[task]), settings.reward_cents[task.value])
        for task in tasks_of(project)
        if not invitation.tasks or task.value in invitation.tasks
    ]
    context: dict[str, Any] = {
        "project": project,
        "form": form,
        "tasks": tasks,
        "currency": settings.currency,
        "is_paid": any(cents for _, _, cents in tasks),
        "test": 0 if invitation.trusted else settings.test_questions,
    }
    return render(request, "labelling/join.html", context)


@require_POST
def try_as_worker(request: HttpRequest, name: str) -> HttpResponse:
    """Admit a visitor who may look at the project: guests where the service takes them, and always who manages it.

    A signed-in user keeps their account; others get a guest account. With `mixed` all tasks open in turn.
    """
    user = request.user
    project = get_object_or_404(projects_for(user, Action.LOOK), name=name)
    if not settings.TRY_AS_WORKER and not may(user, Action.MANAGE, project):
        raise Http404("This service has no guest accounts.")
    if not isinstance(user, User):
        if refusal := consume_or_429(request, action="guest"):
            return refusal
        user = User(username=f"guest-{secrets.token_hex(4)}")
        user.set_unusable_password()
    admit(user, project)
    if not request.user.is_authenticated:
        login(request, user)
    return redirect("labelling:all" if "mixed" in request.POST else "labelling:project", project.name)


@transaction.atomic
def admit(user: User, project: Project) -> Worker:
    """Give the user access to all tasks of the project. Saves a new user.

    Guests qualify like any other worker, unless the project's setting `guests_trusted` is on. Whoever manages the
    project is trusted: they would decide so themselves.
    """
    if user.pk is None:
        user.save()
    worker = worker_for(user)
    _, protocol = current_settings(project.id)
    trusted = protocol.guests_trusted or may(user, Action.MANAGE, project)
    grant_access(worker, project.id, [task.value for task in tasks_of(project)], trusted=trusted)
    return worker
