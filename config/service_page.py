"""The page *Service* for administrators: whether each part works, and the addresses as the visitor has them."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from config.doctor import PartReport, PartState, check_parts
from labelling.messages.outbox import send_due_mail, write_mail
from projects.access import administrators_only
from workers.address_of import address_of

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
