"""Try the service as a worker: a button creates a guest account, if the service allows guests."""

import secrets

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from annotation.models import Project
from labelling.joining import throttle
from members.may import Action, projects_for
from pipeline.project.settings_versions import current_settings
from pipeline.project.tasks import tasks_of
from workers.address_of import address_of
from workers.grant_access import grant_access
from workers.models import Worker
from workers.worker_for import worker_for

GUESTS_PER_ADDRESS = 10


@require_POST
def try_as_worker(request: HttpRequest, name: str) -> HttpResponse:
    """Admit a visitor who may look at the project. A signed-in user keeps their account; others get a guest account."""
    if not settings.TRY_AS_WORKER:
        raise Http404("This service has no guest accounts.")
    user = request.user
    project = get_object_or_404(projects_for(user, Action.LOOK), name=name)
    if not isinstance(user, User):
        try:
            throttle.count_try("guest", address_of(request), most=GUESTS_PER_ADDRESS)
        except throttle.TooManyTriesError as error:
            return HttpResponse(str(error), status=429, content_type="text/plain")
        user = User(username=f"guest-{secrets.token_hex(4)}")
        user.set_unusable_password()
    admit(user, project)
    if not request.user.is_authenticated:
        login(request, user)
    return redirect("labelling:project", project.name)


@transaction.atomic
def admit(user: User, project: Project) -> Worker:
    """Give the user access to all tasks of the project. Saves a new user.

    Guests qualify like any other worker, unless the project's setting `guests_trusted` is on.
    """
    if user.pk is None:
        user.save()
    worker = worker_for(user)
    _, protocol = current_settings(project.id)
    grant_access(worker, project.id, [task.value for task in tasks_of(project)], trusted=protocol.guests_trusted)
    return worker
