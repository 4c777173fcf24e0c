"""The sign-in behind a page's token, and the check that it still counts.

The token holds the id of a row and not the key of the Django session: scripts of the page can read the token.
"""

from typing import Any

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection
from django.http import HttpRequest

from labelling.models import SignIn
from pipeline.asking.admission import Guard
from runtime import clock
from workers.tokens import PageToken

LENGTH = SignIn._meta.get_field("password_end").max_length or 0
NOT_CLOSED = """EXISTS (
    SELECT 1 FROM workers_worker worker LEFT JOIN auth_user account ON account.id = worker.user_id
    WHERE worker.id = %s AND worker.closed_at IS NULL AND account.is_active IS NOT FALSE
)"""
SIGNED_IN = f"""EXISTS (
    SELECT 1 FROM labelling_signin sign_in
    JOIN django_session browser ON browser.session_key = sign_in.session_key
    JOIN auth_user account ON account.id = sign_in.user_id
    JOIN workers_worker worker ON worker.user_id = account.id
    WHERE sign_in.id = %s AND worker.id = %s AND browser.expire_date > %s
        AND worker.closed_at IS NULL AND account.is_active IS NOT FALSE
        AND SUBSTR(account.password, LENGTH(account.password) - {LENGTH - 1}) = sign_in.password_end
)"""


def sign_in_of(request: HttpRequest) -> int:
    """Return the id of the row of this request's sign-in, made on first use. The user is signed in."""
    user, key = request.user, request.session.session_key
    assert isinstance(user, User) and key
    end = user.password[-LENGTH:]
    row, made = SignIn.objects.get_or_create(session_key=key, defaults={"user": user, "password_end": end})
    if (row.user_id, row.password_end) != (user.pk, end):
        SignIn.objects.filter(pk=row.pk).update(user=user, password_end=end)
    if made:
        ended = SignIn.objects.filter(user=user).exclude(session_key__in=Session.objects.values("session_key"))
        ended.delete()
    return row.pk


def guard_of(token: PageToken) -> Guard:
    """Return the check that the sign-in of this token still counts.

    It fails after signing out, when the Django session expires, with a new password, and when the account is closed.
    """
    if token.sign_in_id is None:
        return Guard(NOT_CLOSED, (token.worker_id,))
    now: Any = connection.ops.adapt_datetimefield_value(clock.now())
    return Guard(SIGNED_IN, (token.sign_in_id, token.worker_id, now))
