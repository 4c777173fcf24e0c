"""Admission to the gallery: staff, or everybody if the service is set so."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseBase, HttpResponseForbidden

View = Callable[..., HttpResponseBase]


def readers_only(view: View) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if settings.GALLERY_PUBLIC or is_staff(request):
            return view(request, *args, **kwargs)
        return redirect_to_login(request.get_full_path())

    return guarded


def experts_only(view: View) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if is_staff(request):
            return view(request, *args, **kwargs)
        return HttpResponseForbidden("Only staff may change annotations. Sign in at /admin/ first.")

    return guarded


def is_staff(request: HttpRequest) -> bool:
    return bool(request.user.is_authenticated and request.user.is_active and getattr(request.user, "is_staff", False))
