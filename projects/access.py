"""Admission to the requesters' pages: the answer of `accounts.may` as a page, a sign-in or a refusal."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.may import Action, is_administrator, may, may_make_projects, may_somewhere, projects_for
from accounts.models import RightKind
from accounts.reauthentication import reauthenticated
from annotation.models import Project
from pipeline.project.settings_versions import with_checked
from projects.gallery.access import archived_page, readers_only, refusal
from projects.operation import NEEDS_RIGHT, Caller, Operation

View = Callable[..., HttpResponseBase]
ANSWERED = {("GET",): ["GET", "HEAD"], ("POST",): ["POST"], ("GET", "POST"): ["GET", "HEAD", "POST"]}


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of projects that have a page."""

    surveys: bool = True
    """Off: the page is about phrases, chains and boxes, which the pictures of a survey do not have."""
    only_surveys: bool = False
    archived: bool = False
    """On: a project whose images are in an archive keeps it."""
    replaced_by: str = ""
    """The page that a survey has in its place."""

    def other_page(self, request: HttpRequest, project: Project) -> HttpResponseBase | None:
        """Return the answer in place of a page that this kind of project does not have; None: it has the page."""
        if project.away is not None and not self.archived:
            return archived_page(request, project, status=404)
        if project.survey and self.replaced_by:
            return redirect(self.replaced_by, name=project.name)
        if not self.surveys if project.survey else self.only_surveys:
            return render(request, "projects/surveys/no_page.html", {"project": project}, status=404)
        return None


def members_who(action: Action, words: str) -> Callable[..., Callable[[View], View]]:
    """Return a function that takes the methods a page answers to, and returns a decorator of its view.

    The decorator lets in whoever may do this in the project called `name`, and hands that project to the view. `words`
    completes "To ..., you need the role ...". A project that the visitor may not look at does not exist. HEAD goes with
    GET; without methods the page answers to all. The function takes the fields of `Kinds`, too.
    """

    def only(*methods: str, **kinds: Any) -> Callable[[View], View]:
        of = Kinds(**kinds)

        def decorate(view: View) -> View:
            @wraps(view)
            def guarded(request: HttpRequest, name: str, **kwargs: Any) -> HttpResponseBase:
                if not request.user.is_authenticated:
                    return redirect_to_login(request.get_full_path())
                project = get_object_or_404(with_checked(projects_for(request.user, Action.LOOK)), name=name)
                if not may(request.user, action, project):
                    raise refusal(name, action, words)
                return of.other_page(request, project) or view(request, project, **kwargs)

            guarded.kinds = of  # type: ignore[attr-defined]  # for those who list the pages
            return require_http_methods(ANSWERED[methods])(guarded) if methods else guarded

        return decorate

    return only


def operation_page(operation: Operation[Any, Any, Any], *methods: str) -> Callable[[View], View]:
    """Return the decorator of a page that does an operation: it lets in whoever may do it, and has given the password
    again where the operation needs that."""
    has = {name: getattr(operation, name) for name in ("surveys", "only_surveys", "archived")}
    admit = members_who(operation.action, ACTION_WORDS[operation.action])(*methods, **has)
    return (lambda view: reauthenticated(admit(view))) if operation.password else admit


def page_caller(request: HttpRequest) -> Caller:
    """Return who asks by a page."""
    user = cast(User, request.user)
    return Caller(user, user.get_username())


ACTION_WORDS = {Action.MANAGE: "manage it", Action.REVIEW: "review its images", Action.EXPORT: "export it"}
managers_only = members_who(Action.MANAGE, ACTION_WORDS[Action.MANAGE])
reviewers_only = members_who(Action.REVIEW, ACTION_WORDS[Action.REVIEW])


def lookers_only(**kinds: Any) -> Callable[[View], View]:
    """Return a decorator that lets in whoever may look at the project called `name`: anybody, if it is public.

    The view gets the project. `kinds`: fields of `Kinds`.
    """
    of = Kinds(**kinds)

    def decorate(view: View) -> View:
        @readers_only
        @wraps(view)
        def guarded(request: HttpRequest, name: str, **kwargs: Any) -> HttpResponseBase:
            project = get_object_or_404(Project, name=name)
            return of.other_page(request, project) or view(request, project, **kwargs)

        guarded.kinds = of  # type: ignore[attr-defined]
        return guarded

    return decorate


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
            raise PermissionDenied(NEEDS_RIGHT[RightKind.PROJECTS])
        return view(request, *args, **kwargs)

    return guarded


def administrators_only(view: View) -> View:
    """Let in administrators. For everybody else there is no such page."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not is_administrator(request.user):
            raise Http404("There is no such page.")
        return view(request, *args, **kwargs)

    return guarded
