"""The page behind an invitation to become a member. It says what is accepted, and with which account."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.people.members_page import DUTIES
from members.invitations import InvitationError, accept_invitation, find_invitation
from workers.models import Worker


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest, code: str) -> HttpResponse:
    """Show the invitation; a POST accepts it. Nobody becomes a member by opening a link."""
    user = request.user
    assert isinstance(user, User)
    try:
        if request.method == "POST":
            made = accept_invitation(code, user)
            messages.success(request, f"You are {made.role} of this project now.")
            return redirect("gallery:project", made.project.name)
        invitation = find_invitation(code, user)
    except InvitationError as error:
        return render(request, "campaign/accept.html", {"problem": str(error)}, status=410)
    context = {
        "invitation": invitation,
        "about": DUTIES[invitation.role],
        "works": Worker.objects.filter(user=user).exists(),
    }
    return render(request, "campaign/accept.html", context)
