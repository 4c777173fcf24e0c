"""Admission to the requesters' pages: the answer of `accounts.may` as a page, a sign-in or a refusal."""

from collections.abc import Callable
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
from annotation.models import Project
from pipeline.project.settings_versions import with_checked
from projects.gallery.access import readers_only, refusal
from projects.gallery.away_page import away_page
from projects.operation import NEEDS_RIGHT, Caller, Operation

View = Callable[..., HttpResponseBase]
ANSWERED = {("GET",): ["GET", "HEAD"], ("POST",): ["POST"], ("GET", "POST"): ["GET", "HEAD", "POST"]}
LEADS_TO = {"dashboard": "projects:results", "data": "projects:items"}
"""Pages in whose place a survey has others."""
NOT_OF_SURVEYS = frozenset(
    {"captions", "preview", "sample", "types", "copy", "live"}
    | {"predict_progress", "predict_table", "dry_run", "delete_dry_run", "explore"}
    | {"measure_progress"}
    | {"explore_export", "review", "samples", "error_sample", "sample_csv", "sampled_image", "bench", "bench_data"}
    | {"evaluate", "evaluate_progress", "report", "overlays", "report_archive", "delete_report", "report_file"}
    | {"bench_preview", "bench_act", "send_to_review", "suggestions", "gold_image", "gold_sheet", "gold_remove"}
    | {"reconsider", "learned", "check", "corrected", "corrected_set", "changes", "changes_file", "wrong_labels"}
)
"""Pages about phrases, chains and boxes, which the pictures of a survey do not have."""
OF_SURVEYS = frozenset({"results", "results_live", "results_table", "votes", "items"})
"""Pages that only a survey has."""
OF_PEOPLE = frozenset(
    {"members", "member", "withdraw", "workers", "worker", "worker_message", "message_all", "worker_pay"}
    | {"worker_bonus", "money", "ledger", "sessions", "payments"}
)
"""Pages that a project keeps whose images are in an archive."""


def members_who(
    action: Action, words: str, operation: Operation[Any, Any, Any] | None = None
) -> Callable[..., Callable[[View], View]]:
    """Return a function that takes the methods a page answers to, and returns a decorator of its view.

    The decorator lets in whoever may do this in the project called `name`, and hands that project to the view. `words`
    completes "To ..., you need the role ...". A project that the visitor may not look at does not exist. HEAD goes with
    GET; without methods the page answers to all. `operation`: the one that the page does, which says whether surveys
    and projects in an archive have it.
    """

    def only(*methods: str) -> Callable[[View], View]:
        def decorate(view: View) -> View:
            @wraps(view)
            def guarded(request: HttpRequest, name: str, **kwargs: Any) -> HttpResponseBase:
                if not request.user.is_authenticated:
                    return redirect_to_login(request.get_full_path())
                project = get_object_or_404(with_checked(projects_for(request.user, Action.LOOK)), name=name)
                if not may(request.user, action, project):
                    raise refusal(name, action, words)
                return _elsewhere(request, project, operation) or view(request, project, **kwargs)

            return require_http_methods(ANSWERED[methods])(guarded) if methods else guarded

        return decorate

    return only


def operation_page(operation: Operation[Any, Any, Any], *methods: str) -> Callable[[View], View]:
    """Return the decorator of a page that does an operation: it lets in whoever may do it."""
    return members_who(operation.action, WORDS[operation.action], operation)(*methods)


def page_caller(request: HttpRequest) -> Caller:
    """Return who asks by a page."""
    user = cast(User, request.user)
    return Caller(user, user.get_username())


WORDS = {Action.MANAGE: "manage it", Action.REVIEW: "review its images"}
managers_only = members_who(Action.MANAGE, WORDS[Action.MANAGE])
reviewers_only = members_who(Action.REVIEW, WORDS[Action.REVIEW])


def lookers_only(view: View) -> View:
    """Let in whoever may look at the project called `name`, and hand on the project: anybody, if it is public."""

    @readers_only
    @wraps(view)
    def guarded(request: HttpRequest, name: str, **kwargs: Any) -> HttpResponseBase:
        project = get_object_or_404(Project, name=name)
        return _elsewhere(request, project) or view(request, project, **kwargs)

    return guarded


def _elsewhere(
    request: HttpRequest, project: Project, operation: Operation[Any, Any, Any] | None = None
) -> HttpResponseBase | None:
    """Return the answer in place of a page that this kind of project does not have; None: it has the page."""
    page = request.resolver_match.url_name if request.resolver_match else ""
    if project.away is not None and not (operation.archived if operation else page in OF_PEOPLE):
        return away_page(request, project, status=404)
    if project.survey and page in LEADS_TO:
        return redirect(LEADS_TO[page], name=project.name)
    if project.survey:
        is_missing = not operation.surveys if operation else page in NOT_OF_SURVEYS
    else:
        is_missing = page in OF_SURVEYS
    if is_missing:
        return render(request, "projects/surveys/no_page.html", {"project": project}, status=404)
    return None


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
