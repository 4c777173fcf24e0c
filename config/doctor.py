"""Whether each part of the service works, in words: for the page *Service* and `manage.py doctor`."""

import platform
import shutil
import smtplib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from secrets import token_hex
from typing import NamedTuple
from urllib.parse import urlsplit

import django
from celery import current_app
from django.conf import settings
from django.contrib import messages
from django.core.files.base import ContentFile
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from annotation.storage import store
from config.health import check_database, check_folder, check_migrations, check_redis, check_tick
from config.metrics import queued_jobs
from labelling.messages import no_mail, send_due_mail, write_mail
from platforms.errors import PlatformError, PlatformOffError
from platforms.registry import PLATFORMS, find_platform
from projects.access import administrators_only
from runtime import clock
from runtime.disk_errors import StorageError
from runtime.words import counted
from workers.address_of import address_of

LEAST_FREE = 2 * 10**9
"""Bytes. With less, imports and backups soon fail."""
MOST_APART = 5.0
"""Seconds by which this machine's clock may differ from the database's."""


class PartState(StrEnum):
    WORKS = "works"
    OFF = "off"
    """Not set up, which is no fault."""
    FAILS = "fails"


class PartReport(NamedTuple):
    """A part of the service, whether it works, and in a sentence what was seen or what to do."""

    part: str
    state: PartState
    words: str
    help: str
    """The page of docs/ about the part."""


Check = Callable[[], tuple[PartState, str]]


def _as_ready(check: Callable[[], str]) -> Check:
    """Return the check of /readyz as one of these."""

    def checked() -> tuple[PartState, str]:
        words = check()
        state = {"ok": PartState.WORKS, "not used": PartState.OFF, "none yet": PartState.OFF}.get(
            words, PartState.FAILS
        )
        return state, words

    return checked


def check_queue() -> tuple[PartState, str]:
    """Jobs that wait for a runner, and the runners that answer. The row of Redis tells whether that answers."""
    if not settings.REDIS_URL:
        return PartState.OFF, "Jobs run in the process that asks for them."
    try:
        waiting, taken = queued_jobs()
        runners = len(current_app.control.ping(timeout=1) or ())
    except (RedisError, BrokerError, OSError):
        return PartState.OFF, "Not known: the jobs lie in Redis, which gives no answer."
    words = f"{counted(waiting, 'job')} wait, {taken} are at work; {counted(runners, 'runner')} answer."
    return PartState.WORKS if runners else PartState.FAILS, words


def check_mail() -> tuple[PartState, str]:
    """Connect to the mail server and sign in; nothing is sent."""
    if off := no_mail():
        return PartState.OFF, f"{off} Set EMAIL_HOST."
    try:
        with get_connection(fail_silently=False):
            return (
                PartState.WORKS,
                f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT} takes mail of this service.",
            )
    except (smtplib.SMTPException, OSError) as error:
        return PartState.FAILS, f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}: {error}"


def check_storage() -> tuple[PartState, str]:
    """Write a small file where pictures lie, read it, and delete it."""
    place, content = store(), token_hex(8).encode()
    try:
        name = place.save(f"doctor/{content.decode()}.txt", ContentFile(content))
        with place.open(name) as file:
            read = file.read()
        place.delete(name)
    except (StorageError, OSError) as error:
        return PartState.FAILS, str(error)
    if read != content:
        return PartState.FAILS, "A file that was written came back changed."
    return PartState.WORKS, f"A file was written, read and deleted in {settings.S3_BUCKET or settings.MEDIA_ROOT}."


def check_disk() -> tuple[PartState, str]:
    usage = shutil.disk_usage(settings.DATA)
    words = f"{usage.free / 10**9:,.1f} GB of {usage.total / 10**9:,.1f} GB are free at {settings.DATA}."
    return (PartState.WORKS if usage.free >= LEAST_FREE else PartState.FAILS), words


def check_clock() -> tuple[PartState, str]:
    """Compare this machine's clock with the database's, by which everything is due."""
    apart = abs((datetime.now(UTC) - clock.now()).total_seconds())
    words = f"{apart:.1f} s from the database's clock"
    if apart > MOST_APART:
        return PartState.FAILS, f"{words}: set both by a time server."
    return PartState.WORKS, f"{words}."


def check_versions() -> tuple[PartState, str]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version" if connection.vendor == "postgresql" else "SELECT sqlite_version()")
        database = cursor.fetchone()[0]
    names = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}
    python = f"Python {platform.python_version()}, Django {django.get_version()}"
    return PartState.WORKS, f"{python}, {names[connection.vendor]} {database}."


