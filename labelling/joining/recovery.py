"""The link by which somebody whose password is forgotten chooses another: a requester makes it and passes it on."""

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.models import User
from django.urls import reverse

from accounts.events import Kind, record


def recovery_link(user: User, base: str) -> str:
    """Return a link that lets whoever has it choose a new password, once, within PASSWORD_RESET_TIMEOUT.

    It ends with the next sign-in, too. `base`: the service's address.
    """
    record(Kind.RECOVERY, f"link for {user.get_username()}", result="made")
    named = {"uidb36": user_pk_to_url_str(user), "key": default_token_generator.make_token(user)}
    return base.rstrip("/") + reverse("account_reset_password_from_key", kwargs=named)
