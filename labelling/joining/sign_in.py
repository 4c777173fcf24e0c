"""Pages to sign in, sign out and change the password, by Django's own views."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext

from accounts.invitations import invitations_of
from accounts.may import is_of_staff
from labelling.joining.access import SIGN_IN
from labelling.joining.forms import ChangePasswordForm, SignInForm
from labelling.joining.throttle import Answers429
from workers.models import Worker


class SignIn(Answers429, LoginView):
    form_class = SignInForm
    template_name = "labelling/sign_in.html"
    next_page = "labelling:home"
    redirect_authenticated_user = True

    def get_default_redirect_url(self) -> str:
        """Lead workers to their work, and members, or who is to become one, to the projects."""
        user = self.request.user
        if not isinstance(user, User) or Worker.objects.filter(user=user).exists():
            return reverse(self.next_page)
        return reverse("gallery:start" if is_of_staff(user) or invitations_of(user) else self.next_page)


class SignOut(LogoutView):
    """Accepts POST only: a link on another site must not sign a worker out."""

    http_method_names = ["post", "options"]  # noqa: RUF012
    next_page = SIGN_IN


class ChangePassword(Answers429, PasswordChangeView):
    form_class = ChangePasswordForm
    template_name = "labelling/password.html"
    success_url = reverse_lazy("labelling:home")

    @method_decorator(login_required(login_url=SIGN_IN))
    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Send visitors who are not signed in to the workers' page, and not to the admin's as Django does."""
        return super().dispatch(*args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        answer = super().form_valid(form)
        messages.success(self.request, gettext("Your password has been changed."))
        return answer
