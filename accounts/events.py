"""The event log: who signed in, was refused, changed rights or keys, or took out the record. Never a secret.

`record` is the only way in. Each event is a row, which administrators read in the admin, and a line of JSON by this
module's logger. Attempts that anybody can repeat without end are counted: the first of an hour is a row, and the row is
written again whenever the count doubles.
"""

import logging
import re
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from allauth.account.signals import password_reset
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db import DatabaseError, transaction
from django.db.models.signals import post_delete, post_save, pre_save
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase

from accounts.models import Membership, RequesterToken, Right, SecurityEvent
from runtime import clock
from workers.address_of import address_of
from workers.models import ApiKey

Kind = SecurityEvent.Kind
REPEATED = frozenset({Kind.FAILED_SIGN_IN, Kind.REFUSAL, Kind.EXPORT})
"""Kinds that a visitor or a program can repeat without end."""
MAX_REPEATED_PER_HOUR = 500
"""Different events of these kinds that one process writes; the others of that hour share a row for each kind."""
OTHERS = "others of this hour: too many different ones"
REFUSED = (401, 403, 429)
SECRET_PARTS = frozenset({"code", "token", "uidb36", "key"})
"""Parts of addresses that open something. In their place the log has their names."""
NO_REQUEST = "this machine"
"""The actor of commands and jobs."""

logger = logging.getLogger(__name__)
_request: ContextVar[HttpRequest | None] = ContextVar("request of the event log", default=None)


@dataclass(slots=True)
class _Repeat:
    count: int = 0
    row: int | None = None


_lock = threading.Lock()
_hour = 0
_repeats: dict[tuple[str, ...], _Repeat] = {}


def record(kind: SecurityEvent.Kind, what: str, *, result: str = "done", actor: str | None = None) -> None:
    """Write an event of this request, or of this machine where there is no request. `actor`: who, if not its user."""
    request = _request.get()
    values = {
        "kind": kind.value,
        "actor": _name_of_user(request) if actor is None else actor,
        "address": address_of(request) if request else "",
        "what": what,
        "result": result,
    }
    values = {name: value[: SecurityEvent.LENGTHS[name]] for name, value in values.items()}
    if kind in REPEATED:
        _record_repeated(values)
    else:
        _write(values)


def place(request: HttpRequest) -> str:
    """Return the path of the request, without what follows a question mark and without parts that open something."""
    match = request.resolver_match
    if match is not None and SECRET_PARTS & set(match.kwargs):
        return f"/{match.route}"
    return request.path_info


class EventMiddleware:
    """Lets `record` know the request, and records each refusal (401, 403, 429)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        before = _request.set(request)
        try:
            response = self.get_response(request)
            if response.status_code in REFUSED:
                _record_refusal(request, response)
        finally:
            _request.reset(before)
        return response


def forget_person(name: str, other: str) -> None:
    """Put another name in the place of an account's, and take the network addresses out of its own events."""
    SecurityEvent.objects.filter(actor=name).update(actor=other, address="")
    word = re.compile(rf"(?<![\w@.+-]){re.escape(name)}(?![\w@.+-])")
    for row in SecurityEvent.objects.filter(what__contains=name):
        row.what = word.sub(other, row.what)[: SecurityEvent.LENGTHS["what"]]
        row.save(update_fields=["what"])


def forget_repeats() -> None:
    """Begin to count anew, as with an hour."""
    with _lock:
        _repeats.clear()


def _record_refusal(request: HttpRequest, response: HttpResponseBase) -> None:
    try:
        record(Kind.REFUSAL, f"{request.method} {place(request)}", result=str(response.status_code))
    except DatabaseError as error:  # the refusal stands, whatever becomes of its row
        logger.warning("A refusal was not written: %s", error)


def _name_of_user(request: HttpRequest | None) -> str:
    """Return the name of the account, or the number of the worker, who makes the request; "" for a visitor."""
    if request is None:
        return NO_REQUEST
    user: Any = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return ""
    return str(getattr(user, "username", "") or f"worker {user.pk}")


