"""The parts of signing in that are Chainbox's own: where it leads, how mail is sent, and how tries are counted."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.sites.shortcuts import get_current_site
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from accounts.events import Kind, record
from accounts.invitations import invitations_of
from accounts.may import is_of_staff
from labelling.messages.jobs import enqueue_mail
from labelling.messages.outbox import write_mail
from workers.address_of import address_of
from workers.models import Worker


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {  # noqa: RUF012
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": gettext_lazy("The name or the password is wrong. Both are case-sensitive."),
        "too_many_login_attempts": gettext_lazy("Too many tries. Wait a quarter of an hour, then try again."),
    }

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the caller's address; of an IPv6 address the first of its network."""
        return address_of(request).split("/")[0] or "0.0.0.0"

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count tries for one name from one address: those from elsewhere lock nobody out."""
        return f"{address_of(request)} {str(credentials.get('username', '')).casefold()}"

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Lead workers to their work, and members, or who is to become one, to the projects."""
        user = request.user
        if not isinstance(user, User) or Worker.objects.filter(user=user).exists():
            return reverse("labelling:home")
        return reverse("gallery:start" if is_of_staff(user) or invitations_of(user) else "labelling:home")

    def login(self, request: HttpRequest, user: Any) -> None:
        """Sign in, and say whose session in this browser ended by it."""
        name, before = request.user.get_username(), request.user.pk  # read now: signing in empties the session
        super().login(request, user)
        request.session.set_expiry(settings.ACCOUNT_SESSION_COOKIE_AGE)
        if before not in (None, user.pk):
            messages.warning(
                request, gettext("{name} was signed in here before, and was signed out.").format(name=name)
            )

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Ask again whoever has something to be asked for: a password or a second factor."""
        user = self.request.user
        return super().is_reauthentication_required(app=app) and bool(self.get_reauthentication_methods(user))

    def send_password_reset_mail(self, user: Any, email: str, context: dict[str, Any]) -> None:
        """Send a link to choose a password to an account that has one."""
        if user.has_usable_password():
            record(Kind.RECOVERY, f"link for {user.get_username()}", result="made")
            super().send_password_reset_mail(user, email, context)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Write the mail into the table from which a job sends it: nobody waits for a mail server."""
        common = {"request": self.request, "email": email, "current_site": get_current_site(self.request)}
        message = self.render_mail(template_prefix, email, common | context)
        user = context.get("user")
        to = user if isinstance(user, User) and user.email.casefold() == email.casefold() else email
        write_mail(to, message.subject, str(message.body))
        enqueue_mail()
