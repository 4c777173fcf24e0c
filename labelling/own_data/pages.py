"""Pages on which workers take out what is theirs, and delete it: with an account, and from a platform."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.events import Kind, record
from labelling.joining import throttle
from labelling.joining.access import projects_of, workers_only
from labelling.own_data.forget_worker import StillAMemberError, forget_worker, is_member, owed_to
from labelling.own_data.take_out import own_data as own_data_of
from labelling.sign_ins import guard_of
from pipeline.project.settings_versions import current_settings
from runtime.downloads import download
from workers.models import Worker
from workers.page_token import read_page_token

PASSWORDS = 5
"""Tries of the password before deleting, in a quarter of an hour."""


class AddressForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("email",)
        labels = {"email": gettext_lazy("E-mail address")}  # noqa: RUF012
        help_texts = {"email": gettext_lazy("For a new password, should you forget yours. Empty: none is kept.")}  # noqa: RUF012


class DeleteForm(forms.Form):
    """Asks for the password, where there is one, and that the worker gives up what is owed, where something is."""

    unpaid = forms.BooleanField(label=gettext_lazy("I know that I may not be paid what is still owed to me."))
    password = forms.CharField(
        label=gettext_lazy("Password"), widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )
    sure = forms.BooleanField(
        label=gettext_lazy("Delete my account and everything listed above. This cannot be undone.")
    )

    def __init__(self, data: Any = None, *, user: User | None, is_owed: bool) -> None:
        super().__init__(data)
        self.user = user
        if not is_owed:
            del self.fields["unpaid"]
        if user is None or not user.has_usable_password():
            del self.fields["password"]

    def clean_password(self) -> str:
        assert self.user is not None
        given = str(self.cleaned_data["password"])
        try:
            throttle.count_try("deleting", str(self.user.pk), most=PASSWORDS)
        except throttle.TooManyTriesError as error:
            raise forms.ValidationError(str(error), code="throttled") from error
        if not self.user.check_password(given):
            record(Kind.FAILED_SIGN_IN, "the password, to delete the account", result="refused")
            raise forms.ValidationError(gettext_lazy("The password is wrong."))
        return given


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
    record(Kind.EXPORT, f"own data of {worker}")
    return download(own_data_of(worker), "my-chainbox-data.json", "application/json")
