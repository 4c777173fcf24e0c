"""Pages on which workers take out what is theirs, and delete it: with an account, and from a platform."""

from typing import Any

from allauth.core.ratelimit import consume_or_429
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.events import Kind, record
from accounts.reauthentication import reauthenticated
from labelling.joining.access import projects_of, workers_only
from labelling.own_data.forget_worker import StillAMemberError, forget_worker, is_member, owed_to
from labelling.own_data.take_out import own_data_as_json
from labelling.sign_ins import guard_of
from pipeline.project.settings_versions import current_settings
from runtime.downloads import download
from workers.models import Worker
from workers.page_token import read_page_token


class DeleteForm(forms.Form):
    """Asks whether this is meant, and whether the worker gives up what is owed, where something is."""

    unpaid = forms.BooleanField(label=gettext_lazy("I know that I may not be paid what is still owed to me."))
    sure = forms.BooleanField(
        label=gettext_lazy("Delete my account and everything listed above. This cannot be undone.")
    )

    def __init__(self, data: Any = None, *, is_owed: bool) -> None:
        super().__init__(data)
        if not is_owed:
            del self.fields["unpaid"]


DONE = gettext_noop("Your account was deleted. Your answers are kept without you. You are signed out everywhere.")
UNKNOWN = gettext_noop(
    "This page opens from your work only: go back there, load the page again, and press the link once more."
)


@require_safe
@workers_only
def own_data(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Show what is kept."""
    return _render(request, worker)


@require_safe
@workers_only
def take_out(request: HttpRequest, worker: Worker) -> HttpResponse:
    return _file(request, worker)  # type: ignore[return-value]  # a response that streams


@require_http_methods(["GET", "HEAD", "POST"])
@workers_only
@reauthenticated
def delete(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Tell what goes and what stays, ask a second time, and delete."""
    if _is_deleted(request, worker, form := _form(request, worker)):
        logout(request)
        messages.success(request, gettext(DONE))
        return redirect("account_login")
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
        return _file(request, worker)
    if what not in ("ask", "delete"):
        return _render(request, worker)
    if _is_deleted(request, worker, form := _form(request, worker), wanted=what == "delete"):
        return render(request, "labelling/deleted.html", {"message": gettext(DONE)})
    return _second_page(request, worker, form)


def _render(request: HttpRequest, worker: Worker) -> HttpResponse:
    return render(request, "labelling/own_data.html", _common(request, worker))


def _second_page(request: HttpRequest, worker: Worker, form: DeleteForm) -> HttpResponse:
    owed = [(project, cents, current_settings(project.pk)[1].currency) for project, cents in owed_to(worker)]
    context = {**_common(request, worker), "form": form, "owed": owed, "is_member": is_member(worker)}
    return render(request, "labelling/delete.html", context)


def _common(request: HttpRequest, worker: Worker) -> dict[str, Any]:
    at = request.resolver_match
    bearer = request.POST.get("bearer", "") if at and at.url_name == "on_platform" else ""
    return {"worker": worker, "projects": projects_of(worker), "bearer": bearer}


def _form(request: HttpRequest, worker: Worker) -> DeleteForm:
    is_sent = request.method == "POST" and request.POST.get("what") != "ask"
    return DeleteForm(request.POST if is_sent else None, is_owed=bool(owed_to(worker)))


def _is_deleted(request: HttpRequest, worker: Worker, form: DeleteForm, *, wanted: bool = True) -> bool:
    if not (wanted and form.is_valid()):
        return False
    try:
        forget_worker(worker.pk)
    except StillAMemberError as error:
        messages.error(request, gettext(str(error)))
        return False
    return True


def _file(request: HttpRequest, worker: Worker) -> HttpResponseBase:
    if refusal := consume_or_429(request, action="own_data", key=str(worker.pk), limit_get=True):
        return refusal
    record(Kind.EXPORT, f"own data of {worker}")
    return download(own_data_as_json(worker), "my-chainbox-data.json", "application/json")