def check_address() -> tuple[PartState, str]:
    """The address of links that are printed and sent."""
    if settings.ADDRESS_IS_GIVEN:
        return PartState.WORKS, f"Links begin with {settings.ADDRESS}."
    return PartState.OFF, f"ADDRESS is not set: links begin with {settings.ADDRESS}, which only this machine reaches."


def _platform(name: str) -> Check:
    def checked() -> tuple[PartState, str]:
        try:
            cents = find_platform(name).balance_cents()
        except PlatformOffError as error:
            return PartState.OFF, str(error)
        except PlatformError as error:
            return PartState.FAILS, str(error)
        return PartState.WORKS, "It answers." if cents is None else f"It answers; the balance is {cents / 100:,.2f}."

    return checked


CHECKS: dict[str, tuple[Check, str]] = {
    "database": (_as_ready(check_database), "how-to/operations"),
    "migrations": (_as_ready(check_migrations), "how-to/operations"),
    "redis": (_as_ready(check_redis), "how-to/operations"),
    "queue": (check_queue, "how-to/operations"),
    "beat and worker": (_as_ready(check_tick), "how-to/operations"),
    "data folder": (_as_ready(check_folder), "how-to/storage"),
    "pictures": (check_storage, "how-to/storage"),
    "disk": (check_disk, "how-to/operations"),
    "mail": (check_mail, "how-to/operations"),
    "address": (check_address, "reference/settings"),
    "clock": (check_clock, "how-to/more_hosts"),
    "versions": (check_versions, "how-to/operations"),
    **{name: (_platform(name), "how-to/find_workers") for name in PLATFORMS},
}


def check_parts() -> Iterator[PartReport]:
    """Check each part, and yield what was found. A part that fails hinders no other."""
    for part, (check, page) in CHECKS.items():
        try:
            state, words = check()
        except DatabaseError as error:
            state, words = PartState.FAILS, f"The database gives no answer ({type(error).__name__})."
        except OSError as error:
            state, words = PartState.FAILS, str(error)
        yield PartReport(part, state, words, page)


SUBJECT = "Chainbox sends mail"
TEXT = "You asked for this mail on the page Service. Mail of this service arrives."


@require_http_methods(["GET", "HEAD", "POST"])
@administrators_only
def service(request: HttpRequest) -> HttpResponse:
    """Show what was reports of each part; a POST sends a mail to the administrator."""
    if request.method == "POST":
        _send_mail_to(request)
        return redirect("service")
    reports = [*check_parts(), *seen_addresses(request)]
    failing = sum(report.state is PartState.FAILS for report in reports)
    return render(request, "config/service.html", {"reports": reports, "failing": failing})


def seen_addresses(request: HttpRequest) -> Iterator[PartReport]:
    """Yield whether the proxies in front pass on what the service reads: your address, TLS and the host's name."""
    names = request.META.get("HTTP_X_FORWARDED_FOR", "")
    proxies = len([name for name in names.split(",") if name.strip()])
    words = f"You come from {address_of(request)}; X-Forwarded-For names {proxies}, and PROXIES is {settings.PROXIES}."
    agrees = proxies >= settings.PROXIES and bool(settings.PROXIES) == bool(proxies)
    yield PartReport("proxies", PartState.WORKS if agrees else PartState.FAILS, words, "how-to/operations")
    shown = f"{request.scheme}://{request.get_host()}"
    if not settings.ADDRESS_IS_GIVEN:
        yield PartReport("this page", PartState.WORKS, f"You reach the service at {shown}.", "reference/settings")
        return
    given = urlsplit(settings.ADDRESS)
    same = shown == f"{given.scheme}://{given.netloc}"
    words = f"You reach the service at {shown}, and ADDRESS is {settings.ADDRESS}."
    yield PartReport("this page", PartState.WORKS if same else PartState.FAILS, words, "reference/settings")


def _send_mail_to(request: HttpRequest) -> None:
    assert request.user.is_authenticated
    mail = write_mail(request.user, SUBJECT, TEXT)
    if mail is None:
        messages.error(request, "No mail was sent: the service sends none, or your account has no mail address.")
        return
    send_due_mail()
    mail.refresh_from_db()
    if mail.problem:
        messages.error(request, f"The mail server did not take it: {mail.problem}")
    else:
        messages.info(request, f"A mail is on its way to {mail.to}.")
