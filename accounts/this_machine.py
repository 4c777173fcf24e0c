"""Whether a request comes from this machine itself, without a proxy in between."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host

PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP")
HERE = ("localhost", "127.0.0.1", "[::1]")


def is_from_this_machine(request: HttpRequest) -> bool:
    """Return whether the request has a loopback address, and a name of this machine or of ALLOWED_HOSTS as its host."""
    if any(name in request.headers for name in PROXY_HEADERS):
        return False
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    if not (getattr(address, "ipv4_mapped", None) or address).is_loopback:
        return False
    # A page in a browser of this machine may reach the service by a name that leads here, and read what it answers.
    # Every browser sends the name.
    host, _ = split_domain_port(request.headers.get("Host", HERE[0]))
    return validate_host(host, [*HERE, *(name for name in settings.ALLOWED_HOSTS if name != "*")])


def is_demo_here(request: HttpRequest) -> bool:
    """Return whether `manage.py demo` serves this visitor on the visitor's own machine."""
    return settings.DEMO and is_from_this_machine(request)