def _record_repeated(values: dict[str, str]) -> None:
    global _hour
    key = tuple(values.values())
    with _lock:
        if (hour := int(time.monotonic() // 3600)) != _hour:
            _hour = hour
            _repeats.clear()
        if key not in _repeats and len(_repeats) >= MAX_REPEATED_PER_HOUR:
            values = {**dict.fromkeys(values, ""), "kind": values["kind"], "what": OTHERS}
            key = tuple(values.values())
        repeat = _repeats.setdefault(key, _Repeat())
        repeat.count += 1
        count = repeat.count
    if count & (count - 1):  # not a power of two
        return
    if repeat.row and SecurityEvent.objects.filter(pk=repeat.row).update(count=count, last_at=clock.now()):
        _tell(values, count)
    else:
        repeat.row = _write(values, count).pk


def _write(values: dict[str, str], count: int = 1) -> SecurityEvent:
    now = clock.now()
    row = SecurityEvent.objects.create(at=now, last_at=now, count=count, **values)
    _tell(values, count)
    return row


def _tell(values: dict[str, str], count: int) -> None:
    """Write the line, once the row is there to stay."""
    line = {**values, "event": values["kind"], "count": count, "at": clock.now().isoformat()}
    del line["kind"]
    transaction.on_commit(lambda: logger.info("%s", values["kind"], extra=line))


WATCHED = ("username", "password", "email", "is_active", "is_superuser")
LOGIN_ALONE, HASHED_ANEW = {"last_login"}, {"password"}
"""Fields that Django saves alone when somebody signs in; no change of the account."""


@receiver(user_logged_in)
def _signed_in(request: HttpRequest, user: User, **_: Any) -> None:
    record(Kind.SIGN_IN, place(request), actor=user.get_username())


@receiver(user_logged_out)
def _signed_out(request: HttpRequest, user: User | None, **_: Any) -> None:
    if user is not None:
        record(Kind.SIGN_OUT, place(request), actor=user.get_username())


@receiver(user_login_failed)
def _refused(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    # A name that nobody has may be a password in the wrong field.
    name = str(credentials.get("username", ""))
    is_known = User.objects.filter(username=name).exists()
    where = place(request) if request else NO_REQUEST
    what = where if is_known else f"{where}, a name that nobody has"
    record(Kind.FAILED_SIGN_IN, what, result="refused", actor=name if is_known else "")


@receiver(password_reset)
def _recovered(user: User, **_: Any) -> None:
    record(Kind.RECOVERY, f"link for {user.get_username()}", result="used", actor=user.get_username())


@receiver(post_save, sender=Authenticator)
def _factor_added(instance: Authenticator, created: bool, **_: Any) -> None:  # noqa: FBT001
    if created:
        record(Kind.PASSWORD, f"second factor of {instance.user}: {instance.get_type_display()}", result="made")


@receiver(post_delete, sender=Authenticator)
def _factor_removed(instance: Authenticator, **_: Any) -> None:
    record(Kind.PASSWORD, f"second factor of {instance.user}: {instance.get_type_display()}", result="revoked")


@receiver(post_save, sender=Membership)
def _role_given(instance: Membership, created: bool, **_: Any) -> None:  # noqa: FBT001 - Django passes it by name
    record(Kind.RIGHTS, f"{instance.user}: {instance.role} of {instance.project}", result=_given(created=created))


@receiver(post_delete, sender=Membership)
def _role_taken(instance: Membership, **_: Any) -> None:
    record(Kind.RIGHTS, f"{instance.user}: {instance.role} of {instance.project}", result="taken")


@receiver(post_save, sender=Right)
def _right_given(instance: Right, created: bool, **_: Any) -> None:  # noqa: FBT001
    record(Kind.RIGHTS, f"{instance.user}: right {instance.kind}", result=_given(created=created))


@receiver(post_delete, sender=Right)
def _right_taken(instance: Right, **_: Any) -> None:
    record(Kind.RIGHTS, f"{instance.user}: right {instance.kind}", result="taken")


@receiver(post_save, sender=RequesterToken)
def _token_made(instance: RequesterToken, created: bool, **_: Any) -> None:  # noqa: FBT001
    if created:
        scopes = ", ".join(instance.scopes)
        record(Kind.KEYS, f"token {instance.pk} of {instance.user}: {scopes}", result="made")


@receiver(post_save, sender=ApiKey)
def _key_made(instance: ApiKey, created: bool, **_: Any) -> None:  # noqa: FBT001
    if created:
        record(Kind.KEYS, f"key {instance.pk} of {instance.worker}", result="made")


@receiver(pre_save, sender=User)
def _account_changes(instance: User, update_fields: Any = None, **_: Any) -> None:
    if set(update_fields or ()) in (LOGIN_ALONE, HASHED_ANEW):
        return
    before = User.objects.filter(pk=instance.pk).values(*WATCHED).first() if instance.pk else None
    name = instance.get_username()
    if before is None:
        if instance.is_superuser:
            record(Kind.RIGHTS, f"administrator {name}", result="given")
        return
    if before["is_superuser"] != instance.is_superuser:
        record(Kind.RIGHTS, f"administrator {name}", result=_given(created=True) if instance.is_superuser else "taken")
    if before["is_active"] != instance.is_active:
        record(Kind.RIGHTS, f"account {name}", result="opened" if instance.is_active else "closed")
    if before["username"] != name:
        record(Kind.RIGHTS, f"name of {before['username']}: now {name}", result="changed")
    if before["password"] != instance.password:
        record(Kind.PASSWORD, f"password of {name}", result="changed")
    if before["email"] != instance.email:
        record(Kind.PASSWORD, f"e-mail address of {name}", result="changed")


@receiver(post_delete, sender=User)
def _account_deleted(instance: User, **_: Any) -> None:
    if instance.is_superuser:
        record(Kind.RIGHTS, f"administrator {instance.get_username()}", result="taken")


def _given(*, created: bool) -> str:
    return "given" if created else "changed"
