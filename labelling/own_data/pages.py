"""Pages on which workers take out what is theirs, and delete it: for accounts, and for workers from a platform."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labelling.joining import throttle
from labelling.joining.access import projects_of, workers_only
from labelling.own_data.forget_worker import StillAMemberError, forget_worker, is_member, owed_to
from labelling.own_data.forms import AddressForm, DeleteForm
from labelling.own_data.take_out import own_data as own_data_of
from labelling.sign_ins import guard_of
from pipeline.project.settings_versions import current_settings
from upkeep.downloads import download
from workers.models import Worker
from workers.page_token import read_page_token

FILES = 5
"""Downloads of everything that a worker may make in a quarter of an hour."""
DONE = gettext_noop("Your account was deleted. Your answers are kept without you. You are signed out everywhere.")
UNKNOWN = gettext_noop(
    "This page opens from your work only: go back there, load the page again, and press the link once more."
)


@require_http_methods(["GET", "HEAD", "POST"])
@workers_only
def own_data(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Show what is kept, and take another e-mail address."""
    form = AddressForm(request.POST if request.method == "POST" else None, instance=worker.user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(
            request,
            gettext("Your e-mail address was saved.") if form.cleaned_data["email"] else gettext("No address is kept."),
        )
        return redirect("labelling:own_data")
    return _render(request, worker, form=form)


@require_safe
@workers_only
def take_out(request: HttpRequest, worker: Worker) -> HttpResponse:
    return _file(worker)  # type: ignore[return-value]  # a response that streams


@require_http_methods(["GET", "HEAD", "POST"])
@workers_only
def delete(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Tell what goes and what stays, ask a second time, and delete."""
    user = request.user if isinstance(request.user, User) else None
    if _is_deleted(request, worker, form := _form(request, worker, user)):
        logout(request)
        messages.success(request, gettext(DONE))
        return redirect("labelling:sign_in")
    return _second_page(request, worker, form)


@csrf_exempt  # a platform's frame has no cookie; the token in the body says who it is
@never_cache
@require_POST
def on_platform(request: HttpRequest) -> HttpResponseBase:
    """Do the same for a worker from a platform, whom the token of their labelling page names."""
    token = read_page_token(request.POST.get("bearer", ""))
    if token is None or token.session_id is None or not guard_of(token).holds():
        return render(request, "labelling/closed.html", {"message": gettext(UNKNOWN)}, status=403)
    worker = Worker.objects.select_related("user").get(pk=token.worker_id)
    what = request.POST.get("what", "")
    if what == "file":
        return _file(worker)
    if what not in ("ask", "delete"):
        return _render(request, worker)
    if _is_deleted(request, worker, form := _form(request, worker, None), wanted=what == "delete"):
        return render(request, "labelling/deleted.html", {"message": gettext(DONE)})
    return _second_page(request, worker, form)


def _render(request: HttpRequest, worker: Worker, **more: Any) -> HttpResponse:
    return render(request, "labelling/own_data.html", {**_common(request, worker), **more})


def _second_page(request: HttpRequest, worker: Worker, form: DeleteForm) -> HttpResponse:
    owed = [(project, cents, current_settings(project.pk)[1].currency) for project, cents in owed_to(worker)]
    context = {**_common(request, worker), "form": form, "owed": owed, "is_member": is_member(worker)}
    status = 429 if form.is_bound and form.has_error("password", "throttled") else 200
    return render(request, "labelling/delete.html", context, status=status)


def _common(request: HttpRequest, worker: Worker) -> dict[str, Any]:
    at = request.resolver_match
    bearer = request.POST.get("bearer", "") if at and at.url_name == "on_platform" else ""
    return {"worker": worker, "projects": projects_of(worker), "bearer": bearer}


def _form(request: HttpRequest, worker: Worker, user: User | None) -> DeleteForm:
    is_sent = request.method == "POST" and request.POST.get("what") != "ask"
    return DeleteForm(request.POST if is_sent else None, user=user, is_owed=bool(owed_to(worker)))


def _is_deleted(request: HttpRequest, worker: Worker, form: DeleteForm, *, wanted: bool = True) -> bool:
    if not (wanted and form.is_valid()):
        return False
    try:
        forget_worker(worker.pk)
    except StillAMemberError as error:
        messages.error(request, gettext(str(error)))
        return False
    return True


def _file(worker: Worker) -> HttpResponseBase:
    try:
        throttle.count_try("own data", str(worker.pk), most=FILES)
    except throttle.TooManyTriesError as error:
        return HttpResponse(str(error), status=429, content_type="text/plain")
    return download(own_data_of(worker), "my-chainbox-data.json", "application/json")
