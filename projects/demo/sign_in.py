"""One press signs a visitor of the demo in as the requester of its projects, on the machine that serves it."""

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.members import add_member
from accounts.models import RightKind, Role
from accounts.rights import give_right
from accounts.this_machine import is_demo_here
from annotation.models import Project
from projects.demo.build_campaign import NAME

REQUESTER = "demo-requester"


@require_POST
def sign_in_as_requester(request: HttpRequest) -> HttpResponse:
    """Sign in without a password, and open the dashboard of the campaign."""
    if not is_demo_here(request):
        raise Http404("There is no demo on this machine.")
    login(request, demo_requester())
    return redirect("projects:dashboard", NAME)


@transaction.atomic
def demo_requester() -> User:
    """Return the account, a requester of every project here, which may make more; it has no password."""
    user, is_new = User.objects.get_or_create(username=REQUESTER)
    if is_new:
        user.set_unusable_password()
        user.save()
    give_right(user, RightKind.PROJECTS, by=None)
    for project in Project.objects.all():
        add_member(user, project, Role.REQUESTER)
    return user
