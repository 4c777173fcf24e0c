"""The page behind an invitation link."""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from labelling.joining.forms import JoinForm
from labelling.task_words import TASK_WORDS
from pipeline.project.settings_versions import current_settings
from pipeline.project.tasks import tasks_of
from workers.invitations import InvitationError, UnknownInvitationError, find_invitation, join_project
from workers.models import Invitation


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Show the invitation and accept it. A signed-in user joins at once; others create an account first."""
    try:
        invitation = find_invitation(code, Invitation.objects.select_related("project"))
        if request.method == "POST":
            return _join(request, invitation)
        return _page(request, invitation, JoinForm(request))
    except InvitationError as error:
        status = 404 if isinstance(error, UnknownInvitationError) else 410
        return render(request, "labelling/closed.html", {"message": gettext(str(error))}, status=status)


def _join(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    user, form = request.user, JoinForm(request, request.POST)
    if not isinstance(user, User):
        if not form.is_valid():
            return _page(request, invitation, form)
        user = form.save(commit=False)
    new = user.pk is None
    try:
        all_tasks = [task.value for task in tasks_of(invitation.project)]
        join_project(code=invitation.code, user=user, all_tasks=all_tasks)
    except IntegrityError:  # another visitor took the name in this moment
        form.add_error("username", gettext("This name is taken. Choose another one."))
        return _page(request, invitation, form)
    if new:
        login(request, user)
    return redirect("labelling:project", invitation.project.name)


def _page(request: HttpRequest, invitation: Invitation, form: JoinForm) -> HttpResponse:
    project = invitation.project
    _, settings = current_settings(project.id)
    tasks = [
        (gettext(task.label), gettext(TASK_WORDS[task]), settings.reward_cents[task.value])
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
    throttled = form.is_bound and form.has_error("__all__", "throttled")
    return render(request, "labelling/join.html", context, status=429 if throttled else 200)
