"""Admission to the pages for workers: visitors sign in first, and users who are not workers read how to join."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.contrib.auth.decorators import login_required
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from annotation.models import Project
from pipeline.models import Assignment
from workers.models import Access, Worker


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
