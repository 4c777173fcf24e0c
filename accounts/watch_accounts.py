"""Receivers that write changes of accounts, roles, rights and keys into the event log, whoever makes them."""

from typing import Any

from allauth.account.signals import password_reset
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import post_delete, post_save, pre_save
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.events import NO_REQUEST, Kind, place, record
from accounts.models import Membership, RequesterToken, Right
from workers.models import ApiKey

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
