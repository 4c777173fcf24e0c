"""Admission to the requesters' pages. `members.may` decides; here its answer becomes a page, a sign-in or a refusal."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404

from annotation.models import Project
from gallery.access import readers_only, refusal
from members.may import Action, may, may_make_projects, may_somewhere, projects_for

View = Callable[..., HttpResponseBase]


def members_who(
    action: Action, words: str
) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Return a decorator that lets in whoever may do this in the project called `name`, and hands on the project.

    `words` completes "To ..., you need the role ...". A project that the visitor may not look at does not exist.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, name: str, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            project = get_object_or_404(projects_for(request.user, Action.LOOK), name=name)
            if not may(request.user, action, project):
                raise refusal(name, action, words)
            return view(request, project, **kwargs)

        return guarded

    return decorate


managers_only = members_who(Action.MANAGE, "manage it")
reviewers_only = members_who(Action.REVIEW, "review its images")


def lookers_only(view: View) -> View:
    """Let in whoever may look at the project called `name`, and hand on the project: anybody, if it is public."""

    @readers_only
    @wraps(view)
    def guarded(request: HttpRequest, name: str, **kwargs: Any) -> HttpResponseBase:
        return view(request, get_object_or_404(Project, name=name), **kwargs)

    return guarded


def managers_of_something(view: View) -> View:
    """Let in whoever manages some project, or may make one."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if may_somewhere(request.user, Action.MANAGE):
            return view(request, *args, **kwargs)
        raise PermissionDenied("This page is for requesters. You are a requester of no project.")

    return guarded


def makers_only(view: View) -> View:
    """Let in whoever may make projects."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not may_make_projects(request.user):
            raise PermissionDenied(
                "Projects are made by staff users. Ask an administrator to mark your account as staff."
            )
        return view(request, *args, **kwargs)

    return guarded
